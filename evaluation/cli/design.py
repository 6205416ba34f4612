"""``design``: check, compile and compare challenge designs, without a platform."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluation.cli import InputError
from evaluation.cli.inputs import write_json
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.compiling import all_findings
from evaluation.designs.compilation import compile_values
from evaluation.designs.completeness import completeness
from evaluation.designs.differences import compare
from evaluation.designs.document import Document, UnfitValueError, from_json, to_json
from evaluation.designs.imports import DesignFileError, is_design_document, read_design_file
from evaluation.importing.configurations import CONFIGURATION_BYTES, read_configuration

if TYPE_CHECKING:
    import argparse

    from evaluation.assessment.model import Assessment
    from evaluation.designs.checks import Finding
    from evaluation.designs.compilation import Compilation
    from evaluation.designs.differences import Difference
    from evaluation.rehearsal import Obstacle, Rehearsal

HAS_ERRORS: Final = 1
# A design of twelve tasks with all texts has about 1 MB.
MAX_BYTES: Final = 32 * 1024**2


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    acts = parser.add_subparsers(dest="act", metavar="ACT", required=True)
    check = acts.add_parser("check", help="list what is missing, contradictory or unwise")
    check.add_argument("file", type=Path, metavar="DESIGN.json", help="a design as the platform exports it")
    check.add_argument("--phase", default="draft", help="point of life whose checks are run (draft)")
    check.add_argument("--json", action="store_true", help="write JSON, for programs")
    compiled = acts.add_parser("compile", help="write the assessment document that would be executed")
    compiled.add_argument("file", type=Path, metavar="DESIGN.json")
    compiled.add_argument("--task", metavar="KEY", help="key of the task; needed where there are several")
    compiled.add_argument("--output", type=Path, metavar="FILE", help="assessment (JSON); standard output if absent")
    rehearsed = acts.add_parser("rehearse", help="run every task on sample data, as it would run after the launch")
    rehearsed.add_argument("file", type=Path, metavar="DESIGN.json")
    rehearsed.add_argument("--task", metavar="KEY", help="task of your own sample; needed where there are several")
    rehearsed.add_argument(
        "--references", type=Path, metavar="DIR", help="your own references instead of generated ones"
    )
    rehearsed.add_argument(
        "--predictions", type=Path, nargs="+", metavar="DIR", help="folders of your own predictions, one a submission"
    )
    rehearsed.add_argument("--json", action="store_true", help="write JSON, for programs")
    imported = acts.add_parser(
        "import", help="make a draft from a document (Word, PDF) or settings of Grand Challenge, Codabench or EvalAI"
    )
    imported.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="design as .docx or .pdf, phases as .json, competition.yaml, challenge_config.yaml or a bundle",
    )
    imported.add_argument("--output", type=Path, metavar="FILE", help="design (JSON); standard output if absent")
    diff = acts.add_parser("diff", help="list what differs between two designs")
    diff.add_argument("before", type=Path, metavar="BEFORE.json")
    diff.add_argument("after", type=Path, metavar="AFTER.json")
    diff.add_argument("--json", action="store_true", help="write JSON, for programs")


def run(options: argparse.Namespace) -> int:
    """Run one of the acts; 1 when a checked design has errors, or a rehearsal fails."""
    match options.act:
        case "check":
            return _check(options)
        case "compile":
            return _compile(options)
        case "rehearse":
            return _rehearse(options)
        case "import":
            return _import(options)
        case _:
            return _diff(options)


def _check(options: argparse.Namespace) -> int:
    document = read(options.file)
    open_points = all_findings(document, phase=options.phase)
    essential = completeness(document).gate
    if options.json:
        counts = {"filled": essential.filled, "total": essential.total}
        write_json({"essential": counts, "findings": [_as_json(item) for item in open_points]}, None)
    else:
        sys.stdout.write(f"Essential parameters filled: {essential.filled} of {essential.total}\n")
        for finding in open_points:
            sys.stdout.write(f"{_line(finding)}\n")
        if not open_points:
            sys.stdout.write("No check is open.\n")
    return HAS_ERRORS if any(finding.blocks for finding in open_points) else 0


def _compile(options: argparse.Namespace) -> int:
    write_json(_compiled(options)[1].document, options.output)
    return 0


def _executed_task(options: argparse.Namespace) -> tuple[str, Assessment]:
    key, compilation = _compiled(options)
    assert compilation.assessment is not None
    return key, compilation.assessment


def _compiled(options: argparse.Namespace) -> tuple[str, Compilation]:
    """Compile the chosen task.

    Raises
    ------
    InputError
        If no task is chosen, or it cannot be executed.
    """
    document = read(options.file)
    key = options.task or (next(iter(document.tasks)) if len(document.tasks) == 1 else None)
    if key is None:
        message = f"{options.file}: name a task with --task: {', '.join(document.tasks) or 'there is none'}"
        raise InputError(message)
    if key not in document.tasks:
        message = f"{options.file}: no task {key!r}; its tasks are {', '.join(document.tasks) or 'none'}"
        raise InputError(message)
    compilation = compile_values(document.values(key))
    if compilation.assessment is None:
        message = f"{options.file}: cannot be executed: {'; '.join(str(problem) for problem in compilation.problems)}"
        raise InputError(message)
    return key, compilation


def _rehearse(options: argparse.Namespace) -> int:
    from evaluation.rehearsal import rehearse

    if (options.references is None) != (options.predictions is None):
        message = "--references and --predictions are given together"
        raise InputError(message)
    outcome = rehearse(read(options.file)) if options.references is None else _rehearsed_sample(options)
    if options.json:
        write_json(outcome.document, None)
        return 0 if outcome.is_passed else HAS_ERRORS
    lines = [str(obstacle) for obstacle in outcome.obstacles]
    for task in outcome.tasks:
        lines.append(f"{task.name or task.key}: {task.summary}")
        lines += [f"  {_of_obstacle(obstacle)}" for obstacle in task.obstacles]
        lines += [f"  {note}" for note in task.notes]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if outcome.is_passed else HAS_ERRORS


def _rehearsed_sample(options: argparse.Namespace) -> Rehearsal:
    """Rehearse one task with the references and predictions of the person who calls."""
    from evaluation.rehearsal import OwnSample, Rehearsal, rehearse_sample

    key, assessment = _executed_task(options)
    names = [folder.resolve().name for folder in options.predictions]
    for folder in (options.references, *options.predictions):
        if not folder.is_dir():
            message = f"{folder}: folder not found"
            raise InputError(message)
    if len(set(names)) < len(names):
        message = f"--predictions: two folders have the same name: {', '.join(names)}"
        raise InputError(message)
    sample = OwnSample(options.references, dict(zip(names, options.predictions, strict=True)))
    return Rehearsal([rehearse_sample(assessment, sample, key=key)])


def _of_obstacle(obstacle: Obstacle) -> str:
    return f"[{obstacle.parameter}] {obstacle}" if obstacle.parameter else str(obstacle)


def _import(options: argparse.Namespace) -> int:
    path: Path = options.file
    if is_design_document(path.name) or path.suffix.lower() == ".json":
        return _import_document(path, options.output)
    if path.stat().st_size > CONFIGURATION_BYTES:
        message = f"{path}: {path.stat().st_size:,} bytes; a configuration has at most {CONFIGURATION_BYTES:,}"
        raise InputError(message)
    draft = read_configuration(path.name, path.read_bytes())
    write_json(draft.document(), options.output)
    lines = [f"Draft from {draft.platform}: {draft.title}"]
    lines += [f"  open: {question}" for question in draft.questions]
    lines += [f"  note: {note}" for note in draft.notes]
    sys.stderr.write("\n".join(lines) + "\n")
    return 0


def _import_document(path: Path, output: Path | None) -> int:
    """Write a draft with every value that the document states exactly, and list the rest."""
    try:
        read_document = read_design_file(path)
    except DesignFileError as error:
        raise InputError(str(error)) from error
    write_json(to_json(read_document.document(), catalogue=shipped()), output)
    exact = sum(proposal.is_exact for proposal in read_document.proposals)
    lines = [f"Draft from a {read_document.source_words}: {exact} fields"]
    for proposal in read_document.proposals:
        if not proposal.is_exact:
            where = f"page {proposal.page}, " if proposal.page else ""
            task = "" if proposal.task is None else f", task {proposal.task + 1}"
            lines.append(f"  open: {where}[{proposal.parameter}{task}] {proposal.question}")
    lines += [f"  not placed: {passage.heading}" for passage in read_document.unplaced]
    lines += [f"  note: {note}" for note in read_document.notes]
    sys.stderr.write("\n".join(lines) + "\n")
    return 0


def _diff(options: argparse.Namespace) -> int:
    differences = compare(read(options.before), read(options.after))
    if options.json:
        rows = [{"task": item.task, "parameter": item.parameter.id, "kind": item.kind} for item in differences]
        write_json({"differences": rows}, None)
        return 0
    for item in differences:
        sys.stdout.write(f"{_where(item)}{item.parameter.label}: {item.kind}\n")
    if not differences:
        sys.stdout.write("The two designs are the same.\n")
    return 0


def read(path: Path) -> Document:
    """Read a design document.

    Raises
    ------
    InputError
        When the file is too large, is no JSON, or holds a value that its type does not take.
    """
    if path.stat().st_size > MAX_BYTES:
        message = f"{path}: {path.stat().st_size:,} bytes; a design has at most {MAX_BYTES:,}"
        raise InputError(message)
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        document, _ = from_json(data, catalogue=shipped())
    except UnfitValueError as error:
        message = f"{path}: {error}"
        raise InputError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{path}: no JSON document ({error})"
        raise InputError(message) from error
    return document


def _where(item: Difference) -> str:
    return f"{item.task}: " if item.task else ""


def _line(finding: Finding) -> str:
    where = f" ({finding.task})" if finding.task else ""
    return f"{finding.word}{where} [{finding.check.parameter}] {finding.message} {finding.detail}".rstrip()


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check.id,
        "parameter": finding.check.parameter,
        "task": finding.task,
        "severity": finding.severity,
        "message": finding.message,
        "detail": finding.detail,
    }
