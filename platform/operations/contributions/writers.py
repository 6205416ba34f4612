"""Acts that write decisive models, fields that are written once, and fields whose digests acts leave in the audit log.

The verification reports a sealing that contradicts these declarations, because such a sealing was forged. A field that
is written without an act, such as the progress of a job, has a reason here.
`tests/integration/audit/test_manipulations.py` forges a sealing for each kind of manipulation.
"""

from typing import Final

from core.audit.hooks import INSERTED, REMOVED, attest, write_once, written_by

_ADMINISTRATION: Final = "administration_added administration_changed administration_deleted"
_PROJECTED: Final = "challenge_launched challenge_projected"
_AUDIENCE: Final = "challenge_closed_to_public challenge_opened_to_public"
_JOB: Final = "state of a job, which each worker changes without an act"


def register() -> None:
    """Declare them."""
    _rankings()
    _challenges()
    _people()
    _submissions()
    _registry()


def _rankings() -> None:
    written_by("leaderboards.rankingversion", "ranking_computed")
    write_once("leaderboards.rankingversion")
    attest("leaderboards.rankingversion", "ranking_computed")
    written_by("leaderboards.standing", "ranking_computed ranking_restored")
    write_once("leaderboards.standing")
    attest("leaderboards.standing", "ranking_computed ranking_restored")
    written_by("leaderboards.overallranking", "overall_ranking_computed")
    write_once("leaderboards.overallranking")
    step = "each step of the analysis is stored without an act; the act that ends the analysis leaves its digest"
    written_by(
        "leaderboards.analysis",
        "ranking_computed analysis_finished",
        unrecorded={"figures": step, "sentences": step, "findings": step, "failures": step, "is_superseded": _JOB},
    )
    write_once("leaderboards.analysis", "version")
    attest("leaderboards.analysis", "analysis_finished", "figures", "sentences", "findings", "finished_at")


def _challenges() -> None:
    written_by(
        "challenges.challenge", f"challenge_created submissions_opened {_AUDIENCE} {_PROJECTED} {_ADMINISTRATION}"
    )
    written_by("challenges.task", f"challenge_created {_PROJECTED} {_ADMINISTRATION}")
    phase = "challenges.phase"
    written_by(phase, "challenge_projected")
    written_by(phase, "phase_created", INSERTED)
    written_by(phase, _ADMINISTRATION, REMOVED)
    written_by(phase, "phase_closed", "closed_at")
    written_by(phase, "phase_closed phase_ended challenge_projected", "ended_at")
    written_by(phase, "submissions_opened challenge_projected", "is_held", "admits_from")
    attest(phase, "phase_created phase_closed")
    written_by("challenges.phaseassessment", f"{_PROJECTED} {_ADMINISTRATION}")
    write_once("challenges.phaseassessment")
    written_by("challenges.projection", f"{_PROJECTED} submissions_opened")
    write_once("challenges.projection", "challenge", "registration", "launched_at", "launched_by")
    written_by("challenges.deviation", "challenge_projected")
    write_once("challenges.deviation")
    written_by("challenges.terms", f"terms_set {_ADMINISTRATION}")
    write_once("challenges.terms")
    written_by("test_sets.testset", "test_set_sealed test_set_unsealed")
    write_once("test_sets.testset", "phase", "version", "salt", "manifest_digest", "sealed_at")
    written_by("test_sets.testcase", "test_set_sealed")


def _people() -> None:
    team = "challenges.team"
    written_by(team, f"team_joined team_made {_ADMINISTRATION}", INSERTED)
    written_by(team, _ADMINISTRATION)
    written_by(team, f"team_left {_ADMINISTRATION}", REMOVED)
    written_by(team, f"team_standing_set {_ADMINISTRATION}", "standing", "standing_reason")
    written_by(
        "challenges.member",
        f"team_joined team_made team_left team_handed_over team_invitation_accepted account_closed {_ADMINISTRATION}",
    )
    written_by(
        "challenges.organizer",
        f"challenge_created challenge_launched organizer_role_set account_closed {_ADMINISTRATION}",
    )
    rights = "role_given role_taken account_closed first_administrator_made administration_changed"
    written_by("accounts.user", rights, "is_superuser", "is_staff")


def _submissions() -> None:
    received = "submission_received measurements_sealed"
    written_by("submissions.submission", received, INSERTED)
    written_by("submissions.submission", "submission_chosen submission_choice_taken_back", "is_chosen", "method_number")
    decided = ("is_late", "created_at", "phase", "team", "number")
    written_by("submissions.submission", received, *decided)
    write_once("submissions.submission", *decided)
    run = "submissions.run"
    written_by(run, "submission_accepted submission_rerun test_set_sealed measurements_sealed", INSERTED)
    written_by(run, "run_scored measurements_sealed", "counts", "result_file", "result_digest", "summary")
    attest(run, "run_scored", "result_file", "result_digest", "summary")
    write_once(run, "submission", "number", "test_set", "assessment_digest")
    written_by("submissions.methoddescription", "method_described")


def _registry() -> None:
    written_by("reviews.decision", "filing_accepted filing_rejected filing_revision_required")
    write_once("reviews.decision")
    written_by("reviews.sentreview", "review_sent")
    write_once("reviews.sentreview")
    for label in (
        *("reviews.transition", "reviews.filedversion", "registry.disclosure", "changes.changedecision"),
        *("designs.designversion", "designs.fieldchange", "designs.openedembargo"),
        *("federation.signedmessage", "federation.sitepackage"),
    ):
        write_once(label)
    written_by("registry.registrationversion", "registration_version_added")
    write_once("registry.registrationversion")
    written_by(
        "registry.registration",
        "registration_version_added registration_final registration_withdrawn registration_abandoned",
        "state",
        "reason",
        "state_changed_at",
        "identifier",
        INSERTED,
        REMOVED,
    )
    embargo = "registration_version_added registration_embargo_ended"
    written_by("registry.registration", embargo, "is_embargoed", "embargo_ended_at")
    written_by("registry.timestamp", "timestamp_obtained")
    write_once("registry.timestamp")
