"""``analyse``: from the results table of a finished challenge to ranking, gaming check, report and bundle."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import durable
from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line, write_json
from evaluation.importing import read_results_file
from evaluation.importing.choices import (
    EXCLUDE,
    MetricChoice,
    assessment_of,
    is_guess,
    suggest_metrics,
    worst_value,
)
from evaluation.importing.roles import ROLES, guess_roles
from evaluation.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from evaluation.importing.arranging import Arranged
    from evaluation.importing.sheets import Sheet


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("table", type=Path, metavar="TABLE", help="results: CSV, or a results file of another platform")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where to write; without it, says how it reads the table"
    )
    parser.add_argument(
        "--role",
        action="append",
        default=[],
        metavar="COLUMN=ROLE",
        help=f"what a column is, where the guess is wrong: {', '.join(ROLES)}",
    )
    parser.add_argument(
        "--direction",
        action="append",
        default=[],
        metavar="[METRIC=]higher|lower",
        help="which values are better, of all metrics or of one",
    )
    parser.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar=f"[METRIC=]NUMBER|{EXCLUDE}",
        help="what a missing value counts as; if not given, the worst that a value of the metric can be, where that is known",
    )
    parser.add_argument(
        "--confirm", action="store_true", help="analyse the table although there are questions about values or names"
    )
    parser.add_argument("--title", default="", help="title of the report")
    parser.add_argument("--bootstrap", type=int, default=1000, metavar="N", help="bootstrap samples (1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the resampling (1)")


def run(options: argparse.Namespace) -> int:
    """Report how the table is read, and analyse it if an output folder is specified."""
    from evaluation.importing.arranging import arrange

    sheet = read_results_file(options.table)
    roles = _roles(sheet, options.role)
    arranged = arrange(sheet, roles)
    choices = _choices(arranged, options.direction, options.missing)
    _tell(sheet, roles, arranged, choices)
    if options.output is None:
        sys.stdout.write(
            "Right? Give --output FOLDER to analyse it; else correct it with --role, --direction and --missing.\n"
        )
        return 0
    undecided = [choice.name for choice in choices if not choice.direction]
    if undecided:
        message = f"which direction of {undecided[0]!r} is better? Give --direction {undecided[0]!r}=higher or =lower"
        raise InputError(message)
    guessed = [choice.name for choice in choices if is_guess(choice) and _lacks_values(arranged, choice.name)]
    if guessed:
        message = (
            f"what does a missing value of {guessed[0]!r} count as? Give --missing {guessed[0]!r}=NUMBER, the worst that a value "
            f"can be, or ={EXCLUDE}"
        )
        raise InputError(message)
    if arranged.questions and not options.confirm:
        message = f"{arranged.questions[0]} Correct the table, or give --confirm to analyse it as it is"
        raise InputError(message)
    _write(options, sheet, arranged, choices)
    return 0


def _lacks_values(arranged: Arranged, metric: str) -> bool:
    """Return whether a value of a metric is missing."""
    rows = arranged.results[arranged.results["metric"] == metric]
    if rows["value"].isna().any():
        return True
    by_task = rows.groupby("task")[["algorithm", "case", "region"]].nunique().prod(axis=1)
    return bool((rows.groupby("task").size() < by_task).any())


def _write(options: argparse.Namespace, sheet: Sheet, arranged: Arranged, choices: Sequence[MetricChoice]) -> None:
    from evaluation.claims.ranking import headline
    from evaluation.importing.analysing import OUTSIDE, analyse

    assessment = assessment_of(arranged, choices, bootstrap=options.bootstrap, seed=options.seed, origin=sheet.sha256)
    analysis = analyse(sheet, arranged, assessment, title=options.title, progress=progress_line("ranking"))
    folder: Path = options.output
    folder.mkdir(parents=True, exist_ok=True)
    write_json(assessment.document, folder / "assessment.json")
    write_json(analysis.document, folder / "ranking.json")
    durable.write_text(folder / "gaming.json", json.dumps(analysis.gaming, indent=1, ensure_ascii=False) + "\n")
    durable.write_text(folder / "results.csv", analysis.results_csv())
    durable.write_text(folder / "report.html", analysis.report())
    with durable.replacing(folder / "bundle.zip") as stream:
        stream.writelines(analysis.bundle())
    sys.stdout.write(f"{headline(analysis.document)}\n({OUTSIDE})\n{analysis.digest}  {folder}\n")


def _roles(sheet: Sheet, given: Sequence[str]) -> dict[str, str]:
    roles = guess_roles(sheet)
    for text in given:
        column, equals, role = text.rpartition("=")
        if not equals or column not in roles or role not in ROLES:
            message = (
                f"--role: {text!r} is not COLUMN=ROLE with a column of the table and a role among {', '.join(ROLES)}"
            )
            raise InputError(message)
        roles[column] = role
    return roles


def _choices(arranged: Arranged, directions: Sequence[str], missing: Sequence[str]) -> list[MetricChoice]:
    stated_directions = _by_metric(arranged, "--direction", directions)
    counted = _by_metric(arranged, "--missing", missing)
    choices = []
    for suggested in suggest_metrics(arranged):
        name = suggested.name
        direction = stated_directions.get(name, suggested.direction)
        if direction not in ("", "higher", "lower"):
            message = f"--direction: {direction!r} is neither higher nor lower"
            raise InputError(message)
        number, why = worst_value(arranged.values_of(name), direction or "higher", name=name)
        choices.append(
            MetricChoice(
                name,
                direction,
                _missing(counted[name]) if name in counted else number,
                "as given" if name in counted else why,
            )
        )
    return choices


def _by_metric(arranged: Arranged, option: str, given: Sequence[str]) -> Mapping[str, str]:
    by_metric: dict[str, str] = {}
    for text in given:
        metric, equals, value = text.rpartition("=")
        if equals and metric not in arranged.metrics:
            message = f"{option}: the table has no metric {metric!r}; it has {', '.join(arranged.metrics)}"
            raise InputError(message)
        by_metric |= {metric: value} if equals else {name: value for name in arranged.metrics if name not in by_metric}
    return by_metric


def _missing(text: str) -> float | str:
    from evaluation.importing.numbers import as_number

    number = as_number(text)
    if text != EXCLUDE and number is None:
        message = f"--missing: {text!r} is neither a number nor {EXCLUDE}"
        raise InputError(message)
    return EXCLUDE if number is None else number


def _tell(sheet: Sheet, roles: Mapping[str, str], arranged: Arranged, choices: Sequence[MetricChoice]) -> None:
    cases = "values of the whole data set" if arranged.is_summary else f"{arranged.cases} cases"
    lines = [
        f"{sheet.file}: {len(arranged.algorithms)} algorithms, {cases}, {counted(arranged.missing, 'missing value')}"
    ]
    lines += [f"  column {column!r}: {ROLES[role]}" for column, role in list(roles.items())[:12]]
    if len(roles) > 12:
        lines.append(f"  … and {len(roles) - 12} further columns")
    for choice in choices:
        direction = f"{choice.direction} is better" if choice.direction else "direction unknown"
        if choice.missing == EXCLUDE:
            counts = "a missing value is left out, which can be gamed"
        elif is_guess(choice):
            lacks = _lacks_values(arranged, choice.name)
            counts = "what a missing value counts as is not known" if lacks else "no value is missing"
        else:
            counts = f"a missing value counts as {choice.missing:g} ({choice.why})"
        lines.append(f"  metric {choice.name!r}: {direction}; {counts}")
    lines += [f"  note: {note}" for note in arranged.notes if note not in arranged.questions]
    lines += [f"  question: {question}" for question in arranged.questions]
    sys.stdout.write("\n".join(lines) + "\n")
