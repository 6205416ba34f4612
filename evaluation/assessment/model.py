"""The assessment as values: frozen, complete, every default decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation import catalogue
from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Mapping


PolicyValue = float | Literal["exclude", "worst", "perfect", "image_diagonal", "worst_rank"]
BY_SCORER: Final = "scorer"
"""Of a metric that a scoring image of the organizers computes (`evaluation.assessment.scorers`)."""
BY_RUN: Final = "run"
"""Of a metric that is measured while an algorithm runs (`evaluation.assessment.costs`)."""
POLICY_OUTCOMES = ("both_empty", "ref_empty", "pred_empty", "degenerate", "missing")


@dataclass(frozen=True, slots=True)
class Region:
    """A named union of label values, or a named class."""

    name: str
    labels: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """Policy for each outcome without a value.

    ``None`` means that ranking stops when the outcome occurs.
    """

    both_empty: PolicyValue | None
    ref_empty: PolicyValue | None
    pred_empty: PolicyValue | None
    degenerate: PolicyValue | None
    missing: PolicyValue | None
    allow_gaming: bool = False

    def get(self, outcome: str) -> PolicyValue | None:
        """Return the policy for an outcome."""
        value: PolicyValue | None = getattr(self, outcome)
        return value

    @property
    def document(self) -> dict[str, Any]:
        """Policy in the form of an assessment document."""
        values: dict[str, Any] = {outcome: self.get(outcome) for outcome in POLICY_OUTCOMES}
        if self.allow_gaming:
            values["allow_gaming"] = True
        return values


@dataclass(frozen=True, slots=True)
class MetricUse:
    """A metric as one assessment uses it.

    Attributes
    ----------
    name
        How tables and rankings call it; the id unless the document names it.
    worst, best
        The bounds of its range in its own direction, ``None`` where it has none.
    level
        ``case`` or ``dataset``.
    """

    id: str
    name: str
    options: Mapping[str, Any]
    policy: Policy
    direction: Literal["higher", "lower"]
    worst: float | None
    best: float | None
    level: str
    unit: str | None = None

    @property
    def higher_is_better(self) -> bool:
        """True if a greater value is better."""
        return self.direction == "higher"

    def unit_in(self, length_unit: str) -> str:
        """Return the unit of the values in images of which `length_unit` is the unit of distances; empty without one.

        Distances are declared in mm. Images without a spacing have distances in pixels or voxels.
        """
        return length_unit if self.unit == "mm" else self.unit or ""

    @property
    def is_by_scorer(self) -> bool:
        """True if a scoring image of the organizers computes it, and nothing here."""
        return self.options.get("by") == BY_SCORER

    @property
    def is_by_run(self) -> bool:
        """True if it is a cost of running an algorithm, with one value per case over all regions."""
        return self.options.get("by") == BY_RUN

    @property
    def told_options(self) -> dict[str, Any]:
        """Options shown to readers.

        The source of the values is excluded, and also a step of zero.
        """
        is_external = self.is_by_scorer or self.is_by_run
        unsaid = {"by", "id"} if is_external else set()
        if self.is_by_run and not self.options["step"]:
            unsaid.add("step")
        return {key: value for key, value in self.options.items() if key not in unsaid}

    @property
    def title(self) -> str:
        """Title in tables: its name in the assessment, or its usual name in the field.

        Examples
        --------
        >>> from evaluation.assessment import parse
        >>> use = parse({"schema": 1, "problem": "semantic_segmentation", "regions": [{"name": "all", "labels": [1]}],
        ...              "metrics": [{"id": "hausdorff_percentile", "options": {"percentile": 90}}]}).metrics[0]
        >>> use.title
        'HD90'
        """
        if self.name != self.id or self.id == "value":
            # Names that organizers gave may be written as programs write them.
            return catalogue.readable(self.name)
        return catalogue.get(self.id).short_name(self.options)


@dataclass(frozen=True, slots=True)
class Operator:
    """Aggregation of many values into one: ``mean``, ``median``, ``min``, ``max`` or ``percentile``."""

    kind: str
    percentile: float | None = None
    counted_from: Literal["worse", "low"] = "worse"

    @property
    def document(self) -> Any:
        """Operator in the form of an assessment document."""
        if self.kind != "percentile":
            return self.kind
        return {"percentile": self.percentile, "from": self.counted_from}

    def quantile(self, *, higher_is_better: bool) -> float | None:
        """Return the position of the order statistic in [0, 1], counted from the low end.

        The position is ``None`` for the mean.

        Examples
        --------
        >>> Operator("percentile", 5.0).quantile(higher_is_better=False)
        0.95
        """
        fixed = {"min": 0.0, "median": 0.5, "max": 1.0}
        if self.kind in fixed:
            return fixed[self.kind]
        if self.percentile is None:
            return None
        mirrored = self.counted_from == "worse" and not higher_is_better
        return (100.0 - self.percentile) / 100.0 if mirrored else self.percentile / 100.0


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Aggregation of values of cases to values of units, with levels from the inside out.

    Attributes
    ----------
    fixed
        Levels whose members are all there are: strata within which units are resampled.
    undeclared
        Levels that may be either complete or a sample, since the document does not state it.
    declared
        The role of each level that the document gives one, ``random`` or ``fixed``.
    """

    levels: tuple[str, ...] = ("case",)
    operator: Operator = Operator("mean")
    fixed: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    declared: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def random(self) -> tuple[str, ...]:
        """Levels above the case whose members are a sample, from the inside out."""
        return tuple(level for level in self.levels[1:] if level not in self.fixed + self.undeclared)

    @property
    def unit(self) -> str:
        """Unit that is finally counted: the outermost level."""
        return self.levels[-1]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of combining rankings: over which dimensions, how, and what becomes of ties."""

    over: tuple[str, ...]
    operator: Operator
    rerank: bool
    ties: str
    fractional: bool
    weights: Mapping[str, Mapping[str, float] | Literal["cases", "sqrt_cases"]] | None = None


@dataclass(frozen=True, slots=True)
class RankingScheme:
    """Method that turns values into one ranking per metric, region and task, and combines these rankings.

    Attributes
    ----------
    scheme
        Id of a scheme of `evaluation.ranking.schemes`.
    alpha, adjust
        Level and adjustment of tests.
    options
        Further options that are specific to the scheme.
    role
        ``primary``, ``secondary`` or ``exploratory``; ``None`` if no role is registered. Primary rankings share the error,
        and so do secondary ones. An exploratory ranking makes no statement of significance.
    """

    name: str | None
    scheme: str
    operator: Operator
    ties: str
    missing_rank: str
    alpha: float
    adjust: str
    metrics: tuple[str, ...] | None
    regions: tuple[str, ...] | None
    combine: tuple[Step, ...] | None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Resampling settings, confidence levels and relevant differences.

    Attributes
    ----------
    interval
        Share of challenges in which all statements about order are true together, and of the resamples that a
        resampling range covers.
    strata
        Columns within which units are resampled: those that the document names or implies, and all fixed levels.
    named_strata
        Those of `strata` that the document names.
    group
        Read from old documents, without effect.
    winner_alpha
        A smaller limit on the probability of naming a wrong winner than ``1 - interval``.
    margin
        For each metric by name, the difference that matters, in its unit.
    unseen_failures
        ``jeffreys`` if the rank sets must account for failures that did not occur in the data.
    independent_of
        Columns of the case metadata that look like clusters, such as ``site``, and are declared not to be.
    """

    bootstrap: int
    seed: int
    interval: float
    resample: tuple[str, ...]
    strata: tuple[str, ...]
    group: str
    named_strata: tuple[str, ...] = ()
    winner_alpha: float | None = None
    margin: Mapping[str, float] = field(default_factory=dict, hash=False)
    unseen_failures: str = "none"
    independent_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Cases that no ranking counts, for any algorithm.

    Attributes
    ----------
    cases
        Reason (a key of `evaluation.assessment.exclusions.REASONS`) by name of the case.
    grade_column
        Column of the case metadata with the quality grade; empty where none is registered.
    grades
        Grades whose cases are excluded.
    """

    cases: Mapping[str, str]
    grade_column: str = ""
    grades: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cases or self.grade_column)

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.cases.items())), self.grade_column, self.grades))

    @property
    def document(self) -> dict[str, Any]:
        """Exclusions in the form of an assessment document, with cases in ascending order."""
        content: dict[str, Any] = {
            "cases": [{"case": case, "reason": reason} for case, reason in sorted(self.cases.items())]
        }
        if self.grade_column:
            content["quality"] = {"column": self.grade_column, "excluded": list(self.grades)}
        return content


NOTHING: Final = Exclusions({})


@dataclass(frozen=True)
class Assessment:
    """A checked assessment.

    Attributes
    ----------
    settings
        Of the kind of problem, with their defaults; empty for kinds without any.
    exclusions
        Cases that no ranking counts.
    columns
        Declared kinds of columns of the case metadata (`evaluation.assessment.columns`).
    interaction_weights
        By level of interaction, how much of its distance from the worst value a value keeps; empty where levels weigh alike.
    scorer
        The scoring image that computes some of the metrics, and its limits; empty where none does.
    document
        The same as JSON values, every default written out; parsing it gives an equal assessment.
    digest
        SHA-256 of the canonical form of `document`.
    """

    schema: int
    problem: str
    regions: tuple[Region, ...]
    metrics: tuple[MetricUse, ...]
    aggregation: Aggregation
    rankings: tuple[RankingScheme, ...]
    uncertainty: Uncertainty
    document: Mapping[str, Any] = field(compare=False)
    settings: Mapping[str, Any] = field(default_factory=dict)
    exclusions: Exclusions = NOTHING
    columns: Mapping[str, str] = field(default_factory=dict)
    interaction_weights: Mapping[str, float] = field(default_factory=dict)
    scorer: Mapping[str, Any] = field(default_factory=dict)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", sha256(self.document))

    @property
    def is_pooled(self) -> bool:
        """True if some metric has one value for the whole data set, in which case a result needs evidence."""
        return any(metric.level == "dataset" for metric in self.metrics)

    @property
    def computed(self) -> tuple[MetricUse, ...]:
        """The metrics that are computed here from references and predictions."""
        return tuple(metric for metric in self.metrics if not metric.is_by_scorer and not metric.is_by_run)

    @property
    def by_scorer(self) -> tuple[MetricUse, ...]:
        """The metrics that a scoring image computes."""
        return tuple(metric for metric in self.metrics if metric.is_by_scorer)

    @property
    def by_run(self) -> tuple[MetricUse, ...]:
        """The metrics that are measured while an algorithm runs."""
        return tuple(metric for metric in self.metrics if metric.is_by_run)

    def metric(self, name: str) -> MetricUse:
        """Return the metric of that name.

        Raises
        ------
        KeyError
            If the assessment has none.
        """
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(name)
