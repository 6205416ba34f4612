"""Detection, classification and outlines of an instance segmentation, side by side."""

from typing import Any

from django import template
from django.urls import reverse

from submissions.models import Run, Submission
from submissions.results.domain.object_parts import CLASS_COLUMNS, parts_of

register = template.Library()


@register.inclusion_tag("results/object_parts.html")
def object_parts(run: Run) -> dict[str, Any]:
    """Return the parts of the result of a run, without its cases.

    There are none for runs that do not store them.
    """
    return {"parts": parts_of(run.disentangled), "class_columns": CLASS_COLUMNS}


@register.inclusion_tag("results/object_parts_section.html")
def object_parts_section(run: Run, submission: Submission) -> dict[str, Any]:
    """The same as a section of the page of a submission, with the files."""
    address = reverse("results:objects_csv", args=[submission.challenge.slug, submission.pk])
    return {"run": run, "parts": parts_of(run.disentangled), "address": address}
