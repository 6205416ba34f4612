"""Disentangled evaluation of one algorithm, per image, per group of images and pooled, ready for JSON.

A group contains the images of a patient, for example. Counts are summed within a group and over all images. Values
of images and of groups are averaged.

A mean excludes values that the reference alone leaves undefined, for every algorithm. A value that is undefined
because of a prediction counts as the worst value, which is the image's diagonal for a distance. A missing
prediction misses every object of its image.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics import disentangled as dis
from evaluation.outcomes import Flag, Outcome, Result
from evaluation.scoring.limiting import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluation.metrics.disentangled import Disentangled

SCHEMA: Final = 1
DISTANCE: Final = "hausdorff_distance"
NOTHING: Final = "(none)"
"""Heading of the row of surplus predictions and of the column of missed references."""
TABLE: Final = ("algorithm", "level", "name", "part", "class", "metric", "value", "outcome", "entered", "as_worst")
MATRIX: Final = ("algorithm", "level", "name", "reference", "prediction", "count", "share_of_matched")
_PARTS: Final = ("detection", "classification", "segmentation", "panoptic")


@dataclass(frozen=True)
class Unit:
    """An image, or several that were added up.

    Attributes
    ----------
    cases, missing
        How many images, and for how many of them there is no prediction.
    diagonal
        Of the largest image, in mm: the worst distance.
    """

    name: str
    found: Disentangled
    cases: int = 1
    missing: int = 0
    diagonal: float | None = None

    def values(self) -> dict[tuple[str, str, str], Result]:
        """Every value by part, class (empty for all) and metric; undefined ones of a missing image are ``missing``."""
        parts = {
            "detection": dis.detection_scores(self.found),
            "classification": dis.classification_scores(self.found),
            "segmentation": dis.segmentation_scores(self.found),
            "panoptic": dis.panoptic_scores(self.found),
        }
        return {
            (part, *_class_and_metric(name)): self._result(value)
            for part in _PARTS
            for name, value in parts[part].items()
        }

    def _result(self, result: Result) -> Result:
        fair = result.value is not None or result.flag is Flag.REFERENCE or result.outcome is Outcome.NOT_APPLICABLE
        return result if fair or not self.missing or self.missing < self.cases else Result(None, Outcome.MISSING)


def pooled(units: Iterable[Unit], classes: Sequence[str], name: str = "") -> Unit:
    """Add images up."""
    units = list(units)
    diagonals = [unit.diagonal for unit in units if unit.diagonal is not None]
    return Unit(
        name,
        reduce(lambda one, other: one + other, (unit.found for unit in units), dis.nothing_at_all(classes)),
        cases=sum(unit.cases for unit in units),
        missing=sum(unit.missing for unit in units),
        diagonal=max(diagonals, default=None),
    )


def describe(
    algorithm: str, units: Sequence[Unit], classes: Sequence[str], *, groups: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the complete evaluation of one algorithm.

    Parameters
    ----------
    units
        Images of the algorithm.
    groups
        Group of each image by its name, for example the patient.

    Returns
    -------
    dict
        ``pooled`` (with ``limits``, see `evaluation.scoring.limiting.limits`), ``groups`` and ``cases``; the
        latter two with ``each`` unit and the ``mean`` over them.
    """
    every = pooled(units, classes)
    document = {
        "name": algorithm,
        "cases_total": every.cases,
        "cases_missing": every.missing,
        "pooled": _entry(every) | {"limits": limits(every.found)},
        "groups": None,
        "cases": _level(list(units)),
    }
    if groups is not None:
        members: dict[str, list[Unit]] = {}
        for unit in units:
            members.setdefault(groups[unit.name], []).append(unit)
        document["groups"] = _level(
            [pooled(group_units, classes, name) for name, group_units in sorted(members.items())]
        )
    return document


def summary_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same without single images and groups: small, and with nothing of a single case."""
    short: dict[str, Any] = {key: document[key] for key in ("name", "cases_total", "cases_missing", "pooled")}
    for level in ("groups", "cases"):
        level_document = document[level]
        short[level] = (
            None if level_document is None else {"number": len(level_document["each"]), "mean": level_document["mean"]}
        )
    return short


def table_rows(algorithm: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Every value of an algorithm as a row of a long table with the columns `TABLE`."""
    for level, entry in _entries(algorithm):
        for part in _PARTS:
            for value in entry[part]["values"]:
                yield [
                    algorithm["name"],
                    level,
                    entry["name"],
                    part,
                    value["class"],
                    value["metric"],
                    "" if value["value"] is None else f"{value['value']:.17g}",
                    value["outcome"],
                    "",
                    "",
                ]
    for level, name in (("groups", "mean over groups"), ("cases", "mean over cases")):
        for value in (algorithm[level] or {}).get("mean", []):
            yield [
                algorithm["name"],
                name,
                "",
                value["part"],
                value["class"],
                value["metric"],
                f"{value['value']:.17g}",
                str(Outcome.OK),
                value["entered"],
                value["as_worst"],
            ]


