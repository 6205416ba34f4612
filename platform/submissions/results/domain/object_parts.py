"""Detection, classification and outlines as pages show them side by side, and as tables to download."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.boards.case_lines import OUTCOME_WORDS
from evaluation.claims.catalogue import Said
from evaluation.claims.legend import MISSED_IMAGES, Counts

INVENTED = "invented"
MISSED = "missed"
SHADES = 5
"""Steps of the colour scale above its lowest."""
_MANY = 12
"""Maximum number of classes for which a page shows the matrix.

For more classes, the file contains every cell.
"""
_METRICS = {
    "detection": (("ppv", "Precision"), ("sensitivity", "Recall"), ("fbeta", "F1")),
    "classification": (("balanced_accuracy", "Balanced accuracy"),),
    "segmentation": (("iou", "Mean IoU"), ("hausdorff_distance", "Hausdorff distance")),
    "panoptic": (
        ("panoptic_quality", "PQ"),
        ("detection_quality", "DQ (detection)"),
        ("segmentation_quality", "SQ (outlines)"),
    ),
}
_OF_CLASS = (
    ("classification", "ppv"),
    ("classification", "sensitivity"),
    ("classification", "fbeta"),
    ("segmentation", "iou"),
    ("panoptic", "panoptic_quality"),
    ("panoptic", "detection_quality"),
    ("panoptic", "segmentation_quality"),
)
CLASS_COLUMNS = ("Precision", "Recall", "F1", "IoU", "PQ", "DQ", "SQ")


@dataclass(frozen=True)
class Cell:
    """A value, or why there is none."""

    value: float | None
    words: str = ""

    @property
    def text(self) -> str:
        return f"{self.value:.3f}" if self.value is not None else self.words or "–"


@dataclass(frozen=True)
class Square:
    """A cell of the confusion matrix: how many, the share of its row in per cent, and how dark it is shown."""

    count: int
    percent: int | None
    shade: int


@dataclass(frozen=True)
class ClassLine:
    """One class: its matched objects, and its values with the headings of `CLASS_COLUMNS`."""

    name: str
    matched: int
    cells: Sequence[tuple[str, Cell]]


@dataclass(frozen=True)
class Parts:
    """Content of the page about a method.

    Attributes
    ----------
    levels
        Headings of the columns: pooled, and means over images and over groups of them.
    tables
        Part → lines of a title and a cell for each level.
    matrix
        Lines of the confusion matrix: heading and squares, the references of no class last. Empty for a single
        class, which cannot be confused, or if there are too many classes to show.
    by_class
        A line for each class, if there are several.
    """

    sentence: str
    limiting: tuple[str, ...]
    counts: Mapping[str, int]
    matched: int
    cases: int
    missing: int
    classes: tuple[str, ...]
    unit: str
    levels: tuple[str, ...]
    tables: Mapping[str, Sequence[tuple[str, Sequence[Cell]]]]
    matrix: Sequence[tuple[str, Sequence[Square]]] = field(default=())
    by_class: Sequence[ClassLine] = field(default=())

    @property
    def missed(self) -> list[Said]:
        """Sentence with the number of images without a prediction; empty if all have one."""
        return MISSED_IMAGES.all(Counts(self.cases, self.missing))

    @property
    def is_classified(self) -> bool:
        """True if there are several classes."""
        return len(self.classes) > 1

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of the matrix."""
        return (*self.classes, MISSED)

    def main(self, part: str) -> Cell:
        """Return the pooled value that represents a part."""
        index = {"detection": 2, "classification": 0, "segmentation": 0, "panoptic": 0}[part]
        return self.tables[part][index][1][0]


def parts_of(summary: Mapping[str, Any]) -> Parts | None:
    """Shape what a run keeps (`executions.scoring.services.disentangling.summary`); None where it keeps nothing."""
    if not summary:
        return None
    algorithm, unit = summary["algorithm"], summary["unit"]
    pooled = algorithm["pooled"]
    classes = tuple(summary["classes"])
    levels = ["Pooled"]
    columns = [{(part, v["class"], v["metric"]): v for part in _METRICS for v in pooled[part]["values"]}]
    for key, title in (("groups", f"By {summary['group']}"), ("cases", "By image")):
        if algorithm[key] is not None:
            levels.append(title)
            columns.append({(v["part"], v["class"], v["metric"]): v for v in algorithm[key]["mean"]})
    tables = {
        part: [
            (
                f"{title} ({unit})" if metric == "hausdorff_distance" else title,
                [_cell(c.get((part, "", metric))) for c in columns],
            )
            for metric, title in metrics
        ]
        for part, metrics in _METRICS.items()
    }
    return Parts(
        sentence=pooled["limits"]["sentence"],
        limiting=tuple(pooled["limits"]["parts"]),
        counts=pooled["detection"],
        matched=pooled["classification"]["matched"],
        cases=algorithm["cases_total"],
        missing=algorithm["cases_missing"],
        classes=classes,
        unit=unit,
        levels=tuple(levels),
        tables=tables,
        matrix=_matrix(pooled["confusion"], classes) if 1 < len(classes) <= _MANY else (),
        by_class=[
            ClassLine(
                name,
                pooled["segmentation"]["pairs"][name],
                [
                    (title, _cell(columns[0].get((part, name, metric))))
                    for title, (part, metric) in zip(CLASS_COLUMNS, _OF_CLASS, strict=True)
                ],
            )
            for name in classes
            if len(classes) > 1
        ],
    )


def csv_of(document: Mapping[str, Any], *, name: str, matrix: bool) -> tuple[Sequence[str], Iterator[list[Any]]]:
    """Head and rows of a table of everything that is known of one method, or of its confusion matrices."""
    # Here, so that pages start without the libraries of scoring.
    from evaluation.scoring.disentangled_document import MATRIX, TABLE, matrix_rows, table_rows

    algorithm = {**document["algorithm"], "name": name}
    if matrix:
        return MATRIX, matrix_rows(algorithm, document["classes"])
    return TABLE, table_rows(algorithm)


def _cell(value: Mapping[str, Any] | None) -> Cell:
    if value is None:
        return Cell(None)
    if value["value"] is None:
        return Cell(None, OUTCOME_WORDS[value["outcome"]])
    return Cell(value["value"])


def _matrix(confusion: Sequence[Sequence[int]], classes: Sequence[str]) -> list[tuple[str, list[Square]]]:
    """References of a class first, predictions that are none last; the column of missed objects last."""
    lines: list[tuple[str, list[Square]]] = []
    for name, (missed, *counts) in zip(classes, confusion[1:], strict=True):
        row = [*counts, missed]
        lines.append((name, [_square(count, sum(row)) for count in row]))
    return [*lines, (INVENTED, [Square(count, None, 0) for count in confusion[0][1:]])]


def _square(count: int, total: int) -> Square:
    share = count / total if total else 0.0
    # The lightest step is kept for what does not occur, so that a single object is seen.
    return Square(count, round(100 * share) if total else None, min(SHADES, 1 + int(share * SHADES)) if count else 0)
