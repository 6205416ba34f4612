"""Checking predictions before they are uploaded, with the code that the platform reads them with (`evaluation.readers`)."""

import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.checking import Severity
from evaluation.checking.naming import bare_name, is_hidden
from podium_client.connection import Connection, RefusedError
from podium_client.errors import ClientError
from podium_client.findings import Finding
from podium_client.packing import files_of, is_archive
from podium_client.tables import check_table

_EXTRA_SHOWN = 20


@dataclass(frozen=True)
class Outcome:
    """Result of the validation of a whole submission."""

    expected: int
    findings: list[Finding]
    extra: list[str]
    incomplete_allowed: bool
    missing_case: str = ""
    """Treatment of cases that cannot be scored, in the platform's wording."""
    questions: list[Finding] = field(default_factory=list)
    """Questions and notes about all predictions together."""

    @property
    def asked(self) -> list[Finding]:
        """The questions, without notes."""
        return [finding for finding in self.questions if finding.severity is Severity.HOLD]

    @property
    def nothing_found(self) -> Finding | None:
        """The finding that no case can be scored, which rejects the submission; ``None`` if the platform accepts or holds it."""
        from evaluation.checking.sentences import OF_EVERY_CASE, finding

        if len(self.findings) < self.expected:
            return None
        is_held = self.incomplete_allowed and any(question.id in OF_EVERY_CASE for question in self.asked)
        return None if is_held else finding("nothing_found", count=self.expected)

    @property
    def will_be_taken(self) -> bool:
        """True if the platform will accept or hold the submission.

        It must be complete. Gaps are allowed if the phase accepts incomplete submissions, and at least one case
        remains or the platform asks about a fault of every case.
        """
        return not self.findings or (self.incomplete_allowed and self.nothing_found is None)

    @property
    def lines(self) -> list[str]:
        """The result as text."""
        lines = [f"{finding.case}: {finding.sentence}" for finding in self.findings]
        lines += [f"{question.sentence} (check this)" for question in self.asked]
        lines += [note.sentence for note in self.questions if note not in self.asked]
        lines += self.extra[:_EXTRA_SHOWN]
        lines.append(f"{self.expected - len(self.findings)} of {self.expected} cases can be scored.")
        if self.nothing_found is not None:
            lines.append(self.nothing_found.sentence)
        elif self.findings and self.incomplete_allowed and self.missing_case:
            lines.append(f"If you submit these files, each other case {self.missing_case}.")
        elif self.findings and not self.incomplete_allowed:
            lines.append("This phase takes complete submissions only.")
        return lines

    @property
    def document(self) -> dict[str, Any]:
        """The result as JSON values."""
        nothing = self.nothing_found
        findings = self.findings if nothing is None else [*self.findings, nothing]
        return {
            "schema": 1,
            "expected": self.expected,
            "findings": [{**finding.document, "message": finding.reason} for finding in findings],
            "questions": [question.document for question in self.questions],
            "extra": self.extra,
            "will_be_taken": self.will_be_taken,
        }


def validate(connection: Connection, *, challenge: str, phase: int, path: Path) -> Outcome:
    """Look for every expected case and read it as the platform will.

    Raises
    ------
    ClientError
        When it cannot be checked here.
    """
    try:
        wanted = connection.get(f"challenges/{challenge}/phases/{phase}/expectation/")
    except RefusedError as error:
        raise ClientError(str(error)) from error
    names = [case["name"] for case in wanted["cases"]]
    with _contents(path) as (files, fetch):
        if wanted.get("table"):
            findings, extra, questions = check_table(wanted, files, fetch)
        else:
            findings, extra, questions = _check_files(wanted, files, fetch)
    allowed, cost = wanted["incomplete_allowed"], wanted.get("missing_case", "")
    return Outcome(len(names), findings, extra, allowed, cost, questions)


