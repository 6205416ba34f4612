"""Test sets on the home page."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from challenges.models import Organizer, Phase
from challenges.queries import label_of
from challenges.queries.timetable import closed_by, timetable_of, with_dates
from datastore.test_sets.models import TestSet
from web.home import Next


def missing_test_sets(request: HttpRequest) -> Iterator[Next]:
    """Phases of the person's challenges that cannot take submissions because they have no test set; two queries."""
    phases = (
        with_dates(Phase.objects.all())
        .exclude(closed_by(timezone.now()))
        .filter(
            task__challenge__organizer__user=request.user.pk,
            task__challenge__organizer__role__in=Organizer.TRUSTED,
            task__removed_at=None,
        )
        .exclude(pk__in=TestSet.objects.filter(is_active=True).values("phase"))
        .select_related("task__challenge")
        .prefetch_related("task__challenge__tasks")
    )
    for phase in phases:
        address = reverse("test_sets:test_sets", args=[phase.challenge.slug])
        yield Next(
            "Test set missing",
            f"{phase.challenge.title}, {label_of(phase)}",
            f"{address}?phase={phase.pk}",
            timetable_of(phase).opens,
        )
