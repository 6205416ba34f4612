"""``disentangle``: what each algorithm is good at, detection, classification and outlines apart."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluation import durable
from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line, read_assessment, read_table, write_json
from evaluation.cli.score import add_folders, algorithms_of, report

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment

_PATIENT: Final = "patient"


def configure(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    add_folders(parser)
    parser.add_argument(
        "--matching",
        choices=("strict_iou", "centroid"),
        default="strict_iou",
        help="who is matched: masks that overlap by more than half, or the best one if its centre lies inside (default: "
        "strict_iou)",
    )
    parser.add_argument(
        "--cases", type=Path, metavar="FILE", help="case table (default: cases.csv beside the references)"
    )
    parser.add_argument(
        "--group",
        metavar="COLUMN",
        help="column of the case table whose images are pooled before the mean (default: patient, or the first level of the "
        "assessment above the case)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="everything (JSON); standard output if absent")
    parser.add_argument("--table", type=Path, metavar="FILE", help="every value as a row (CSV)")
    parser.add_argument(
        "--confusion", type=Path, metavar="FILE", help="every cell of the confusion matrices as a row (CSV)"
    )


def run(options: Namespace) -> int:
    """Evaluate, write the results, and report notes on standard error.

    Raises
    ------
    InputError
        For bad input, with one line that states the problem.
    """
    from evaluation.scoring import disentangled_document as documents
    from evaluation.scoring.disentangled_folders import disentangle_folders
    from evaluation.scoring.provenance import provenance

    assessment = read_assessment(options.assessment)
    folders = algorithms_of(options)
    for name in ("output", "table", "confusion"):
        target = getattr(options, name)
        if target is not None and not target.parent.is_dir():
            message = f"--{name}: there is no folder {target.parent}"
            raise InputError(message)
    column, groups = _groups(options, assessment)
    disentangled = disentangle_folders(
        assessment,
        options.references,
        folders,
        matching=options.matching,
        jobs=options.jobs,
        progress=progress_line("evaluated"),
    )
    report(disentangled.notices)
    algorithms = []
    for name, units in disentangled.units.items():
        unit_groups = None if groups is None else {unit.name: groups.get(unit.name) or unit.name for unit in units}
        algorithms.append(documents.describe(name, units, disentangled.classes, groups=unit_groups))
    document: dict[str, Any] = {
        "schema": documents.SCHEMA,
        "versions": provenance(assessment)["versions"],
        "assessment": assessment.digest,
        "matching": options.matching,
        "classes": list(disentangled.classes),
        "group": column,
        "algorithms": algorithms,
    }
    for target, columns, rows in (
        (options.table, documents.TABLE, documents.table_rows),
        (options.confusion, documents.MATRIX, partial(documents.matrix_rows, classes=disentangled.classes)),
    ):
        if target is not None:
            every = [row for algorithm in algorithms for row in rows(algorithm)]
            durable.write_text(target, documents.as_csv(columns, every))
    if options.output is None and (options.table or options.confusion):
        _say(algorithms)
    else:
        write_json(document, options.output)
    return 0


def _groups(options: Namespace, assessment: Assessment) -> tuple[str | None, dict[str, str] | None]:
    """The column that groups images, and the group of each image."""
    path = options.cases or options.references / "cases.csv"
    if not path.is_file():
        if options.cases or options.group:
            message = f"there is no case table {path}"
            raise InputError(message)
        return None, None
    table = read_table(path)
    if "case" not in table.columns:
        message = f"{path} has no column 'case'; it has {', '.join(table.columns)}"
        raise InputError(message)
    if options.group is not None and options.group not in table.columns:
        message = f"--group: {path} has no column {options.group!r}; it has {', '.join(table.columns)}"
        raise InputError(message)
    column = options.group or next(
        (name for name in (_PATIENT, *assessment.aggregation.levels) if name != "case" and name in table.columns), None
    )
    if column is None:
        return None, None
    return column, dict(zip(table["case"], table[column], strict=True))


def _say(algorithms: Sequence[dict[str, Any]]) -> None:
    for algorithm in algorithms:
        sys.stdout.write(f"{algorithm['name']}: {algorithm['pooled']['limits']['sentence']}\n")