def matrix_rows(algorithm: Mapping[str, Any], classes: Sequence[str]) -> Iterator[list[Any]]:
    """Every cell of the confusion matrices of an algorithm as a row with the columns `MATRIX`."""
    names = [NOTHING, *classes]
    for level, entry in _entries(algorithm):
        matrix = entry["confusion"]
        for row, (reference, counts) in enumerate(zip(names, matrix, strict=True)):
            total = sum(counts[1:])
            for column, (prediction, count) in enumerate(zip(names, counts, strict=True)):
                if row or column:
                    share = f"{count / total:.17g}" if row and column and total else ""
                    yield [algorithm["name"], level, entry["name"], reference, prediction, count, share]


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _entries(algorithm: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "pooled", algorithm["pooled"]
    for level, name in (("groups", "group"), ("cases", "case")):
        for entry in (algorithm[level] or {}).get("each", []):
            yield name, entry


def _entry(unit: Unit) -> dict[str, Any]:
    disentangled, values = unit.found, unit.values()
    tp, fp, fn = (int(count[0]) for count in disentangled.detection[:3])
    shares = disentangled.normalized_classification
    entry: dict[str, Any] = {
        "name": unit.name,
        "cases": unit.cases,
        "missing": unit.missing,
        "confusion": disentangled.confusion.tolist(),
        "shares": [None if row[0] != row[0] else row.tolist() for row in shares],
        "detection": {"tp": tp, "fp": fp, "fn": fn},
        "classification": {"matched": int(disentangled.matched.sum()), "classes": len(disentangled.classes)},
        "segmentation": {
            "pairs": {name: int(n) for name, n in zip(disentangled.classes, disentangled.matched, strict=True)}
        },
        "panoptic": {
            "counts": {
                name: {"tp": int(tp), "fp": int(fp), "fn": int(fn)}
                for name, tp, fp, fn in zip(
                    disentangled.classes,
                    *(getattr(disentangled.panoptic, key) for key in ("tp", "fp", "fn")),
                    strict=True,
                )
            }
        },
    }
    for part in _PARTS:
        entry[part]["values"] = [
            {"class": class_name, "metric": metric, "value": value.value, "outcome": str(value.outcome)}
            for (of_part, class_name, metric), value in values.items()
            if of_part == part
        ]
    return entry


def _level(units: Sequence[Unit]) -> dict[str, Any]:
    return {"each": [_entry(unit) for unit in units], "mean": _mean(units)}


def _mean(units: Sequence[Unit]) -> list[dict[str, Any]]:
    """The mean of every value over units, with how many of them entered, and how many of these by what counts as worst."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    worst: dict[tuple[str, str, str], int] = {}
    values = [unit.values() for unit in units]
    for key in dict.fromkeys(key for unit_values in values for key in unit_values):
        for unit, unit_values in zip(units, values, strict=True):
            number, blamed = _number(unit_values.get(key), key[1], key[2], unit)
            if number is not None:
                sums.setdefault(key, []).append(number)
                worst[key] = worst.get(key, 0) + blamed
    return [
        {
            "part": part,
            "class": class_name,
            "metric": metric,
            "value": sum(numbers) / len(numbers),
            "entered": len(numbers),
            "as_worst": worst[part, class_name, metric],
        }
        for (part, class_name, metric), numbers in sums.items()
    ]


def _number(result: Result | None, class_name: str, metric: str, unit: Unit) -> tuple[float | None, bool]:
    """Return the number for a value in a mean, and whether it is the worst; None if the mean excludes it.

    An image without any object and without predictions is perfect. A single class that is absent from both
    sides there is excluded.
    """
    if result is None or result.flag is Flag.REFERENCE or result.outcome is Outcome.NOT_APPLICABLE:
        return None, False
    if result.value is not None:
        return result.value, False
    if result.outcome is Outcome.BOTH_EMPTY:
        return (None if class_name else 1.0), False
    return (unit.diagonal if metric == DISTANCE else 0.0), metric != DISTANCE or unit.diagonal is not None


def _class_and_metric(name: str) -> tuple[str, str]:
    class_name, _, metric = name.rpartition(".")
    return class_name, metric
