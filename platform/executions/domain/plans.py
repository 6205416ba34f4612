"""From what is registered to what a start of a container gets: bounds, sockets, the interface document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from confinement.containers.limits import RunLimits
from confinement.limits import GIB, MIB, TableLimits
from evaluation.assessment import Assessment
from evaluation.problems import case_tables, kind_of
from evaluation.problems.beside import RulesBeside
from evaluation.problems.case_tables import CaseTable
from evaluation.problems.files import FileProblem
from evaluation.problems.images import LabelImageProblem
from evaluation.problems.tables import ExpectedTable, TableProblem
from evaluation.readers import Limits, case_name
from evaluation.running.conventions import Conventions, conventions_of, mapping_of
from evaluation.running.grand_challenge import KEY
from evaluation.running.interface import Socket, interface_document
from evaluation.running.registered import Registered

TABLE = ".csv"
ADAPTED = ".mha"
"""Ending of images by the conventions of Grand Challenge."""


class NotRunnableError(ValueError):
    """Error for a phase whose algorithms cannot be run; the message is for organizers."""


def run_limits(plan: Registered) -> RunLimits:
    """Bounds on a start of a container."""
    return RunLimits(
        case_seconds=plan.case_seconds,
        start_seconds=plan.start_seconds,
        memory_bytes=plan.memory_mib * MIB,
        cpus=plan.cpus,
        gpus=plan.gpus,
        gpu_memory_bytes=None if plan.gpu_memory_mib is None else plan.gpu_memory_mib * MIB,
        pids=plan.pids,
        output_bytes=plan.output_mib * MIB,
        output_files=plan.output_files,
        scratch_bytes=plan.scratch_mib * MIB,
        shm_bytes=plan.shm_mib * MIB,
    )


@dataclass(frozen=True)
class Sockets:
    """Inputs that an algorithm receives and outputs that it writes, for each case."""

    image: Socket
    prediction: Socket
    beside: Socket | None = None
    """Table next to the file, of which a container writes the rows of each case."""
    table: CaseTable | None = None
    """Content of the table of which a container writes the rows of each case, next to or instead of the file."""

    @property
    def outputs(self) -> list[Socket]:
        """Outputs written for each case."""
        return [self.prediction, *([self.beside] if self.beside else [])]

    def document(
        self, plan: Registered, cases: Sequence[str] = (), facts: Mapping[str, Mapping[str, Any]] | None = None
    ) -> dict[str, Any]:
        """The document `interface.json`, with cases by the names under which a container sees them.

        Parameters
        ----------
        facts
            What is known of each case's grid, by the same names.
        """
        entries = [{"case": name, "inputs": {self.image.name: dict((facts or {}).get(name, {}))}} for name in cases]
        more: dict[str, Any] = {}
        if (interface_sockets := plan.there()) is not None:
            into, out = interface_sockets
            more[KEY] = mapping_of({self.image.name: into}, {self.prediction.name: out})
        if self.table is not None:
            more[case_tables.KEY] = self.table.described()
        return interface_document(
            [self.image],
            self.outputs,
            limits=run_limits(plan).described(),
            cases=entries,
            interface=plan.interface,
            more=more,
        )

    def conventions(self, plan: Registered) -> Conventions:
        """By which conventions a container is shown its cases."""
        return conventions_of(self.document(plan), [self.image], self.outputs)


def sockets(
    plan: Registered, assessment: Assessment, endings: Sequence[str], expected: ExpectedTable | None = None
) -> Sockets:
    """Return the sockets of a phase.

    If predictions are rows of a table, a container writes the rows of each case.

    Parameters
    ----------
    endings
        File endings of the images of its cases. They must be identical, because a container receives one file name.

    Raises
    ------
    NotRunnableError
        When images are absent or have several formats, and when a prediction does not fit the conventions.
    """
    problem = kind_of(assessment)
    if not problem.takes_algorithms:
        raise NotRunnableError(f"Algorithms are not run for {problem.title}: nothing of it is scored here.")
    assert isinstance(problem, FileProblem | TableProblem)
    formats = sorted(set(endings))
    if not formats or "" in formats:
        raise NotRunnableError("Not every case of the test set has an image: algorithms would have nothing to work on.")
    if len(formats) > 1:
        raise NotRunnableError(
            f"The images of the cases have several formats ({', '.join(formats)}); algorithms need one."
        )
    image = Socket(plan.input_socket, "image", formats[0])
    beside = None if isinstance(problem, TableProblem) else problem.table_of_predictions(assessment)
    if plan.is_adapted and (isinstance(problem, TableProblem) or ADAPTED not in problem.suffixes):
        raise NotRunnableError(
            f"By the conventions of Grand Challenge a prediction is an image ({ADAPTED}); that of {problem.title} is none."
        )
    if plan.is_adapted and beside is not None and beside.needed:
        raise NotRunnableError(
            f"By the conventions of Grand Challenge a prediction is one image; that of {problem.title} needs {beside.file} beside it."
        )
    if isinstance(problem, TableProblem):
        stem = problem.case_file if plan.output_socket == Registered.output_socket else plan.output_socket
        table = None if expected is None else _table(expected=expected)
        return Sockets(image, Socket(stem, "csv", TABLE), table=table)
    suffix = ADAPTED if plan.is_adapted else problem.suffixes[0]
    labels = {}
    is_label_image = isinstance(problem, LabelImageProblem)
    if is_label_image:
        labels = {
            str(label): region.name
            for region in assessment.regions
            if len(region.labels) == 1
            for label in region.labels
        }
    prediction = Socket(plan.output_socket, "label_image" if is_label_image else "file", suffix, labels=labels)
    if beside is None or plan.is_adapted:
        return Sockets(image, prediction)
    stem, dot, ending = beside.file.partition(".")
    rows = Socket(stem, "csv", dot + ending, required=beside.needed)
    return Sockets(image, prediction, rows, _table(rules=beside))


def _table(*, expected: ExpectedTable | None = None, rules: RulesBeside | None = None) -> CaseTable:
    """A table of which containers write the rows of each case, with the bounds within which it is read here."""
    table_limits = TableLimits()
    return CaseTable(
        expected,
        rules,
        table_limits.objects_of_case,
        Limits(table_rows=table_limits.rows, table_bytes=table_limits.bytes_of_case),
    )


def ending_of(file: str) -> str:
    """The ending of an image's file as containers see it; empty where there is none."""
    if not file:
        return ""
    name_parts = case_name(PurePosixPath(file))
    return (name_parts[1] if name_parts else PurePosixPath(file).suffix).lower()


