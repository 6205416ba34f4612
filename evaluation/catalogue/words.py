"""Metrics and their options as people write them: abbreviations of the field, no underscores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.catalogue.registry import all_metrics

if TYPE_CHECKING:
    from collections.abc import Mapping


def readable(name: str) -> str:
    """Write the name that an assessment gives to a metric for people: no underscores, abbreviations as the field has them.

    Examples
    --------
    >>> readable("outline_iou"), readable("detection_f1"), readable("my_new_metric"), readable("DSC")
    ('Outline IoU', 'Detection F1', 'My new metric', 'DSC')
    """
    if "_" not in name:
        return name
    text = _spelled(name)
    return text[:1].upper() + text[1:]


def option_name(name: str) -> str:
    """Return the name of an option as shown next to its value.

    Examples
    --------
    >>> option_name("iou_threshold"), option_name("localization_criterion")
    ('IoU threshold', 'localization criterion')
    """
    return _spelled(name)


def choice_words(value: Any) -> str:
    """A value of an option: a hit criterion by its abbreviation, truth by yes and no.

    Examples
    --------
    >>> choice_words("loc_mask_iou"), choice_words("from_image"), choice_words(False), choice_words(95.0), choice_words([1, 2])
    ('Mask IoU', 'from image', 'no', '95', '1, 2')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(choice_words(item) for item in value)
    text = str(value)
    return next((metric.abbreviation for metric in all_metrics() if metric.id == text), text.replace("_", " "))


def option_words(options: Mapping[str, Any]) -> str:
    """Return the options of a metric in one line, without those that are not set.

    Examples
    --------
    >>> option_words({"percentile": 95.0, "include_background": False, "spacing": "from_image"})
    'percentile = 95, include background = no, spacing = from image'
    """
    given = {key: value for key, value in options.items() if value is not None}
    return ", ".join(f"{option_name(key)} = {choice_words(value)}" for key, value in given.items())


def _spelled(name: str) -> str:
    abbreviations = {metric.abbreviation.casefold(): metric.abbreviation for metric in all_metrics()}
    return " ".join(abbreviations.get(word.casefold(), _f_score(word)) for word in name.split("_") if word)


def _f_score(word: str) -> str:
    """``f1`` is F1."""
    return word.upper() if word[:1] == "f" and word[1:].isdecimal() else word
