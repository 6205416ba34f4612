"""Public descriptions of the methods in a ranking."""

from collections.abc import Sequence

from django.urls import reverse

from challenges.models import Phase
from evaluation.boards.page import Method
from evaluation.designs.document import State
from submissions.domain.method_entries import from_json
from submissions.queries.methods import is_anonymous
from submissions.queries.methods import methods_of as public_methods

EXTRA_DATA = "additional_training_data"


def methods_of(phase: Phase, submissions: Sequence[str]) -> dict[str, Method]:
    """Return the public descriptions of submissions, by id of the submission; there are none before the phase closes."""
    if not phase.is_revealed:
        return {}
    methods = {}
    for submission, method in public_methods(submissions).items():
        entries = from_json(method.entries)
        # A row has the team's name: a link from it would tell who is behind a description without one.
        if is_anonymous(entries):
            continue
        extra = entries.get(EXTRA_DATA)
        methods[str(submission)] = Method(
            url=reverse("submissions:method", args=[phase.challenge.slug, submission]),
            uses_extra_data=extra is not None and extra.state is State.PROVIDED and bool(extra.value),
        )
    return methods