def _check_files(
    wanted: dict[str, Any], files: list[str], fetch: Any
) -> tuple[list[Finding], list[str], list[Finding]]:
    """Assign the files to the cases and read each.

    Returns the findings of cases, what will be ignored, with the reason, and questions about all cases together.
    """
    from evaluation.checking.rows import row_label
    from evaluation.checking.sentences import finding
    from evaluation.problems.files import file_problem

    names = [case["name"] for case in wanted["cases"]]
    beside = _Beside.of(wanted, files, fetch)
    extra = [
        f"{row_label(beside.name, case)}: {finding('row_of_no_case', value=case).reason}"
        for case in beside.cases
        if case not in set(names)
    ]
    problem = file_problem(wanted["problem"])
    with (
        _separated(problem, names, beside.others, fetch) as (others, fetch_case, unexpected),
        _joined(problem, wanted, others, fetch_case) as (joined, fetch_joined),
    ):
        extra += unexpected
        return _check_cases(wanted, joined, fetch_joined, beside, extra)


def _check_cases(
    wanted: dict[str, Any], files: list[str], fetch: Any, beside: "_Beside", extra: list[str]
) -> tuple[list[Finding], list[str], list[Finding]]:
    from evaluation.checking.sentences import of_issue
    from evaluation.problems.files import FILE_PATTERN, file_problem

    problem = file_problem(wanted["problem"])
    pattern = str((wanted.get("expected") or {}).get(FILE_PATTERN, ""))
    ending = problem.usual_ending([case["geometry"] for case in wanted["cases"]])
    assignment = problem.assign(files, [case["name"] for case in wanted["cases"]], pattern=pattern, ending=ending)
    features: dict[str, dict[str, Any]] = {}
    reasons: dict[str, Any] = {}
    extra += [f"{file}: {note.reason}" for file, note in assignment.extra.items()]
    findings = []
    for case in wanted["cases"]:
        name = case["name"]
        if name in assignment.findings:
            findings.append(assignment.findings[name])
            continue
        file = assignment.files[name]
        content, issue = _read(problem, wanted, case, fetch(file))
        if issue is not None:
            reasons[name] = issue
            findings.append(of_issue(issue, case=name, file=file))
            continue
        unused = problem.unused(content, beside.table, case=name, file=bare_name(file))
        if case_features := problem.plausibility.features(content) | unused.features:
            features[name] = case_features
    return findings, extra, list(problem.plausibility.questions(features, reasons))


@contextmanager
def _separated(
    problem: Any, names: list[str], files: list[str], fetch: Any
) -> Iterator[tuple[list[str], Any, list[str]]]:
    """Split a table of all cases into one per case, where the kind of problem accepts it.

    Yields the files, the function that provides one of them, and what will be ignored.

    Raises
    ------
    ClientError
        If there are several such tables, or it cannot be read.
    """
    from evaluation.checking.rows import row_label
    from evaluation.checking.sentences import finding
    from evaluation.problems.joint_tables import split_table
    from evaluation.readers import ReadError

    tables = [file for file in files if problem.joint_table and bare_name(file).lower() == problem.joint_table]
    if not tables:
        yield files, fetch, []
        return
    if len(tables) > 1:
        raise ClientError(f"There are {len(tables)} tables {problem.joint_table}. Keep one.")
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        try:
            by_case, unexpected = split_table(fetch(tables[0]), names, Path(folder))
        except ReadError as error:
            raise ClientError(str(error)) from error
        ignored = [f"{file}: ignored next to {problem.joint_table}" for file in files if file != tables[0]]
        ignored += [
            f"{row_label(problem.joint_table, case)}: {finding('row_of_no_case', value=case).reason}"
            for case in unexpected
        ]
        by_name = {path.name: path for path in by_case.values()}
        yield list(by_name), by_name.__getitem__, ignored


