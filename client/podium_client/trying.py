"""Running an algorithm's image at home as the platform would: the same checks, the same runner, the same validation."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from podium_client.base import durable
from podium_client.containers import load_image, load_parts, not_held, open_engine, run_limits
from podium_client.errors import ClientError
from podium_client.inputs import cases_of

_MIB = 1024**2


@dataclass(frozen=True)
class Tried:
    """Result of a run on one case."""

    case: str
    outcome: str
    reason: str
    seconds: float
    memory_mib: float | None
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """Results of all cases, and limits that could not be enforced on this machine."""

    image: str
    identity: str
    cases: list[Tried]
    notes: list[str]
    log: str
    scores: list[dict[str, Any]] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """The results as JSON values."""
        from evaluation.checking import Finding, Severity

        findings = [
            Finding(f"run_{tried.outcome}", Severity.REJECT, tried.reason or tried.outcome, case=tried.case)
            for tried in self.cases
            if tried.outcome != "ok"
        ]
        return {"schema": 1, "findings": [finding.document for finding in findings], **asdict(self)}

    @property
    def is_well(self) -> bool:
        """True if every case has a usable output."""
        return all(tried.outcome == "ok" for tried in self.cases)


def attempt(
    archive: Path,
    cases: Path,
    interface: dict[str, Any],
    *,
    model: Path | None = None,
    output: Path | None = None,
    engine_name: str = "podman",
    limited: bool = True,
    references: Path | None = None,
    assessment: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Run the algorithm on all cases.

    Parameters
    ----------
    archive
        Archive of the image.
    cases
        A folder with one folder of input files per case. For an algorithm with one input, one file per case is
        also accepted.
    interface
        `interface.json` of the phase.
    model
        Archive of weights.
    output
        Folder in which the outputs are stored.
    engine_name, limited
        Engine, and whether limits apply.
    references, assessment
        If both are passed, the outputs are scored.
    tell
        Called with a description of each step.

    Raises
    ------
    ClientError
        With one line, if the algorithm cannot be run.
    """
    from evaluation.running.conventions import conventions_of
    from evaluation.running.identity import identity
    from evaluation.running.interface import InterfaceError, read_interface

    try:
        inputs, outputs, limits = read_interface(interface)
        conventions = conventions_of(interface, inputs, outputs)
    except InterfaceError as error:
        raise ClientError(f"interface.json: {error}") from error
    files_by_case = cases_of(cases, inputs, any_image=conventions.writes_inputs)
    with tempfile.TemporaryDirectory(prefix="podium-try-", dir="/var/tmp") as name:
        folder = Path(name)
        # The user of a container is nobody on this machine and has to be able to enter it.
        folder.chmod(0o711)
        engine = open_engine(engine_name, folder)
        trial = Trial(
            engine, folder, inputs, outputs, interface, limits, files_by_case, limited=limited, output=output, tell=tell
        )
        image = trial.load(archive)
        digest = trial.take_weights(model)
        try:
            report = trial.run(image)
            failed = {tried.case for tried in report.cases if tried.outcome != "ok"}
            scores = _scores(references, assessment, trial.kept, failed, tell) if references and assessment else []
        finally:
            trial.close()
        return replace(report, identity=identity(image, digest, conventions.interface), scores=scores)


