"""``python -m evaluation score``: predictions in, results table out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluation.checking import Severity
from evaluation.checking.sentences import finding, of_issue
from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line, read_assessment
from evaluation.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.checking import Finding
    from evaluation.scoring import ScoredFolders

_SHOWN: Final = 20
_IGNORED_SHOWN: Final = 5
_COLLAPSED: Final = {"file_missing": "a file", "row_missing": "a row"}
"""Findings of which the first is shown, with the names of the other cases."""


def configure(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    add_folders(parser)
    parser.add_argument(
        "--output", type=Path, metavar="results.csv", help="results table (default: printed on standard output)"
    )
    parser.add_argument(
        "--evidence", type=Path, metavar="FILE.parquet", help="what the values of the whole data set are made of"
    )


def add_folders(parser: ArgumentParser) -> None:
    """Declare what ``score`` and ``disentangle`` both take."""
    parser.add_argument("assessment", type=Path, metavar="ASSESSMENT.json", help="what is measured")
    parser.add_argument("--references", type=Path, required=True, metavar="DIR", help="folder of references")
    parser.add_argument("--predictions", type=Path, required=True, metavar="DIR", help="folder of predictions")
    parser.add_argument("--each", action="store_true", help="the folder holds one folder an algorithm")
    parser.add_argument("--algorithm", metavar="NAME", help="name of the algorithm (default: name of the folder)")
    parser.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="number of processes (default: 1)")


def run(options: Namespace) -> int:
    """Score, write the table, and report notes on standard error.

    Raises
    ------
    InputError
        For bad input, with one line that states the problem.
    """
    from evaluation.assessment.scorers import left_out_words
    from evaluation.scoring import results_text, score_folders, write_evidence, write_provenance, write_results

    assessment = read_assessment(options.assessment)
    algorithms = algorithms_of(options)
    if options.output is not None and not options.output.parent.is_dir():
        message = f"--output: there is no folder {options.output.parent}"
        raise InputError(message)
    scored = score_folders(
        assessment,
        options.references,
        algorithms,
        jobs=options.jobs,
        progress=progress_line("scored"),
    )
    report(scored)
    if not scored.has_predictions:
        message = f"--predictions: {options.predictions}: {finding('nothing_found', count=scored.cases).sentence}"
        raise InputError(message)
    if left_out := left_out_words(assessment):
        print(left_out, file=sys.stderr)  # noqa: T201  (a command talks)
    if options.evidence is not None:
        write_evidence(options.evidence, assessment, scored.blocks, parts=scored.parts, shared=scored.shared)
    if options.output is None:
        sys.stdout.write(results_text(scored.rows))
    else:
        write_results(scored.rows, options.output)
        write_provenance(assessment, options.output, points=_working_points(assessment, scored))
    return 0


def _working_points(assessment: Assessment, scored: ScoredFolders) -> list[dict[str, Any]]:
    """The thresholds of metrics at a target of another, where there are such."""
    if not scored.blocks or not any("_at_" in use.id for use in assessment.metrics):
        return []
    from evaluation.scoring.assembling import working_points
    from evaluation.scoring.evidence import make_evidence

    evidence = make_evidence(assessment, scored.blocks, parts=scored.parts, shared=scored.shared)
    return working_points(assessment, evidence)


def algorithms_of(options: Namespace) -> dict[str, Path]:
    """The folder of each algorithm, by its name."""
    folder: Path = options.predictions
    if not folder.is_dir():
        message = f"--predictions: there is no folder {folder}"
        raise InputError(message)
    if not options.each:
        return {options.algorithm or folder.resolve().name: folder}
    if options.algorithm:
        message = "--algorithm cannot be combined with --each, which uses the folders' names"
        raise InputError(message)
    folders = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")}
    if not folders:
        message = f"--predictions: {folder} contains no folder of an algorithm"
        raise InputError(message)
    return folders


def report(scored: ScoredFolders) -> None:
    """Name what was counted as missing, what all predictions together suggest, and files that were not used."""
    lines = []
    for algorithm in scored.found_cases:
        lines += [f"{algorithm}: {line}" for line in _lines(scored, algorithm)]
    for line in lines[:_SHOWN]:
        print(line, file=sys.stderr)  # noqa: T201  (a command talks)
    if len(lines) > _SHOWN:
        print(f"… and {len(lines) - _SHOWN} more", file=sys.stderr)  # noqa: T201


def _lines(scored: ScoredFolders, algorithm: str) -> list[str]:
    """Lines about the files of one algorithm, the most important first."""
    findings = scored.findings.get(algorithm, [])
    lines = [f"{each.sentence} (check this)" for each in findings if each.severity is Severity.HOLD]
    reasons = {case: issue for (name, case), issue in scored.reasons.items() if name == algorithm}
    # A reason without a case is one of the whole table, or of a part of it that other values do not need.
    is_whole = scored.found_cases.get(algorithm, 0) <= len(reasons)
    lines += [_with_cost(of_issue(issue, case=case), is_whole=is_whole) for case, issue in reasons.items()]
    missing = [each for each in findings if each.severity is Severity.REJECT]
    lines += [_with_cost(each) for each in missing if each.id not in _COLLAPSED]
    for finding_id, words in _COLLAPSED.items():
        if absent := [each for each in missing if each.id == finding_id]:
            others = [each.case for each in absent[1:]]
            more = f" {counted(len(others), 'other case')} without {words}: {_names(others)}." if others else ""
            lines.append(f"{_with_cost(absent[0])}{more}")
    lines += [each.sentence for each in findings if each.severity is Severity.NOTE]
    ignored = scored.ignored.get(algorithm) or {
        name: finding("row_of_no_case", value=name) for name in scored.unexpected.get(algorithm, ())
    }
    lines += [f"{path}: {note.reason}" for path, note in list(ignored.items())[:_IGNORED_SHOWN]]
    if len(ignored) > _IGNORED_SHOWN:
        lines.append(f"{len(ignored) - _IGNORED_SHOWN:,} more ignored")
    return lines


def _with_cost(each: Finding, *, is_whole: bool = True) -> str:
    """The sentence, and what follows for the case or for all cases."""
    if each.case:
        return f"{each.sentence} It counts as missing."
    return f"{each.sentence} All cases count as missing." if is_whole else each.sentence


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def _jobs(text: str) -> int:
    jobs = int(text)
    if not 1 <= jobs <= 1024:
        raise ValueError
    return jobs