@contextmanager
def _joined(problem: Any, wanted: dict[str, Any], files: list[str], fetch: Any) -> Iterator[tuple[list[str], Any]]:
    """Yield the files with one entry for each image of several files, and the function that provides one of them."""
    from evaluation.checking.groups import without_parts
    from evaluation.problems.files import FILE_PATTERN
    from evaluation.readers import dicom

    def head(file: str, size: int) -> bytes:
        with fetch(file).open("rb") as opened:
            content: bytes = opened.read(size)
        return content

    names = [case["name"] for case in wanted["cases"]]
    pattern = str((wanted.get("expected") or {}).get(FILE_PATTERN, ""))
    groups = {group.path: group for group in problem.groups_of(files, names, head=head, pattern=pattern)}
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:

        def fetch_joined(file: str) -> Path:
            group = groups.get(file)
            if group is None:
                return Path(fetch(file))
            if not group.folder:  # the data file comes to lie next to its header
                return [Path(fetch(part)) for part in group.parts][0]  # noqa: RUF015  (all are fetched)
            parts = [
                (part.removeprefix(f"{group.folder}/"), lambda part=part: fetch(part).open("rb"))
                for part in group.parts
            ]
            return dicom.pack(parts, Path(folder) / bare_name(file))

        yield without_parts(files, list(groups.values())), fetch_joined


def _read(problem: Any, wanted: dict[str, Any], case: dict[str, Any], file: Path) -> tuple[Any, Any]:
    """Return the content of a file, and the problem with it, or None."""
    from evaluation.readers import Limits, ReadError

    facts = case["geometry"]
    expected = {"labels": wanted["labels"]} | wanted.get("expected", {})
    try:
        content = problem.read_prediction(file, facts, expected, limits=Limits(decoded_bytes=problem.byte_limit(facts)))
    except ReadError as error:
        return None, error.issue
    return content, None


@dataclass(frozen=True)
class _Beside:
    """Table that accompanies the files of the cases, if there is one, and all other files."""

    others: list[str]
    table: Any = None
    name: str = ""

    @classmethod
    def of(cls, wanted: dict[str, Any], files: list[str], fetch: Any) -> "_Beside":
        """Look for it and read it.

        Raises
        ------
        ClientError
            When it is needed and not there, is there twice, or cannot be read; the platform refuses the archive then.
        """
        from evaluation.problems.case_tables import rules_of
        from evaluation.readers import ReadError

        rules = rules_of(wanted)
        if rules is None:
            return cls(files)

        table_files = [file for file in files if bare_name(file).lower() == rules.file]
        if len(table_files) > 1:
            kind = rules.words.replace("table", "tables", 1)
            raise ClientError(f"There are {len(table_files)} {kind}: {', '.join(table_files[:5])}. Keep one.")
        if not table_files:
            if rules.needed:
                raise ClientError(f"There is no {rules.file}. It tells {rules.purpose}.")
            return cls(files)
        try:
            table = rules.read(fetch(table_files[0]))
        except ReadError as error:
            raise ClientError(str(error)) from error
        return cls([file for file in files if file != table_files[0]], table, rules.file)

    @property
    def cases(self) -> list[str]:
        """The cases that the table names."""
        return [] if self.table is None else self.table.cases


@contextmanager
def _contents(path: Path) -> Iterator[tuple[list[str], Any]]:
    """Names of the files of a folder or archive, and how to get one of them as a file."""
    if not is_archive(path):
        root = path if path.is_dir() else path.parent
        files = {file.relative_to(root).as_posix(): file for file in files_of(path)}
        yield list(files), files.__getitem__
        return
    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        folder = Path(name)
        try:
            if path.name.lower().endswith(".zip"):
                with zipfile.ZipFile(path) as archive:
                    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
                    yield _visible(names), lambda member: _written(folder, member, archive.open(member))
            else:
                with tarfile.open(path) as tar:
                    names = [entry.name for entry in tar.getmembers() if entry.isfile()]
                    yield _visible(names), lambda member: _written(folder, member, tar.extractfile(member))
        except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
            raise ClientError(f"{path.name} is no archive that can be read ({error}).") from error


def _visible(names: list[str]) -> list[str]:
    return [name for name in names if not is_hidden(name) and not name.endswith("\\")]


def _written(folder: Path, member: str, source: Any) -> Path:
    """Copy an archive member under its bare name.

    Folders named by the archive are never created.
    """
    target = folder / bare_name(member)
    with source, target.open("wb") as sink:
        while block := source.read(1024 * 1024):
            sink.write(block)
    return target
