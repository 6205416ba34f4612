"""Open points of a stored design, and its eligibility for submission.

The checks of `evaluation.designs` also use the answers that are stored separately from the document.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from designs.models import CheckAnswer, Design, TaskAnswers
from designs.queries.texts import catalogue
from evaluation.designs.checks import compiling, running
from evaluation.designs.checks.compiling import ELSEWHERE
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import GATE, Completeness, completeness
from evaluation.designs.document import Document
from evaluation.designs.exports.outline import outline as plain_outline
from evaluation.documents import Block


@dataclass(frozen=True)
class Stored:
    """`evaluation.designs.checks.StoredDesign` that reads the database only on request."""

    design: Design

    def check_answers(self) -> dict[tuple[str | None, str], CheckAnswer]:
        """Answers to warnings, by task and id of the check."""
        answers = CheckAnswer.objects.filter(design=self.design).select_related("task", "author")
        return {(answer.task.key if answer.task else None, answer.check_id): answer for answer in answers}

    def problem_answers(self) -> dict[str, TaskAnswers]:
        """Return the answers about the problem, by task."""
        answers = TaskAnswers.objects.filter(task__design=self.design, task__removed_at=None).select_related("task")
        return {answer.task.key: answer for answer in answers}


def findings(document: Document, *, design: Design | None = None, **options: Any) -> list[Finding]:
    """Checks of the catalogue, with the answers of `design`; options as for `evaluation.designs.checks.findings`."""
    return running.findings(document, stored=Stored(design) if design is not None else None, **options)


def all_findings(document: Document, *, design: Design | None = None, **options: Any) -> list[Finding]:
    """Checks, compilation and advice together; options as for `evaluation.designs.checks.compiling.all_findings`."""
    return compiling.all_findings(document, stored=Stored(design) if design is not None else None, **options)


def outline(
    document: Document,
    *,
    title: str,
    digest: str = "",
    design: Design | None = None,
    public: bool = False,
    without: Collection[str] = (),
    open_points: list[Finding] | None = None,
    before: Document | None = None,
) -> Iterator[Block]:
    """Blocks of a design with the texts of this installation; as `evaluation.designs.exports.outline`.

    Parameters
    ----------
    design
        The stored design, for its departures and the answers to its warnings.
    """
    return plain_outline(
        document,
        title=title,
        digest=digest,
        answers=Stored(design).problem_answers() if design is not None else None,
        catalogue=catalogue(),
        public=public,
        without=without,
        open_points=all_findings(document, design=design) if open_points is None else open_points,
        before=before,
    )


@dataclass(frozen=True)
class Gate:
    """Obstacles to submission: too few fields are filled, or there are errors.

    `elsewhere` lists the parts that are registered here and evaluated elsewhere.
    They are an obstacle only if a call accepts only designs that the platform executes.
    """

    share: float
    completeness: Completeness
    errors: tuple[Finding, ...]
    elsewhere: tuple[Finding, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if the design can be submitted."""
        return self.completeness.passes(self.share) and not self.errors


def gate_of(document: Document, *, design: Design | None = None, share: float = GATE) -> Gate:
    """Measure a design against the share of essential parameters that a call asks for (REV-2)."""
    gate_findings = all_findings(document, design=design, phase="submission")
    return Gate(
        share,
        completeness(document),
        tuple(finding for finding in gate_findings if finding.blocks),
        tuple(finding for finding in gate_findings if finding.check.id.startswith(f"{ELSEWHERE}.")),
    )
