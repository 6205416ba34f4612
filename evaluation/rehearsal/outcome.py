"""Outcome of a rehearsal as plain values, and as a JSON document that a platform stores and shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

from evaluation.wording import counted

SCHEMA: Final = 1


@dataclass(frozen=True)
class Obstacle:
    """Reason why a rehearsal failed, and what to change.

    Attributes
    ----------
    step
        Step that failed: ``compile``, ``seal``, ``submit``, ``score``, ``compare``, ``rank`` or ``launch``.
    parameter
        Parameter of the design to change.
    file, case, metric
        Location; empty where it does not apply.
    """

    step: str
    message: str
    parameter: str = ""
    file: str = ""
    case: str = ""
    metric: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        parts = [self.file, f"case {self.case}" if self.case else "", self.metric]
        where = ", ".join(part for part in parts if part)
        return f"{f'{where}: ' if where else ''}{self.message} {self.remedy}".strip()


@dataclass(frozen=True)
class SampleValue:
    """Value of a metric for one sample submission, with the outcomes of its cases.

    Attributes
    ----------
    value
        Aggregated with the registered rules for missing cases; ``None`` without any value.
    outcomes
        Number of cases per outcome.
    """

    metric: str
    region: str
    value: float | None
    outcomes: dict[str, int] = field(default_factory=dict)


@dataclass
class SampleSubmission:
    """One sample submission.

    Attributes
    ----------
    findings
        Messages of the validation as the team would read them.
    """

    name: str
    description: str
    accepted: bool = False
    findings: list[str] = field(default_factory=list)
    values: list[SampleValue] = field(default_factory=list)


@dataclass(frozen=True)
class Standing:
    """Line of a sample board."""

    ranking: str
    name: str
    rank: float | None
    rank_interval: tuple[float, float] | None
    score: float | None


@dataclass(frozen=True)
class Comparison:
    """Comparison of scored values with direct calls of the metrics.

    Attributes
    ----------
    values
        Number of compared values; all of them are equal unless an `Obstacle` names one.
    not_compared
        Number of values without a direct computation, by reason.
    """

    values: int = 0
    not_compared: dict[str, int] = field(default_factory=dict)


@dataclass
class TaskRehearsal:
    """Rehearsal of one task.

    Attributes
    ----------
    rules
        Sentences on how the winner is determined.
    submit_page
        Paragraphs of the submit page about the files.
    example
        First lines of a sample submission, or the names of its files.
    cases
        Number of sample cases.
    is_skipped
        True if the platform does not execute the task; `notes` state the reason.
    """

    key: str
    name: str
    problem: str = ""
    rules: list[str] = field(default_factory=list)
    submit_page: list[str] = field(default_factory=list)
    example: list[str] = field(default_factory=list)
    cases: int = 0
    submissions: list[SampleSubmission] = field(default_factory=list)
    board: list[Standing] = field(default_factory=list)
    comparison: Comparison = Comparison()
    obstacles: list[Obstacle] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_skipped: bool = False

    @property
    def is_passed(self) -> bool:
        """True if nothing prevented participation."""
        return not self.obstacles

    @property
    def document(self) -> dict[str, Any]:
        """The rehearsal of the task as JSON values."""
        return asdict(self) | {"is_passed": self.is_passed, "summary": self.summary}

    @property
    def summary(self) -> str:
        """Result of the checks in one line."""
        if self.is_skipped:
            return "Not rehearsed."
        if self.obstacles:
            return f"{counted(len(self.obstacles), 'problem')} found."
        scored = counted(sum(submission.accepted for submission in self.submissions), "sample submission")
        if not self.comparison.values:
            return f"{scored} scored."
        compared = counted(self.comparison.values, "value")
        verb = "equals" if self.comparison.values == 1 else "equal"
        return f"{scored} scored. {compared} {verb} a direct computation."


@dataclass
class Rehearsal:
    """Rehearsal of a whole design.

    Attributes
    ----------
    obstacles
        Reasons that concern the whole design, such as a challenge that cannot be launched.
    """

    tasks: list[TaskRehearsal] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)

    @property
    def is_passed(self) -> bool:
        """True if every executed task passed."""
        return not self.obstacles and all(task.is_passed for task in self.tasks)

    @property
    def is_executed(self) -> bool:
        """True if the platform executes at least one task."""
        return any(not task.is_skipped for task in self.tasks)

    @property
    def document(self) -> dict[str, Any]:
        """The rehearsal as JSON values."""
        return {
            "schema": SCHEMA,
            "is_passed": self.is_passed,
            "is_executed": self.is_executed,
            "obstacles": [asdict(obstacle) for obstacle in self.obstacles],
            "tasks": [task.document for task in self.tasks],
        }
