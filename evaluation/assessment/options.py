"""Options that scoring reads, as text: one source for rules, submit page and pseudo-code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import CatalogueError, choice_words, get, option_name
from evaluation.matching.criteria import CRITERIA
from evaluation.problems import kind_of
from evaluation.problems.coordinates import DISTANCE, SYMBOLS, distance_unit
from evaluation.problems.offered_metrics import options_for

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse

_CRITERION: Final = "localization_criterion"
_THRESHOLD: Final = "localization_threshold"
_COCO: Final = "coco_101"
_COCO_DETECTIONS: Final = 100
_UNSET: Final[Mapping[str, str]] = {
    "area": "any",
    "max_fpr": "1 (the whole curve)",
    "class_weights": "equal",
    "distance": "from the distance ratio",
    "positive_class": "each class in turn",
    "target_prevalence": "as in the data",
    "tau": "no limit",
}
"""Meaning of an option that is not set, where it has one."""
_WORDS: Final[Mapping[tuple[str, str], str]] = {
    ("double_assignment", "fp"): "false positive",
    ("double_assignment", "ignore"): "not counted",
    ("scale", "dataset"): "whole data set",
    ("scale", "image"): "each image",
    ("scale", "patient"): "each patient",
}
"""Readable texts for values whose names are unclear without knowledge of the catalogue."""


def options_read(use: MetricUse, assessment: Assessment) -> dict[str, Any]:
    """Return every option from which scoring computes the values of a metric, defaults included.

    Options that have no effect in combination with the others are absent, such as the threshold of a hit
    criterion that has none.

    Parameters
    ----------
    use
        A metric of the assessment.
    assessment
        The assessment, which defines the kind of problem.

    Returns
    -------
    dict
        Values by name of the option, in the order of the catalogue; empty for values that are not computed here.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> found = parse({"problem": "object_detection", "metrics": [{"id": "fbeta"}]})
    >>> options_read(found.metrics[0], found)["score_threshold"]
    0.5
    """
    if use not in assessment.computed or kind_of(assessment).is_measured_elsewhere:
        return {}
    try:
        metric = get(use.id)
    except CatalogueError:
        return {}
    values: dict[str, Any] = {}
    for option in options_for(metric, assessment.problem):
        value = use.options.get(option.name, option.default_document)
        choices = [choice for choice in option.choices or () if choice != "auto"]
        is_certain = len(choices) == 1 or option.name == "level"
        values[option.name] = choices[0] if value == "auto" and choices and is_certain else value
    return {name: value for name, value in values.items() if _has_effect(name, values)}


def _has_effect(name: str, values: Mapping[str, Any]) -> bool:
    """Return whether an option has any effect in combination with the others."""
    if name in ("boundary_connectivity", "boundary_weighting") and values.get("boundary") == "surfels":
        return False
    if name == _THRESHOLD:
        given = values.get(_CRITERION)
        criterion = str(given["id"] if isinstance(given, Mapping) else given)
        without_cutoff = values.get("assignment") == "criterion_gt_half" or CRITERIA[criterion].kind == "point"
        return not without_cutoff and values.get("localization_thresholds") is None
    if name in ("max_detections", "area"):
        return bool(values.get("interpolation", _COCO) == _COCO)
    if name == "distance_ratio":
        return values.get("distance") is None
    return values[name] is not None or name in _UNSET


def option_values(use: MetricUse, assessment: Assessment) -> list[tuple[str, str]]:
    """Return the name and the value as text of each option of `options_read`.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> options = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5}
    >>> document = {
    ...     "problem": "object_detection",
    ...     "settings": {"unit": "um"},
    ...     "metrics": [{"id": "fbeta", "options": options}],
    ... }
    >>> for name, words in option_values(parse(document).metrics[0], parse(document)):
    ...     print(name, "=", words)
    beta = 1
    level = object
    score threshold = 0.5
    scale = whole data set
    localization criterion = Center Distance
    localization threshold = 7.5 µm
    assignment = greedy by score
    double assignment = false positive
    """
    options = options_read(use, assessment)
    units = {option.name: option.unit for option in get(use.id).options} if options else {}
    if _criterion(options) == DISTANCE:
        units[_THRESHOLD] = SYMBOLS.get(distance_unit(assessment.settings), "")
    words = []
    for name, value in options.items():
        text = _value_words(name, value)
        has_unit = units.get(name) and isinstance(value, (int, float)) and not isinstance(value, bool)
        words.append((option_name(name), f"{text} {units[name]}" if has_unit else text))
    return words


def option_list(use: MetricUse, assessment: Assessment) -> str:
    """Return the options of `option_values` in one line."""
    return ", ".join(f"{name} = {words}" for name, words in option_values(use, assessment))


def option_sentences(assessment: Assessment) -> list[str]:
    """Return one sentence per metric that has options: from which values it is computed.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> option_sentences(parse({"problem": "image_classification", "metrics": [{"id": "top_k_accuracy"}]}))
    ['Top-5 is computed with: k = 5.']
    """
    listed = [(use.title, option_list(use, assessment)) for use in assessment.metrics]
    return [f"{title} is computed with: {options}." for title, options in listed if options]


def _criterion(options: Mapping[str, Any]) -> str:
    given = options.get(_CRITERION)
    return str(given["id"] if isinstance(given, Mapping) else given)


def _value_words(name: str, value: Any) -> str:
    if value is None:
        return str(_COCO_DETECTIONS) if name == "max_detections" else _UNSET[name]
    if name == _CRITERION:
        return _criterion_words(value)
    if isinstance(value, Mapping):
        return _inside(value)
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "; ".join(choice_words(row) for row in value)
    if isinstance(value, str) and (name, value) in _WORDS:
        return _WORDS[name, value]
    return choice_words(value)


def _criterion_words(value: Any) -> str:
    """Return a hit criterion with its own options, the threshold excepted, which the metric sets."""
    identity = str(value["id"] if isinstance(value, Mapping) else value)
    criterion = get(identity)
    given = value["options"] if isinstance(value, Mapping) else {}
    criterion_options = {
        option.name: given.get(option.name, option.default_document)
        for option in criterion.options
        if option.name not in ("threshold", "spacing") and not option.sets_policy
    }
    inside = _inside(
        {
            name: option
            for name, option in criterion_options.items()
            if option is not None and _has_effect(name, criterion_options)
        }
    )
    title = criterion.name.partition(" (")[0]
    return f"{title} ({inside})" if inside else title


def _inside(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{option_name(name)} = {choice_words(value)}" for name, value in options.items())
