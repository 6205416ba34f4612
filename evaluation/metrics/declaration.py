"""Declaration of a metric with `declare` above its function, next to its formula.

Pages, checks and scorers know only the declaration of a metric. It contains name, direction, range, options, input of
the function, evidence of its value on a whole data set, and the treatment of undefined outcomes.
`evaluation.catalogue` lists the metrics. Packages declare their metrics with their own `Metric` under the entry point
group ``podium.metrics``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

from evaluation.metrics.options import Option, OptionError

IMAGES: Final = ("ImLC",)
PIXELS: Final = ("SemS",)
OBJECTS: Final = ("ObD", "InS")
INSTANCES: Final = ("InS",)
MASKS: Final = ("SemS", "InS")
TARGETS: Final = ("Reg",)
CONFIDENCES: Final = ("FaD",)
TIMES: Final = ("Sur",)
LABELS: Final = ("MLC",)
LANDMARKS: Final = ("Lmk",)
REGISTRATION: Final = ("Rgn",)
IMAGE_PAIRS: Final = ("I2I",)

# Without an object in the reference there is nothing to find, whatever was predicted: PPV and DQ punish that.
NOTHING_TO_FIND: Final[Mapping[str, float | str]] = MappingProxyType({"both_empty": "exclude", "ref_empty": "exclude"})

FAMILIES: Final[tuple[tuple[str, ...], ...]] = (
    ("per_class_counting",),
    ("multi_class_counting",),
    ("multi_threshold",),
    ("working_point",),
    ("overlap", "boundary"),
    ("localization_criterion",),
    ("calibration",),
    ("failure_detection",),
    ("regression",),
    ("survival",),
    ("multi_label",),
    ("landmarks",),
    ("registration",),
    ("image_similarity",),
)
"""The families in the order in which they are listed; those of one entry are listed as one."""

_ORDER: Final = (
    "evaluation.metrics.classification",
    "evaluation.metrics.composite_rates",
    "evaluation.metrics.multi_class",
    "evaluation.metrics.weighted_classes",
    "evaluation.metrics.thresholds",
    "evaluation.metrics.working_points",
    "evaluation.metrics.overlap",
    "evaluation.metrics.volumes",
    "evaluation.metrics.boundary",
    "evaluation.metrics.lesions",
    "evaluation.metrics.pooled_overlap",
    "evaluation.metrics.topology",
    "evaluation.metrics.places_and_diameters",
    "evaluation.metrics.detection",
    "evaluation.metrics.instance",
    "evaluation.matching.criterion_tables",
    "evaluation.metrics.proper_scores",
    "evaluation.metrics.calibration",
    "evaluation.metrics.failure_detection",
    "evaluation.metrics.regression",
    "evaluation.metrics.survival",
    "evaluation.metrics.multi_label",
    "evaluation.metrics.landmarks",
    "evaluation.metrics.registration",
    "evaluation.metrics.image_similarity",
)
"""Order in which lists show the metrics of a family; modules that are missing here follow by name."""

Direction = Literal["higher", "lower"]
Evidence = Literal[
    "one_class",
    "all_classes",
    "calibration",
    "counts",
    "curve",
    "panoptic",
    "paired",
    "confidences",
    "survival",
    "labels",
    "landmarks",
    "overlap",
]
"""Data from which the value on a whole data set is recomputed, for any choice of cases.