class Trial:
    """An image in an engine of this machine, run case by case and judged as the platform judges it."""

    def __init__(
        self,
        engine: Any,
        folder: Path,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        interface: dict[str, Any],
        limits: dict[str, Any],
        cases: dict[str, dict[str, Path]],
        *,
        limited: bool,
        output: Path | None,
        tell: Callable[[str], None],
    ) -> None:
        from evaluation.running.conventions import conventions_of

        self.engine, self.folder = engine, folder
        self.inputs, self.outputs, self.interface = inputs, outputs, interface
        self.conventions = conventions_of(interface, inputs, outputs)
        self.table = _table_of(interface)
        self.cases, self.tell = cases, tell
        self.limits = run_limits(limits, limited=limited)
        self.kept = output or folder / "kept"
        self.model: Path | None = None
        self.reports: list[Any] = []
        self.image = ""
        self.notes: list[str] = []

    def load(self, archive: Path) -> str:
        """Check the image and load it."""
        report = load_image(self.engine, self.folder, archive, self.tell, interface=self.conventions.interface)
        self.notes += report.warnings
        self.image = report.image_id
        return str(report.image_id)

    def load_parts(self, store: Path, image: str, layers: Sequence[Any]) -> None:
        """Load an image that was checked before from its parts."""
        load_parts(self.engine, self.folder, store, image, layers)
        self.image = image

    def take_weights(self, archive: Path | None) -> str | None:
        """Check and unpack the weights; returns their digest."""
        from confinement.containers.limits import WeightsLimits
        from confinement.containers.weights import STORED_NAME, WeightsError, take_weights, unpack_weights

        if archive is None:
            return None
        if not archive.is_file():
            raise ClientError(f"There is no file {archive}.")
        store = self.folder / "weights"
        store.mkdir()
        try:
            report = take_weights(archive, store, limits=WeightsLimits())
            self.model = unpack_weights(
                store / STORED_NAME, self.folder / "models", digest=report.digest, limits=WeightsLimits()
            )
        except WeightsError as error:
            raise ClientError(str(error)) from error
        return report.digest

    def run(self, image: str) -> Report:
        """Run all cases, each in a separate container."""
        self.notes += not_held(self.engine)
        tried = self.run_cases(list(self.cases))
        return Report(image, "", tried, self.notes, self.reports[-1].log.text())

    def run_cases(self, names: Sequence[str]) -> list[Tried]:
        """Run some of the cases and keep their outputs.

        Raises
        ------
        ClientError
            For a fault of the engine, which is not counted as a result.
        """
        from evaluation.running.outcomes import OurFaultError, judged

        try:
            decided = judged(list(names), self._start, attempts=1)
        except OurFaultError as error:
            raise ClientError(f"The engine failed: {error}") from error
        tried = []
        for case, judgement in decided.items():
            report, decision = self.reports[judgement.start], judgement.decision
            memory = report.peak_memory_bytes
            files = sorted(file.name for file in (self.kept / case).glob("*")) if (self.kept / case).is_dir() else []
            outcome = decision.outcome.value if decision.outcome is not None else ""
            tried.append(Tried(case, outcome, decision.reason, report.wall_seconds, memory and memory / _MIB, files))
        return tried

    def close(self) -> None:
        """Leave nothing in the engine."""
        self.engine.remove_image(self.image)

    def _start(self, cases: Sequence[str]) -> Any:
        from confinement.containers.batches import Batch, CaseInput, Expected
        from confinement.containers.removing import remove_tree
        from confinement.containers.runner import run_batch
        from evaluation.running.outcomes import Observation

        conventions = self.conventions
        number = len(self.reports) + 1
        batch = Batch(
            batch=f"try-{os.getpid()}-{number}",
            attempt=1,
            lease=f"try-{os.getpid()}-{number}",
            image_id=self.image,
            cases=[CaseInput(case, self._laid(case)) for case in cases],
            outputs=[Expected(**asdict(entry)) for entry in conventions.expected()],
            interface={**self.interface, "cases": [{"case": case} for case in cases]},
            limits=self.limits,
            model=self.model,
            model_targets=conventions.model_targets(has_model=self.model is not None),
            flat=conventions.is_flat,
            environment=conventions.environment(self.limits.memory_bytes),
            tells_interface=conventions.tells_interface,
        )
        self.tell(f"Case {', '.join(cases)} …")
        working = self.folder / batch.lease
        report = run_batch(self.engine, batch, working)
        self.reports.append(report)
        files = {case: self._judge(case, report) for case in cases} if not report.fault else {}
        remove_tree(working)
        observed = Observation(
            report.exit_code,
            report.timed,
            report.out_of_memory,
            report.output_bound,
            report.log_bound,
            report.not_started,
            report.fault,
        )
        return observed, files

    def _laid(self, case: str) -> dict[str, Path]:
        """Files of a case as its container finds them."""
        from evaluation.readers import ReadError

        files = {input_socket.name: self.cases[case][input_socket.file] for input_socket in self.inputs}
        try:
            return self.conventions.files_of_case(case, files, self.folder / "inputs" / case)
        except (ReadError, ValueError) as error:
            raise ClientError(f"{case}: its input cannot be shown to the container ({error}).") from error

    def _judge(self, case: str, report: Any) -> Any:
        """Keep the files of a case and return their state."""
        from confinement.containers.batches import Taken
        from evaluation.running.outcomes import Files
        from evaluation.running.outputs import check_output, grid_of

        images = [
            self.cases[case][input_socket.file]
            for input_socket in self.inputs
            if input_socket.kind in ("image", "label_image")
        ]
        grid = grid_of(images[0]) if images else None
        kind, sentence = Files.VALID, ""
        for socket in self.outputs:
            collected = report.files[case][socket.file]
            reason = collected.reason
            if collected.taken is Taken.TAKEN:
                (self.kept / case).mkdir(parents=True, exist_ok=True)
                target = self.kept / case / collected.path.name
                durable.copy(collected.path, target)
                reason = check_output(target, socket, grid) or self._said_of_rows(case, target, socket)
            if reason and (socket.required or collected.taken is Taken.TAKEN):
                return Files.BAD, reason
            if collected.taken is Taken.ABSENT and socket.required:
                kind = Files.NONE
        return kind, sentence

    def _said_of_rows(self, case: str, file: Path, socket: Any) -> str:
        """Return the reason for rejecting the rows of a case, or an empty string for other files."""
        if self.table is None or socket.kind != "csv":
            return ""
        with tempfile.TemporaryDirectory(prefix="podium-") as name:
            return str(self.table.judge(case, file, Path(name)))