def facts_shown(geometry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a case's geometry that a container receives.

    It contains only the information about a grid that participants can know.
    """
    return {name: geometry[name] for name in ("shape", "spacing") if geometry.get(name) is not None}


def size_words(plan: Registered) -> list[tuple[str, str]]:
    """Interface and limits for people, in the order in which they matter."""
    rows = [
        ("Interface", "Grand Challenge's folders" if plan.is_adapted else "podium-exec-1"),
        ("Time", f"{_number(plan.case_seconds)} s a case and {_number(plan.start_seconds)} s to start"),
        ("Memory", f"{_size(plan.memory_mib)}, files in memory included"),
        ("Processor", f"{_number(plan.cpus)} {'core' if plan.cpus == 1 else 'cores'}"),
    ]
    if plan.gpus:
        memory = f", {_size(plan.gpu_memory_mib)} each" if plan.gpu_memory_mib else ""
        rows.append(("GPU", f"{plan.gpus}{memory}"))
    rows += [
        ("Cases a start", f"{plan.batch_cases}"),
        ("Output", f"{_size(plan.output_mib)} a start"),
        ("Scratch space", f"{_size(plan.scratch_mib)} in /tmp, {_size(plan.shm_mib)} in /dev/shm"),
        ("Processes and threads", f"{plan.pids}"),
        ("Image", f"{_number(plan.image_gib)} GiB as uploaded"),
        ("Weights", f"{_number(plan.model_gib)} GiB as uploaded"),
    ]
    if plan.compute_hours is not None:
        rows.append(("Compute time of a team", f"{_number(plan.compute_hours)} h in this phase"))
    if plan.budget_hours is not None:
        rows.append(("Compute time of all teams", f"{_number(plan.budget_hours)} h in this task"))
    if plan.exclusive:
        rows.append(("Machine", "one of its own for each start, and of one class for all"))
    if plan.hardware:
        rows.append(("Hardware", plan.hardware))
    return rows


def bytes_of(gib: float) -> int:
    """Convert GiB to bytes."""
    return int(gib * GIB)


def _size(mib: float) -> str:
    """Format a number of MiB for readers.

    >>> _size(64), _size(8192)
    ('64 MiB', '8 GiB')
    """
    return f"{_number(mib)} MiB" if mib < 1024 else f"{_number(mib / 1024)} GiB"


def _number(value: float) -> str:
    return f"{value:.3g}"
