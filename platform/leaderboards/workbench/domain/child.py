"""Work of a confined child on an untrusted table: read it, or analyse it and write the files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evaluation import boards, importing
from evaluation.aggregation import ResultsError
from evaluation.analyses import catalogue
from evaluation.analyses.sources import Sources
from evaluation.assessment import AssessmentError
from evaluation.figures.markup import for_plotly
from evaluation.importing.analysing import Analysis

REPORT, BUNDLE, RANKING, RESULTS, GAMING, ASSESSMENT, FIGURES = (
    *("report.html", "bundle.zip", "ranking.json", "results.csv", "gaming.json", "assessment.json", "figures.json"),
)
FILES: Final = (REPORT, BUNDLE, RANKING, RESULTS, GAMING, ASSESSMENT)
PICTURES: Final = ("differences", "blob", "better", "dots", "ranks", "hard", "withholding")
"""Figures that need only values of cases, and whose texts are valid for a table that is not registered."""
_SAMPLES: Final = 3
_PROBLEMS: Final = (importing.TableError, ResultsError, AssessmentError)


def read(path: Path, name: str, roles: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of a table, or the problem if it cannot be read by its roles.

    Submitted roles replace guessed roles.
    """
    try:
        sheet = importing.read_results_file(path, name=name)
    except importing.TableError as error:
        return {"problem": str(error)}
    column_roles = importing.guess_roles(sheet)
    column_roles |= {
        column: role for column, role in roles.items() if column in column_roles and role in importing.ROLES
    }
    reading: dict[str, Any] = {
        "sha256": sheet.sha256,
        "columns": [
            {"name": column, "role": column_roles[column], "samples": [row[index] for row in sheet.rows[:_SAMPLES]]}
            for index, column in enumerate(sheet.columns)
        ],
    }
    try:
        arranged = importing.arrange(sheet, column_roles)
    except importing.TableError as error:
        return {**reading, "problem": str(error)}
    return {
        **reading,
        "facts": {**arranged.facts, "algorithms": len(arranged.algorithms)},
        "metrics": [choice.document for choice in importing.suggest_metrics(arranged)],
    }


def analyse(
    path: Path, name: str, title: str, roles: Mapping[str, str], choices: Sequence[Mapping[str, Any]], folder: Path
) -> dict[str, Any]:
    """Analyse a table and write the files of `FILES` and the figures to `folder`; returns what the page shows."""
    try:
        sheet = importing.read_results_file(path, name=name)
        arranged = importing.arrange(sheet, roles)
        decided = importing.read_choices(arranged, choices)
        assessment = importing.assessment_of(arranged, decided, origin=sheet.sha256)
        done = importing.analyse(sheet, arranged, assessment, title=title)
    except _PROBLEMS as error:
        return {"problem": str(error)}
    except ValueError as error:
        return {"problem": f"{name}: {error}"}
    table = boards.build(done.document, assessment)
    sources = Sources(document=done.document, assessment=assessment, results=done.results, cases=None)
    _write_files(done, folder)
    (folder / FIGURES).write_text(json.dumps(_figures(sources, table), allow_nan=False), "utf-8")
    return {
        "table": table,
        "sentences": catalogue.sentences(done.document, table),
        "gaming": done.gaming,
        "digest": done.digest,
        "assessment_digest": assessment.digest,
        "source_sha256": done.source_sha256,
        "bootstrap": done.document["bootstrap"],
        "seed": done.document["seed"],
        "versions": done.document["versions"],
        "scheme": done.scheme,
        "notes": list(done.notes),
    }


def _write_files(done: Analysis, folder: Path) -> None:
    (folder / REPORT).write_text(done.report(), "utf-8")
    with (folder / BUNDLE).open("wb") as stream:
        stream.writelines(done.bundle())
    (folder / RESULTS).write_text(done.results_csv(), "utf-8")
    for name, content in (
        (RANKING, done.document),
        (GAMING, done.gaming),
        (ASSESSMENT, done.assessment.document),
    ):
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, allow_nan=False), "utf-8")


def _figures(sources: Sources, table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    figures = {}
    for name in PICTURES:
        drawn = dict(catalogue.drawn(catalogue.BY_NAME[name], sources, table))
        if drawn:
            figures[name] = {key: for_plotly(figure) for key, figure in drawn.items()}
    return figures
