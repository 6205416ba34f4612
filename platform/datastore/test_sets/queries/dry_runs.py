"""References that a dry run makes public."""

from challenges.models import Phase
from datastore.test_sets.models import Annotation, TestCase


def are_public(phase: Phase) -> bool:
    """Return whether all participants may download the references of a phase.

    True only for a dry run that has opened, and only if its references are not hidden elsewhere. No other
    phase of the challenge, in any version of its test set, may contain one of them, merged or of one
    annotator. An organizer who uploads the wrong folder therefore reveals nothing.
    """
    if not phase.is_dry_run or not phase.has_opened:
        return False
    where = {"phase__task__challenge": phase.task.challenge_id, "phase__is_dry_run": False}
    reference_digests = TestCase.objects.filter(test_set__phase=phase).values("reference_sha256")
    merged = TestCase.objects.filter(
        reference_sha256__in=reference_digests, **{f"test_set__{key}": of for key, of in where.items()}
    )
    drawn = Annotation.objects.filter(
        reference_sha256__in=reference_digests, **{f"case__test_set__{key}": of for key, of in where.items()}
    )
    return not merged.exists() and not drawn.exists()
