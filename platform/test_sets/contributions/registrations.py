"""What this app contributes to the pages of a challenge."""

from django.urls import reverse

from challenges import hooks
from challenges.models import Challenge, Phase
from challenges.rules import is_organizer
from test_sets.models import TestSet


def register() -> None:
    """Add the page."""
    hooks.register_organizer_page("Test sets", "test_sets:test_sets", visible=is_organizer, order=25)
    hooks.figures.register(figures)


def figures(challenge: Challenge) -> list[hooks.Figure]:
    """How many phases have a sealed test set: without one nothing can be scored; two queries."""
    phases = Phase.objects.filter(task__challenge=challenge, task__removed_at=None).count()
    sealed = TestSet.objects.filter(
        phase__task__challenge=challenge, phase__task__removed_at=None, is_active=True
    ).count()
    address = reverse("test_sets:test_sets", args=[challenge.slug])
    return [hooks.Figure("Sealed test sets", f"{sealed} of {phases}", address, needs_you=sealed < phases)]
