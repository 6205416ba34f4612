"""Who may see and do what with submissions: predicates, declared once, used by views, API and templates."""

from typing import Any

import rules

from challenges.models import Member, Phase
from challenges.rules import is_named_organizer, is_organizer
from submissions.models import Submission
from test_sets.queries.decoys import keeps_decoys
from test_sets.queries.dry_runs import are_public
from uploads.models import Upload


@rules.predicate
def is_own(user: Any, thing: Submission | Upload | None) -> bool:
    """Belongs to the team that submitted it."""
    if thing is None or not user.is_authenticated:
        return False
    return Member.objects.filter(team=thing.team_id, user=user).exists()


@rules.predicate
def organizes(user: Any, submission: Submission | None) -> bool:
    """Runs the challenge that it was submitted to."""
    return submission is not None and is_organizer(user, submission.challenge)


@rules.predicate
def is_sender(user: Any, upload: Upload | None) -> bool:
    """Began the upload."""
    return upload is not None and upload.user_id == user.pk


@rules.predicate
def shows_scores(user: Any, submission: Submission | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """The phase shows teams their own aggregate scores; how exactly, `evaluation.aggregation.feedback` says."""
    results_with_scores = (Phase.Results.CASES, Phase.Results.AGGREGATE)
    return submission is not None and (
        submission.phase.is_revealed
        # Scores would tell the decoys; a phase that had them before it was changed to show scores keeps them to itself.
        or (submission.phase.results in results_with_scores and not keeps_decoys(submission.phase))
    )


@rules.predicate
def shows_cases(user: Any, submission: Submission | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """The phase shows teams their own scores case by case."""
    return submission is not None and (
        submission.phase.is_revealed
        or (submission.phase.results == Phase.Results.CASES and not keeps_decoys(submission.phase))
    )


@rules.predicate
def reveals_references(user: Any, submission: Submission | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """The phase is over and lets teams see the references beside their predictions, or is a dry run."""
    if submission is None:
        return False
    return (submission.phase.reveals_cases and submission.phase.is_revealed) or are_public(submission.phase)


@rules.predicate
def may_know_its_cases(user: Any, submission: Submission | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Its cases are known to who takes part; those that an algorithm is run on are hidden, unless everybody may know them."""
    return submission is not None and (not submission.is_algorithm or are_public(submission.phase))


@rules.predicate
def is_named_at(user: Any, submission: Submission | None) -> bool:
    """The same for the challenge that a submission was sent to."""
    return submission is not None and is_named_organizer(user, submission.challenge)


rules.add_perm("submissions.view_submission", is_own | organizes)
rules.add_perm("submissions.view_scores", organizes | (is_own & shows_scores))
rules.add_perm("submissions.view_case_scores", organizes | (is_own & shows_cases))
rules.add_perm("submissions.view_findings", (is_own & may_know_its_cases) | organizes)
rules.add_perm("submissions.organize_submission", organizes)

# Rules and not permissions: Django grants every permission to administrators, who must not act for a team.
rules.add_rule("submissions.continue_upload", is_sender & is_own)
rules.add_rule("submissions.decide_submission", is_own)
rules.add_rule("submissions.view_references", is_named_at | (is_own & reveals_references))
