"""Completeness of a design compared with usual values (REP-1 to REP-5).

A share shows that fields are filled, not that their content is good: a complete design can be bad.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any, Final

from evaluation.designs.catalogue import Catalogue, IndexEntry, Parameter, shipped
from evaluation.designs.checks.language import holds
from evaluation.designs.document import Document, Entry, State, Values

# Entries 51 to 53 of the list are outcomes and cannot be filled before the challenge.
DESIGN_ENTRIES: Final = 50
GATE: Final = 0.9
# Below this share of historic tasks a parameter is called historically left out (REP-4).
RARELY_REPORTED: Final = 20
# Fewer other designs are not summed up: the numbers would be those of single organizers.
FEWEST_DRAFTS: Final = 5


@dataclass(frozen=True)
class Share:
    """Number of filled entries out of a total."""

    filled: int
    total: int

    @property
    def value(self) -> float:
        """The share from 0 to 1; nothing to fill is full."""
        return self.filled / self.total if self.total else 1.0

    @property
    def percent(self) -> int:
        """The share in percent, rounded down: 99.6 % is not all."""
        return int(100 * self.value)


@dataclass(frozen=True)
class TaskCompleteness:
    """Shares of one task."""

    task: str | None
    name: str
    design: Share
    starred: Share
    sections: Mapping[str, Share]
    gate: Share
    open_entries: tuple[IndexEntry, ...]
    open_essential: tuple[Parameter, ...]


@dataclass(frozen=True)
class Completeness:
    """Shares of a design: each task, and the challenge as its lowest and mean task."""

    tasks: tuple[TaskCompleteness, ...]

    @property
    def lowest(self) -> TaskCompleteness:
        """The task with the lowest share of the published list."""
        return min(self.tasks, key=lambda task: task.design.value)

    @property
    def mean(self) -> float:
        """Mean share over the tasks."""
        return sum(task.design.value for task in self.tasks) / len(self.tasks)

    @property
    def gate(self) -> Share:
        """The lowest share of essential parameters, which decides about submission."""
        return min((task.gate for task in self.tasks), key=lambda share: share.value)

    def section(self, key: str) -> Share:
        """One section over all tasks."""
        shares = [task.sections[key] for task in self.tasks]
        return Share(sum(share.filled for share in shares), sum(share.total for share in shares))

    def passes(self, share: float = GATE) -> bool:
        """Return whether the design meets a call that requires `share` of the essential parameters."""
        return self.gate.value >= share


@dataclass(frozen=True)
class Drafts:
    """Shares of other designs of this installation in percent: how many, range, quartiles and median (REP-3)."""

    number: int
    low: float
    first: float
    median: float
    third: float
    high: float

    @classmethod
    def of(cls, shares: Sequence[float]) -> "Drafts | None":
        """Sum up; ``None`` when there are too few.

        Examples
        --------
        >>> Drafts.of([50, 60, 70, 80, 90])
        Drafts(number=5, low=50, first=60.0, median=70.0, third=80.0, high=90)
        >>> Drafts.of([50, 60]) is None
        True
        """
        if len(shares) < FEWEST_DRAFTS:
            return None
        first, median, third = quantiles(shares, n=4, method="inclusive")
        return cls(len(shares), min(shares), first, median, third, max(shares))

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        parts = ("number", "low", "first", "median", "third", "high")
        return {name: getattr(self, name) for name in parts}


def history() -> dict[str, float]:
    """Shares of published challenges in percent: range, quartiles and median."""
    baseline = shipped().baseline
    first, third = baseline["iqr"]["thesis"]
    parts = (baseline["min"], first, baseline["median_percent_of_53"]["thesis"], third, baseline["max_paper"])
    return dict(zip(("low", "first", "median", "third", "high"), parts, strict=True))


def completeness(document: Document) -> Completeness:
    """Measure a design; one without tasks is measured as a whole."""
    views = list(document.each_task()) or [document.values()]
    return Completeness(tuple(_task(values, shipped()) for values in views))


def applies(parameter: Parameter, values: Values) -> bool:
    """Return whether the parameter can be answered in this design: its condition is met, or it has none."""
    condition = parameter.applies_when or parameter.required_when
    return condition is None or holds(condition, values)


def is_required(parameter: Parameter, values: Values) -> bool:
    """Return whether this design needs an answer to the parameter."""
    return parameter.required and (parameter.required_when is None or holds(parameter.required_when, values))


def reported(entry: IndexEntry, values: Values) -> bool:
    """Return whether an entry of the published list is reported: at least one of its parameters is filled."""
    return any(values.entry(parameter).is_filled for parameter in entry.parameters)


def description_share(entries: Mapping[str, Entry]) -> Share:
    """Return the share of required parameters of an algorithm description that are filled (REP-5)."""
    required = [parameter for parameter in shipped().algorithm_parameters.values() if parameter.required]
    filled = sum(parameter.id in entries and entries[parameter.id].is_filled for parameter in required)
    return Share(filled, len(required))


def _task(values: Values, catalogue: Catalogue) -> TaskCompleteness:
    listed = [entry for entry in catalogue.index_53 if int(entry.number) <= DESIGN_ENTRIES]
    is_reported = {entry.number: reported(entry, values) for entry in listed}
    starred = [entry for entry in listed if entry.starred]
    asked = {
        section.key: [parameter for parameter in catalogue.in_section(section.key) if is_required(parameter, values)]
        for section in catalogue.sections
    }
    essential = [
        parameter for parameter in catalogue.parameters.values() if parameter.essential and applies(parameter, values)
    ]
    still_open = tuple(parameter for parameter in essential if not _submitted(values.entry(parameter.id)))
    return TaskCompleteness(
        task=values.task_key,
        name=values.name,
        design=Share(sum(is_reported.values()), len(listed)),
        starred=Share(sum(is_reported[entry.number] for entry in starred), len(starred)),
        sections={
            key: Share(sum(_submitted(values.entry(parameter.id)) for parameter in parameters), len(parameters))
            for key, parameters in asked.items()
        },
        gate=Share(len(essential) - len(still_open), len(essential)),
        open_entries=tuple(entry for entry in listed if not is_reported[entry.number]),
        open_essential=still_open,
    )


def _submitted(entry: Entry) -> bool:
    """Return whether an entry counts for the submission to review.

    An entry that follows by a date counts here; it will not count at registration.
    """
    return entry.is_filled or entry.state is State.FOLLOWS
