"""The metrics that are known, by id: the built-in ones from the data file, others from installed packages."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from typing import Any, Final

from evaluation.catalogue.built_in import IMPLEMENTATIONS, default_policy, functions_by_problem, level
from evaluation.catalogue.options import Option, OptionError

ENTRY_POINT_GROUP: Final = "podium.metrics"
DATA_FILE: Final = "metrics.v1.json"


class CatalogueError(LookupError):
    """An id that no metric has, or that two metrics claim."""


@dataclass(frozen=True)
class Metric:
    """One metric: everything that a page, a check or a scorer has to know about it.

    Attributes
    ----------
    id, name, abbreviation, categories, direction, range, family
        As in the catalogue's data file; ``range`` is ``(low, high)`` with ``None`` for unbounded, ``direction`` is
        ``higher`` or ``lower``, whichever is better.
    options
        Its hyperparameters; those with ``sets_policy`` describe defaults of the outcome policy only.
    function
        The function, or its place as ``package.module:name``, imported when first needed.
    needs
        What the function takes from a case: any of ``masks``, ``spacing``, ``labels``, ``scores``, ``objects``,
        ``images``.
    unit
        ``mm`` for distances, else ``None``.
    functions_by_problem
        Places of other functions for problems in which the metric counts something else (pixels, objects).
    source
        Who brought it: ``podium``, or the name of a package.
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
    functions_by_problem: Mapping[str, str] = field(default_factory=dict)
    source: str = "podium"

    def __post_init__(self) -> None:
        if self.direction not in ("higher", "lower"):
            message = f"metric {self.id}: direction is 'higher' or 'lower', not {self.direction!r}"
            raise ValueError(message)

    @property
    def problems(self) -> tuple[str, ...]:
        """The kinds of problem that it is offered to."""
        # Kinds of problem know metrics, so that they are asked for when needed only.
        from evaluation.problems import categories

        return tuple(problem for problem, category in categories().items() if category in self.categories)

    @property
    def is_criterion(self) -> bool:
        """Whether it decides hits of objects, and is therefore an option of other metrics and not one itself."""
        return self.family == "localization_criterion"

    @property
    def higher_is_better(self) -> bool:
        """Whether a greater value is the better one."""
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

    def check_options(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Complete and check the options of one use of this metric.

        Parameters
        ----------
        given
            Options as they stand in an assessment document.

        Returns
        -------
        dict
            Every option that an assessment may set, in the catalogue's order, defaults written out.

        Raises
        ------
        OptionError
            For an unknown name, a value outside the limits, or one that has no safe default and is not given.

        Examples
        --------
        >>> get("hausdorff_percentile").check_options({"percentile": 90})["percentile"]
        90.0
        """
        known = {option.name: option for option in self.assessment_options}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known) or "no option"
                raise OptionError(name, value, f"{names} for {self.id}")
        checked = {
            name: option.check(given[name]) if name in given else _default(option) for name, option in known.items()
        }
        _check_together(given, checked, known)
        return checked

    def unconfirmed(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Names of options that organizers have to confirm but left to their defaults."""
        return tuple(option.name for option in self.assessment_options if option.required and option.name not in given)

    def default_policy(self, problem: str) -> dict[str, float | str]:
        """What each outcome counts as when an assessment does not say: a number, or a policy word."""
        return default_policy(self.id, self.family, problem)

    def level(self, problem: str, options: Mapping[str, Any]) -> str:
        """``case`` if one value a case exists, ``dataset`` if there is one value for all cases together."""
        return level(self.id, self.family, problem, options)

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
        if isinstance(self.function, str):
            return _imported(self.function)
        return self.function

    def compute_for(self, problem: str) -> Callable[..., Any]:
        """The function for one kind of problem: images, pixels or objects are counted by different ones."""
        place = self.functions_by_problem.get(problem)
        return self.compute if place is None else _imported(place)

    def as_document(self) -> dict[str, Any]:
        """The entry as it stands in the data file, ready for JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "abbreviation": self.abbreviation,
            "categories": list(self.categories),
            "direction": self.direction,
            "range": list(self.range),
            "family": self.family,
            "hyperparameters": [_option_document(option) for option in self.options],
        }


def get(metric_id: str) -> Metric:
    """Return the metric of that id.

    Raises
    ------
    CatalogueError
        If there is none; the message names the closest ids.

    Examples
    --------
    >>> get("dsc").name
    'Dice Similarity Coefficient'
    """
    metrics = _registry()
    try:
        return metrics[metric_id]
    except KeyError:
        from difflib import get_close_matches

        close = get_close_matches(metric_id, metrics, n=3)
        hint = f"; close to it: {', '.join(close)}" if close else ""
        message = f"no metric has the id {metric_id!r}{hint}"
        raise CatalogueError(message) from None


def all_metrics() -> tuple[Metric, ...]:
    """Every metric, the built-in ones first and in the catalogue's order."""
    return tuple(_registry().values())


def register(metric: Metric) -> Metric:
    """Add a metric for this process; installed packages name theirs under the entry point group ``podium.metrics``.

    Raises
    ------
    CatalogueError
        If the id is taken.
    """
    metrics = _registry()
    if metric.id in metrics:
        message = f"the id {metric.id!r} is taken by {metrics[metric.id].name} of {metrics[metric.id].source}"
        raise CatalogueError(message)
    metrics[metric.id] = metric
    return metric


def unregister(metric_id: str) -> None:
    """Take away a metric that was added with `register`; built-in ones stay."""
    if get(metric_id).source == "podium":
        message = f"{metric_id} is built in"
        raise CatalogueError(message)
    del _registry()[metric_id]


def catalogue_version() -> str:
    """The version of the catalogue's data, stored with results."""
    return str(_document()["version"])


@cache
def _document() -> dict[str, Any]:
    text = resources.files("evaluation.catalogue").joinpath(DATA_FILE).read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@cache
def _registry() -> dict[str, Metric]:
    metrics = {entry["id"]: _from_document(entry) for entry in _document()["metrics"]}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for metric in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
            if not isinstance(metric, Metric):
                message = f"entry point {point.name} ({point.value}) is not a Metric or a list of them"
                raise CatalogueError(message)
            if metric.id in metrics:
                message = f"entry point {point.name} ({point.value}): the id {metric.id!r} is taken"
                raise CatalogueError(message)
            metrics[metric.id] = metric
    return metrics


def _from_document(entry: Mapping[str, Any]) -> Metric:
    implementation = IMPLEMENTATIONS[entry["id"]]
    low, high = entry["range"]
    return Metric(
        id=entry["id"],
        name=entry["name"],
        abbreviation=entry["abbreviation"],
        categories=tuple(entry["categories"]),
        direction=entry["direction"],
        range=(low, high),
        family=entry["family"],
        options=tuple(_option_from_document(item) for item in entry["hyperparameters"]),
        function=implementation.function,
        needs=implementation.needs,
        unit=implementation.unit,
        functions_by_problem=functions_by_problem(entry["id"]),
    )


_OPTION_KEYS: Final = {
    "choices": "choices",
    "unit": "unit",
    "min": "minimum",
    "max": "maximum",
    "exclusive_min": "exclusive_minimum",
    "exclusive_max": "exclusive_maximum",
    "required": "required",
}


def _option_from_document(item: Mapping[str, Any]) -> Option:
    extra = {attribute: item[key] for key, attribute in _OPTION_KEYS.items() if key in item}
    if "choices" in extra:
        extra["choices"] = tuple(extra["choices"])
    default = tuple(item["default"]) if isinstance(item["default"], list) else item["default"]
    return Option(item["name"], item["type"], default, item["description"], **extra)


def _option_document(option: Option) -> dict[str, Any]:
    document: dict[str, Any] = {"name": option.name, "type": option.type, "default": _default(option)}
    for key, attribute in _OPTION_KEYS.items():
        value = getattr(option, attribute)
        if value is not None and value is not False:
            document[key] = list(value) if isinstance(value, tuple) else value
    document["description"] = option.description
    return document


def _default(option: Option) -> Any:
    if option.required and option.default is None:
        return None
    return list(option.default) if isinstance(option.default, tuple) else option.default


def _check_together(given: Mapping[str, object], checked: dict[str, Any], known: Mapping[str, Option]) -> None:
    """What one option alone does not show."""
    for name, option in known.items():
        if option.required and checked[name] is None:
            raise OptionError(name, None, f"{option.allowed}, set by the organizers: there is no safe default")
    if checked.get("weights") == "custom" and checked.get("weight_matrix") is None:
        raise OptionError("weight_matrix", None, known["weight_matrix"].allowed + ' with "weights": "custom"')
    criterion = checked.get("localization_criterion")
    identity = criterion["id"] if isinstance(criterion, Mapping) else criterion
    if identity == "loc_center_distance" and not {"localization_threshold", "localization_thresholds"} & set(given):
        raise OptionError("localization_threshold", None, "a distance in mm, set by the organizers")


@cache
def _imported(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