``one_class``, ``all_classes`` and ``calibration``: decisions and scores of each case
(`evaluation.metrics.evaluators`, `evaluation.metrics.calibration_scores`); ``counts`` and ``curve``: detections in
each image, at one threshold or at all (`evaluation.metrics.detection_values`); ``panoptic``: counts and summed IoU of
each image. ``paired``: the two numbers of each case (`evaluation.metrics.paired_values`); ``confidences``: its risk
and confidence (`evaluation.metrics.confidence_values`); ``survival``: times and predictions
(`evaluation.metrics.survival_values`); ``labels``: its decisions on all labels; ``landmarks``: found and known
landmarks of each case; ``overlap``: voxels of each case in both masks and in either
(`evaluation.metrics.pooled_overlap`).
"""


class CatalogueError(LookupError):
    """An id that no metric has, or that two metrics claim, or a metric without a function."""


@dataclass(frozen=True)
class Metric:
    """One metric: all information for pages, checks and scorers.

    Attributes
    ----------
    id, name, abbreviation
        The id is the name of the function; ``abbreviation`` may be a pattern in ``label``.
    categories
        Categories of the problems that it is offered for, such as ``ImLC`` or ``SemS``:
        `evaluation.problems.Problem.category`.
    direction
        ``higher`` or ``lower``, whichever is better.
    range
        ``(low, high)``, with ``None`` for unbounded.
    family
        One of `FAMILIES`.
    options
        Its hyperparameters; those with ``sets_policy`` describe defaults of the outcome policy only.
    function
        The function, or its path as ``package.module:name``, imported when first needed.
    needs
        Parts of a case that the function takes: any of ``masks``, ``spacing``, ``labels``, ``scores``, ``objects``,
        ``instances``, ``images``, ``numbers``, ``confidences``, ``times``, ``landmarks``, ``field``, ``intensities``,
        ``data_range``, ``windows`` (of voxels around each), ``all_landmarks`` (also those of other regions).
    optional
        Parts of ``needs`` that are not required for its computation.
    unit
        ``mm`` for distances, else ``None``.
    functions_by_problem
        Other functions, or their paths, for problems in which the metric counts other things (pixels, objects).
    source
        Origin: ``podium``, or the name of a package.
    evidence
        Data from which its value on a whole data set is computed; ``None`` if it has a value for each case only, or
        its function is called with the cases of each resample.
    evidence_of_objects
        ``evidence`` for problems with objects, if it differs.
    whole_data_set
        One value for all cases together in every problem, regardless of its family.
    all_classes
        Takes the objects of all classes at once.
    policy
        Outcomes whose default differs from that of all metrics (see `evaluation.problems.offered_metrics.default_policy`).
    worst_by_case
        Rows of results contain the worst value that a case can reasonably have, if the range has no worst end.
    worst_of
        Function that returns the worst value for a mask of the reference, for metrics of masks with a worst value per
        case.
    label
        Name with its options, a format string, such as ``HD{percentile:g}``; the abbreviation if empty.
    """

    id: str
    name: str
    abbreviation: str
    categories: tuple[str, ...]
    direction: str
    range: tuple[float | None, float | None]
    family: str
    options: tuple[Option, ...] = ()
    function: str | Callable[..., Any] | None = None
    needs: frozenset[str] = field(default_factory=frozenset)
    unit: str | None = None
    functions_by_problem: Mapping[str, str | Callable[..., Any]] = field(default_factory=dict)
    source: str = "podium"
    optional: frozenset[str] = field(default_factory=frozenset)
    evidence: Evidence | None = None
    evidence_of_objects: Evidence | None = None
    whole_data_set: bool = False
    all_classes: bool = False
    policy: Mapping[str, float | str] = field(default_factory=dict)
    label: str = ""
    worst_by_case: bool = False
    worst_of: Callable[..., float] | None = None

    def __post_init__(self) -> None:
        if self.direction not in ("higher", "lower"):
            message = f"metric {self.id}: direction is 'higher' or 'lower', not {self.direction!r}"
            raise ValueError(message)
        if not self.optional <= self.needs:
            message = (
                f"metric {self.id}: optional is none of its needs: {', '.join(sorted(self.optional - self.needs))}"
            )
            raise ValueError(message)

    @property
    def is_criterion(self) -> bool:
        """True if it decides hits of objects; it is then an option of other metrics and not a metric."""
        return self.family == "localization_criterion"

    @property
    def higher_is_better(self) -> bool:
        """True if a greater value is better."""
        return self.direction == "higher"

    @property
    def best(self) -> float | None:
        """The best possible value, ``None`` if there is no bound."""
        return self.range[1] if self.higher_is_better else self.range[0]

    @property
    def worst(self) -> float | None:
        """The worst possible value, ``None`` if there is no bound (a distance then takes the image diagonal)."""
        return self.range[0] if self.higher_is_better else self.range[1]

    @property
    def assessment_options(self) -> tuple[Option, ...]:
        """The options that an assessment may set."""
        return tuple(option for option in self.options if not option.sets_policy)

    def requires(self, what: str) -> bool:
        """Return whether it cannot be computed without this part of a case, such as ``scores``.

        Examples
        --------
        >>> from evaluation.catalogue import get
        >>> get("auroc").requires("scores"), get("net_benefit").requires("scores"), get("dsc").requires("scores")
        (True, False, False)
        """
        return what in self.needs - self.optional

    def short_name(self, options: Mapping[str, Any]) -> str:
        """Return the abbreviation for a column heading, with the options that belong to the name.

        Examples
        --------
        >>> from evaluation.catalogue import get
        >>> get("hausdorff_percentile").short_name({"percentile": 90.0}), get("dsc").short_name({})
        ('HD90', 'DSC')
        """
        return self.label.format_map(options) if self.label else self.abbreviation

    def check_options(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Complete and check the options of one use of this metric.

        Parameters
        ----------
        given
            Options as they appear in an assessment document.

        Returns
        -------
        dict
            Every option that an assessment may set, in the catalogue's order. Defaults are written out, except for
            options that appear only if they are set.

        Raises
        ------
        OptionError
            For an unknown name, a value outside the limits, or a missing option that has no safe default.

        Examples
        --------
        >>> from evaluation.catalogue import get
        >>> get("hausdorff_percentile").check_options({"percentile": 90})["percentile"]
        90.0
        """
        options = {option.name: option for option in self.assessment_options}
        for name, value in given.items():
            if name not in options:
                names = ", ".join(options) or "no option"
                raise OptionError(name, value, f"{names} for {self.id}")
        checked = {
            name: check_option(option, given[name]) if name in given else option.default_document
            for name, option in options.items()
        }
        _check_together(given, checked, options)
        return {
            name: value
            for name, value in checked.items()
            if not options[name].stands_where_set or value != options[name].default
        }

    def unconfirmed(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Names of options that organizers have to confirm but left to their defaults."""
        return tuple(option.name for option in self.assessment_options if option.required and option.name not in given)

    @property
    def compute(self) -> Callable[..., Any]:
        """The function itself.

        Raises
        ------
        CatalogueError
            If the metric is described but has no function.
        """
        if self.function is None:
            message = f"metric {self.id} has no function"
            raise CatalogueError(message)
        return _resolved(self.function)

    def function_as(self, problem: str) -> Callable[..., Any]:
        """Return the function that computes it as in a kind of problem, which may count pixels or objects."""
        function = self.functions_by_problem.get(problem)
        return self.compute if function is None else _resolved(function)

    def as_document(self) -> dict[str, Any]:
        """The entry as ``python -m evaluation metrics --json`` prints it, ready for JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "abbreviation": self.abbreviation,
            "categories": list(self.categories),
            "direction": self.direction,
            "range": list(self.range),
            "family": self.family,
            "hyperparameters": [option.as_document() for option in self.options],
        }


