"""Submissions on the home page."""

from collections.abc import Iterator

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from accounts.requests import SignedInRequest
from challenges.queries import label_of
from challenges.queries.timetable import timetable_of
from submissions.models import Submission
from web.home import Next


def what_teams_do_next(request: SignedInRequest) -> Iterator[Next]:
    """Submissions that wait for a decision of the team, and last ones that were refused while the phase is open; one query."""
    of_the_team = Submission.objects.filter(team=OuterRef("team"), phase=OuterRef("phase"))
    last = of_the_team.order_by("-number").values("pk")[:1]
    rows = (
        Submission.objects.filter(team__members__user=request.user)
        .filter(state__in=(Submission.State.HELD, Submission.State.REFUSED))
        .filter(pk=Subquery(last))
        .select_related("phase__task__challenge", "team")
        .prefetch_related("phase__task__challenge__tasks")
        .defer("report", "log")
        .distinct()
    )
    for row in rows:
        if not row.phase.is_open:
            continue
        held = row.state == Submission.State.HELD
        text = (
            f"Decide about submission {row.number}"
            if held
            else f"Submission {row.number} was refused: upload a corrected one"
        )
        address = reverse("submissions:detail", args=[row.challenge.slug, row.pk])
        yield Next(text, f"{row.challenge.title}, {label_of(row.phase)}", address, timetable_of(row.phase).closes)