def _table_of(interface: dict[str, Any]) -> Any:
    """Return the description of the table to which each case contributes rows, if there is one."""
    from evaluation.problems.case_tables import KEY, case_table

    try:
        return case_table(interface.get(KEY) or {})
    except ValueError as error:
        raise ClientError(f"interface.json: {error}") from error


def _handed_in(outputs: Path, assessment: Any, failed: set[str], folder: Path) -> None:
    """Lay what was kept of all cases as it would be uploaded: a file a case, and one table of the rows of all."""
    from evaluation import problems
    from evaluation.problems import case_tables
    from evaluation.problems.tables import TableProblem

    problem = problems.get(assessment.problem)
    beside = None if isinstance(problem, TableProblem) else problem.table_of_predictions(assessment)
    table = problem.table_files[0] if isinstance(problem, TableProblem) else beside.file if beside else ""
    rows: dict[str, Path] = {}
    for case in sorted(outputs.iterdir()) if outputs.is_dir() else []:
        for file in case.iterdir() if case.name not in failed else []:
            if isinstance(problem, TableProblem) or file.name == table:
                rows[case.name] = file
                continue
            ending = file.name[file.name.index(".") :]
            if not (folder / f"{case.name}{ending}").exists():
                shutil.copyfile(file, folder / f"{case.name}{ending}")
    if rows:
        case_tables.join(rows, folder / table)


def _scores(
    references: Path, assessment: Path, outputs: Path, failed: set[str], tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Score what was written, with the scoring code of the platform; cases that failed are missing."""
    from evaluation.assessment import parse
    from evaluation.assessment.errors import AssessmentError
    from evaluation.assessment.scorers import left_out_words
    from evaluation.outcomes import Outcome
    from evaluation.readers import ReadError
    from evaluation.scoring import score_folders

    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        flat = Path(name)
        try:
            document = parse(json.loads(assessment.read_text()))
            _handed_in(outputs, document, failed, flat)
            scored = score_folders(document, references, {"tried": flat})
        except (OSError, ValueError, AssessmentError, ReadError) as error:
            raise ClientError(f"It cannot be scored: {error}") from error
    if left_out := left_out_words(document):
        tell(left_out)
    if failed and any(not row.case for row in scored.rows):
        tell("Values of all cases together are left out: they tell nothing as long as cases fail.")
    return [
        {"case": row.case, "region": row.region, "metric": row.metric}
        | (
            {"value": None, "outcome": str(Outcome.MISSING)}
            if row.case in failed
            else {"value": row.value, "outcome": str(row.outcome)}
        )
        for row in scored.rows
        if row.case or not failed
    ]