_DECLARED: Final[dict[str, list[Metric]]] = {}
_OTHER_FUNCTIONS: Final[dict[str, dict[str, Callable[..., Any]]]] = {}
_Function = TypeVar("_Function", bound=Callable[..., Any])


def declare(
    name: str,
    abbreviation: str,
    *,
    categories: tuple[str, ...],
    direction: Direction,
    range: tuple[float | None, float | None],  # noqa: A002  (the field's word)
    family: str,
    needs: str,
    options: tuple[Option, ...] = (),
    optional: str = "",
    unit: str | None = None,
    evidence: Evidence | None = None,
    evidence_of_objects: Evidence | None = None,
    whole_data_set: bool = False,
    all_classes: bool = False,
    policy: Mapping[str, float | str] = MappingProxyType({}),
    label: str = "",
    worst_by_case: bool = False,
    worst_of: Callable[..., float] | None = None,
) -> Callable[[_Function], _Function]:
    """Declare the decorated function as a metric; its id is the function's name.

    The function is not changed. Arguments are the attributes of `Metric`; ``needs`` and ``optional`` are
    space-separated texts.
    """

    def remember(function: _Function) -> _Function:
        metric = Metric(
            function.__name__,
            name,
            abbreviation,
            categories,
            direction,
            range,
            family,
            options,
            function,
            frozenset(needs.split()),
            unit,
            optional=frozenset(optional.split()),
            evidence=evidence,
            evidence_of_objects=evidence_of_objects,
            whole_data_set=whole_data_set,
            all_classes=all_classes,
            policy=policy,
            label=label,
            worst_by_case=worst_by_case,
            worst_of=worst_of,
            functions_by_problem=_OTHER_FUNCTIONS.setdefault(function.__name__, {}),
        )
        _DECLARED.setdefault(function.__module__, []).append(metric)
        return function

    return remember


