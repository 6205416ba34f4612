"""Deviations of the execution of a phase from its registration."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from challenges.models import Phase, PhaseAssessment
from challenges.queries.projections import projection_of
from evaluation.designs.catalogue import shipped
from evaluation.wording import joined

CORRECTION = shipped()["corrected_references"].label
"""Label of the change that replaces references.

The ranking by the former references is still shown next to the new ranking.
"""


@dataclass(frozen=True)
class Marked:
    """A deviation as pages show it.

    Attributes
    ----------
    kind
        ``approved`` (a decided deviation, for good), ``unregistered`` (an assessment that no version of the registration
        holds), ``superseded`` (an earlier registered version) or ``schedule`` (closed before the registered deadline).
    compared
        Whether the ranking is there both ways.
    """

    kind: str
    title: str
    text: str
    since: datetime | None = None
    parameters: tuple[str, ...] = ()
    registered_digest: str = ""
    executed_digest: str = ""
    address: str = ""
    compared: bool = False

    @property
    def facts(self) -> dict[str, object]:
        """The deviation for exports."""
        return {
            "kind": self.kind,
            "what": self.title,
            "reason": self.text,
            "since": self.since.isoformat() if self.since else None,
            "parameters": list(self.parameters),
            "registered_digest": self.registered_digest,
            "executed_digest": self.executed_digest,
        }


def deviations(phase: Phase, *, executed: str | None = None) -> list[Marked]:
    """All deviations of a phase, or of one of its rankings, from the registration.

    Parameters
    ----------
    executed
        Digest of the assessment with which a ranking was computed. By default the current assessment of the
        phase, with the digest computed from its document.

    Returns
    -------
    list of Marked
        Empty for a challenge without a registration, because there is nothing to compare.
    """
    projection = projection_of(phase.challenge)
    if projection is None:
        return []
    registered = list(
        PhaseAssessment.objects.filter(phase=phase)
        .select_related("version__registration")
        .only("digest", "phase", "since", "version__major", "version__minor", "version__registration__identifier")
    )
    stored = list(
        phase.deviations.select_related("version__registration").only(
            *("phase", "registered_digest", "executed_digest", "parameters", "reason", "decided_at", "teams_scored"),
            *("version__major", "version__minor", "version__registration__identifier"),
        )
    )
    approved = [
        Marked(
            kind="approved",
            title=f"Version {entry.version.number} changed {_listed(entry.parameters)} after the first submission",
            text=" ".join(filter(None, [entry.reason, entry.knowledge])),
            since=entry.decided_at,
            parameters=tuple(entry.parameters),
            registered_digest=entry.registered_digest,
            executed_digest=entry.executed_digest,
            address=reverse("registry:version", args=[entry.version.registration.identifier, entry.version.number]),
            compared=entry.changes_the_ranking or CORRECTION in entry.parameters,
        )
        for entry in stored
    ]
    return [*approved, *_by_digest(phase, registered, executed), *_by_schedule(phase)]


def _by_digest(phase: Phase, registered: list[PhaseAssessment], executed: str | None) -> list[Marked]:
    """Compare the digest that was executed with those that are registered."""
    digest = executed or phase.assessment.digest
    if not registered or registered[-1].digest == digest:
        return []
    earlier = next((entry for entry in registered if entry.digest == digest), None)
    wanted = registered[-1]
    if earlier is not None:
        return [
            Marked(
                kind="superseded",
                title=f"This ranking was computed by version {earlier.version.number} of the registration",
                text=f"Version {wanted.version.number} replaced it.",
                since=wanted.since,
                registered_digest=wanted.digest,
                executed_digest=digest,
            )
        ]
    return [
        Marked(
            kind="unregistered",
            title="This ranking was not computed by the registered assessment",
            text="No version of the registration holds the assessment that was executed.",
            registered_digest=wanted.digest,
            executed_digest=digest,
        )
    ]


def _by_schedule(phase: Phase) -> list[Marked]:
    if phase.closed_at is None or phase.closed_at >= phase.closes_at:
        return []
    removed = phase.task.removed_at is not None
    return [
        Marked(
            kind="schedule",
            title="A change of the registration removed this task"
            if removed
            else "The phase was closed before its registered deadline",
            text=f"It closed on {phase.closed_at:%-d %B %Y, %H:%M} UTC; registered was {phase.closes_at:%-d %B %Y, %H:%M} UTC.",
            since=phase.closed_at,
        )
    ]


def _listed(parameters: list[str]) -> str:
    return joined([f"“{name}”" for name in parameters])
