"""A report as one HTML file with everything inside: no script, no address outside of it."""

import base64
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from evaluation.documents.figures import file_of
from reports.domain.paper.composing import Content, made_from
from reports.domain.presenting import chapters_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.figures.publication import Printed


def as_html(content: Content, figures: "Mapping[str, Printed]") -> bytes:
    """The page; where a sentence comes from is shown at its mark."""
    pictures = {
        file_of(name): _inside("image/svg+xml", figure.svg) if figure.svg else _inside("image/png", figure.png)
        for name, figure in figures.items()
    }
    context = {
        "content": content,
        "headline": made_from(content),
        "chapters": chapters_of(content, lambda file: pictures[file]),
    }
    # A file of its own on somebody's disk, outside of the site and its policy: what it looks like has to be in it.
    css = render_to_string("reports/file.css")
    context["style"] = mark_safe(f"<style>\n{css}</style>")  # noqa: S308 (a file of ours)
    return render_to_string("reports/file.html", context).encode()


def _inside(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