def computes(*problems: str) -> Callable[[_Function], _Function]:
    """Let the function below compute the metric of its name in these kinds of problem, in place of the declared one."""

    def remember(function: _Function) -> _Function:
        _OTHER_FUNCTIONS.setdefault(function.__name__, {}).update(dict.fromkeys(problems, function))
        return function

    return remember


@cache
def metric_modules() -> tuple[str, ...]:
    """Return all modules that may declare metrics, in the order of lists.

    These are the modules of `evaluation.metrics` and `evaluation.matching`. A new one needs no entry anywhere.
    """
    packages = [importlib.import_module(name) for name in ("evaluation.metrics", "evaluation.matching")]
    names = {f"{package.__name__}.{module.name}" for package in packages for module in iter_modules(package.__path__)}
    return (*_ORDER, *sorted(names - set(_ORDER)))


def declared_in(module: str) -> tuple[Metric, ...]:
    """Import a module and return the metrics that it declares, in the order of their declarations."""
    importlib.import_module(module)
    return tuple(_DECLARED.get(module, ()))


def check_option(option: Option, value: object) -> Any:
    """Return the value of an option in normal form; a hit criterion may come with options of its own.

    Raises
    ------
    OptionError
        If the value is not allowed.
    """
    if option.choices_declared_in and isinstance(value, Mapping):
        return _check_choice_with_options(option, value)
    return option.check(value)


def _check_choice_with_options(option: Option, value: Mapping[str, object]) -> dict[str, Any]:
    """Check and return a hit criterion with its own options.

    Example: ``{"id": "loc_boundary_iou", "options": {"distance": 2}}``.
    """
    allowed = option.allowed + ' or {"id": …, "options": {…}} with the options of that criterion'
    name = value.get("id")
    options = value.get("options", {})
    if set(value) - {"id", "options"} or name not in (option.choices or ()) or not isinstance(options, Mapping):
        raise OptionError(option.name, value, allowed)
    criterion = next(metric for metric in declared_in(option.choices_declared_in) if metric.id == name)
    without_threshold = [
        criterion_option for criterion_option in criterion.options if criterion_option.name != "threshold"
    ]
    unknown = set(options) - {criterion_option.name for criterion_option in without_threshold}
    if unknown:
        names = ", ".join(criterion_option.name for criterion_option in without_threshold) or "no option"
        raise OptionError(f"{option.name}.{min(unknown)}", options[min(unknown)], f"{names} for {name}")
    checked = {
        criterion_option.name: criterion_option.check(options[criterion_option.name])
        if criterion_option.name in options
        else criterion_option.default
        for criterion_option in without_threshold
    }
    return {"id": name, "options": checked}


def _check_together(given: Mapping[str, object], checked: dict[str, Any], options: Mapping[str, Option]) -> None:
    """Check combinations of options, which the check of a single option does not cover."""
    for name, option in options.items():
        if option.required and checked[name] is None:
            raise OptionError(name, None, f"{option.allowed}, set by the organizers: there is no safe default")
    if checked.get("weights") == "custom" and checked.get("weight_matrix") is None:
        raise OptionError("weight_matrix", None, options["weight_matrix"].allowed + ' with "weights": "custom"')
    if checked.get("boundary") == "surfels" and checked.get("boundary_connectivity", "face") != "face":
        allowed = "face: surface elements have no neighbourhood"
        raise OptionError("boundary_connectivity", checked["boundary_connectivity"], allowed)
    criterion = checked.get("localization_criterion")
    identity = criterion["id"] if isinstance(criterion, Mapping) else criterion
    if identity == "loc_center_distance" and not {"localization_threshold", "localization_thresholds"} & set(given):
        raise OptionError("localization_threshold", None, "a distance in mm, set by the organizers")


@cache
def _imported(import_path: str) -> Callable[..., Any]:
    module, _, name = import_path.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def _resolved(function: str | Callable[..., Any]) -> Callable[..., Any]:
    return _imported(function) if isinstance(function, str) else function
