"""Kinds of problem whose references and predictions are each one table for all cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.checking.naming import is_table_name
from evaluation.problems.base import Problem
from evaluation.problems.opened import Opened, References
from evaluation.problems.reference_rules import ReferenceRules
from evaluation.problems.samples import Samples
from evaluation.problems.score_ranges import NEED_LABELS, SCORES
from evaluation.problems.scorer_files import ScorerFiles
from evaluation.problems.texts import PageTexts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.checking.findings import Finding
    from evaluation.problems.shown import Rows
    from evaluation.readers import Issue, ReadError
    from evaluation.readers.limits import Limits

IMAGE_IDS: Final = "image_ids"
CATEGORY_IDS: Final = "category_ids"
_CLASSES_SHOWN = 12
_COLUMNS_SHOWN = 12
_CASES_SHOWN = 10
ROWS_MISSING: Final = ("row_missing", "row_misnamed")
"""Ids of findings about cases without a row."""
SHOWN_REASONS = 20
"""Maximum number of rejected cases per table for which the command line shows the reason."""


class ReferenceTableError(ValueError):
    """A table of references that does not fit the assessment; the message is for the organizer."""


@dataclass(frozen=True)
class ExpectedTable:
    """Required content of the single table of predictions.

    Nothing here is derived from the reference of a case.

    Attributes
    ----------
    problem
        Id of the kind.
    files
        Permitted file names.
    classes
        Classes of the task, in order.
    need_scores
        Names of the metrics that need a score for every class or object.
    kind
        Kind of objects: boxes or points, and the number of axes.
    may_be_empty
        Whether a table without any object in any case is accepted. It is a valid result of an algorithm that ran. A person who
        uploads such a table has chosen the wrong file.
    unit
        Unit of the coordinates, where the assessment registers it.
    scores
        Range of the scores where it is not that of probabilities: ``any``.
    need_labels
        Names of the metrics that rate decisions, where scores are no probabilities and no decisions follow from them.
    image_ids, category_ids
        Ids with the case or class that each of them names, where a list of COCO results can refer to them.
    """

    problem: str
    files: tuple[str, ...]
    classes: tuple[str, ...]
    need_scores: tuple[str, ...]
    kind: tuple[str, int] = ("", 0)
    may_be_empty: bool = False
    unit: str = ""
    scores: str = ""
    need_labels: tuple[str, ...] = ()
    image_ids: tuple[tuple[int | str, str], ...] = ()
    category_ids: tuple[tuple[int | str, str], ...] = ()

    @property
    def reading(self) -> dict[str, Any]:
        """Content of `TableProblem.shared` that reading a table needs."""
        return {
            "classes": self.classes,
            **({SCORES: self.scores} if self.scores else {}),
            **({NEED_LABELS: list(self.need_labels)} if self.need_labels else {}),
            **({IMAGE_IDS: self.image_ids, CATEGORY_IDS: self.category_ids} if self.image_ids else {}),
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the CSV file."""
        return table_problem(self.problem).columns(self)


class ReferenceTable:
    """The references of all cases in one table.

    Attributes
    ----------
    cases
        Cases that the table names, ascending.
    content
        Description of the content; tables that are used together must agree in it.
    facts
        Facts that participants may know about the kind of references; the same for all cases.
    classes
        Class of every case, where every case has one.
    """

    cases: Sequence[str] = ()
    content: str = "values"
    facts: Mapping[str, Any] = {}
    classes: Mapping[str, str] | None = None

    def covered(self, cases: Sequence[str]) -> list[str]:
        """Return the cases that the authors of the table examined."""
        named = set(self.cases)
        return [case for case in cases if case in named]


class PredictionTable:
    """The predictions of all cases in one table.

    Attributes
    ----------
    absent
        Expected cases without a row.
    strange
        Unexpected cases of the table, in its order.
    without_row
        Remark on a case without a row, where a missing row is an answer, such as that nothing was found; otherwise empty.
    """

    absent: frozenset[str] = frozenset()
    strange: Sequence[str] = ()
    without_row: str = ""

    @property
    def unused(self) -> Sequence[str]:
        """Cases of the table that the command line names as not used."""
        return self.strange

    def issue(self, case: str) -> Issue | None:
        """Return the reason why the rows of a case are invalid, with the remedy; ``None`` if they are valid."""
        return None

    def is_empty(self, case: str) -> bool:
        """Return whether the valid answer to a case contains no prediction."""
        return case in self.absent

    @property
    def dropped(self) -> Mapping[str, Sequence[Issue]]:
        """Reasons of the rows that were not used although their case counts, by case."""
        return {}

    @property
    def rows(self) -> int:
        """Number of rows that were used; only counted where rows can be dropped."""
        return 0

    def findings(self, file: str) -> list[Finding]:
        """Return the findings about the table: the rows that were not used."""
        from evaluation.checking.sentences import finding

        reasons = [issue for issues in self.dropped.values() for issue in issues]
        if not reasons:
            return []
        first = reasons[0]
        facts = {"file": file, "count": len(reasons), "total": self.rows + len(reasons), "row": first.row}
        reason = first.message.removeprefix(f"{file}: ")
        return [finding("rows_not_used", **facts, reason=reason, value=first.cell)]

    def remark(self, case: str) -> str:
        """Return the remark on an accepted case, such as that nothing was found or some of its rows were not used."""
        if reasons := self.dropped.get(case):
            number = "1 row was" if len(reasons) == 1 else f"{len(reasons):,} rows were"
            return f"{number} not used: {reasons[0].message}"
        return self.without_row if self.is_empty(case) else ""

    def of(self, case: str) -> Any | None:
        """The prediction of a case, ``None`` if there is none."""
        raise NotImplementedError


class TableSamples(Samples):
    """Samples of a kind with one table for all cases."""

    kind: TableProblem

    def perfect_rows(self, reference: Rows, shared: Mapping[str, Any]) -> Rows:
        """The prediction that is the reference itself."""
        return reference

    def worse_rows(self, perfect: Rows) -> dict[str, Rows]:
        """Predictions made of the perfect one, by what they are."""
        raise NotImplementedError

    def perfect_prediction(
        self, reference: Mapping[str, Path], shared: Mapping[str, Any], folder: Path
    ) -> Mapping[str, Path]:
        """Write a reference as a prediction, with the additional content of predictions, such as scores."""
        from evaluation.problems.shown import Rows

        [path] = reference.values()
        return self.kind.scorer_files.write_rows(self.perfect_rows(Rows.read(path), shared), folder)

    def worse_predictions(self, perfect: Mapping[str, Path], folder: Path) -> dict[str, dict[str, Path]]:
        """Other rows."""
        from evaluation.problems.shown import Rows, written_rows

        [path] = perfect.values()
        return written_rows(self.kind.case_file, self.worse_rows(Rows.read(path)), folder)


class TableScorerFiles(ScorerFiles):
    """Files of a kind with one table for all cases for scoring images."""

    kind: TableProblem

    def reference_rows(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Rows:
        """The reference of a case, without the column of the case."""
        raise NotImplementedError

    def prediction_rows(self, prediction: Any, shared: Mapping[str, Any]) -> Rows:
        """The prediction of a case, from `PredictionTable.of`, without the column of the case."""
        raise NotImplementedError

    def write_rows(self, rows: Rows, folder: Path) -> dict[str, Path]:
        """Write the rows of a case into a folder; its file by its name."""
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{self.kind.case_file}.csv"
        return {name: rows.written(folder / name)}


class TableTexts(PageTexts):
    """Texts about a kind with one table for all cases on pages.

    Attributes
    ----------
    row_noun
        Rows of a case in sentences.
    """

    kind: TableProblem

    row_noun = "a row"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page.

        Parameters
        ----------
        incomplete_cost
            Cost of a missing case, where incomplete submissions are accepted; otherwise empty.
        """
        files = " or ".join(f"`{name}`" for name in self.kind.table_files)
        before = f"One table {files} with {self.row_noun} for each of the {cases} cases, packed into an archive or dropped as it is."
        after = (f"A case without a row that can be read {incomplete_cost}.",) if incomplete_cost else ()
        return SubmitWords((before,), expected.columns, "…", after)


class TableReferenceRules(ReferenceRules):
    """References of a kind with one table for all cases."""

    def check_annotator(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse what one of several annotators may not have written; cases may lack.

        Raises
        ------
        ReferenceTableError
            With the case.
        """

    def merge_tables(
        self,
        tables: Mapping[str, ReferenceTable],
        rule: str,
        scored: Sequence[str],
        assessment: Assessment,
        target: Path,
    ) -> list[str]:
        """Make the table that is scored from those of several annotators, by a rule of `merging`, and write it.

        Returns
        -------
        list of str
            Why it cannot be made; empty if it was written.
        """
        message = f"{rule} is not computed here."
        raise ValueError(message)


class TableProblem(Problem):
    """A kind with one table for all cases, called one of `table_files`."""

    is_scored = True
    takes_algorithms = True
    samples = TableSamples()
    scorer_files = TableScorerFiles()
    texts = TableTexts()
    references = TableReferenceRules()

    # Reading and validating -------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> ReferenceTable:
        """Read the table of references.

        Raises
        ------
        ReadError
            If it cannot be taken.
        """
        raise NotImplementedError

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse a table that lacks a case, or names what the assessment does not know.

        Raises
        ------
        ReferenceTableError
            With the case.
        """
        named = set(table.cases)
        if absent := [case for case in cases if case not in named]:
            message = f"There is no reference for the case {absent[0]}."
            raise ReferenceTableError(message)

    def read_predictions(
        self,
        path: Path,
        cases: Sequence[str],
        shared: Mapping[str, Any],
        *,
        references: ReferenceTable | None = None,
        every_reason: bool = False,
        most_of_case: int | None = None,
        limits: Limits | None = None,
    ) -> PredictionTable:
        """Read the table of predictions; invalid rows affect only their case.

        Parameters
        ----------
        cases
            The expected cases.
        shared
            From `shared`.
        references
            References, where they are available; some formats refer to them.
        every_reason
            Keep the reason of every invalid case, not only of the first few.
        most_of_case
            Maximum number of rows that are accepted for one case.

        Raises
        ------
        ReadError
            If the table as a whole is invalid.
        """
        raise NotImplementedError

    def check_predictions(self, table: PredictionTable, path: Path, expected: ExpectedTable) -> None:
        """Refuse a table that lacks as a whole what the assessment needs.

        Raises
        ------
        ReadError
            Saying what lacks.
        """

    def most_rows(self, cases: int, most: int) -> int:
        """Return the maximum number of rows that are read from a table for this number of cases."""
        return most

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """The columns of a CSV file of predictions."""
        return ("case", *expected.classes)

    def with_facts(self, expected: ExpectedTable, facts: Mapping[str, Any]) -> ExpectedTable:
        """Return the requirements for a table of predictions, adapted to the references.

        `facts` are the `ReferenceTable.facts` of the references.
        """
        return expected

    def expected(self, assessment: Assessment, shared: Mapping[str, Any]) -> ExpectedTable:
        """Return the requirements for a table of predictions; `shared` is from the method of that name."""
        return ExpectedTable(
            problem=self.id,
            files=self.table_files,
            classes=tuple(name for name in shared.get("classes", ()) if name),
            need_scores=tuple(use.name for use in assessment.computed if self.metrics.needs_scores(use)),
            scores=shared.get(SCORES, ""),
            need_labels=tuple(shared.get(NEED_LABELS, ())),
        )

    def shared(
        self,
        table: ReferenceTable,
        assessment: Assessment,
        cases: Sequence[str],
        patients: Mapping[str, str],
        named: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return the content that the evidence of all algorithms has in common.

        It is the same on a platform and in a folder.

        Parameters
        ----------
        patients
            Patient of each case, where they are known.
        named
            Classes that annotators named in addition to those of the references.

        Raises
        ------
        ValueError
            If it cannot be determined.
        """
        return {"classes": [], "patients": dict(patients)}

    def public_ids(
        self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str], *, has_decoys: bool = False
    ) -> dict[str, Any]:
        """Return the ids of images and categories that participants may know, with their names; empty without ids.

        Parameters
        ----------
        cases
            All cases of the task. The ids of other images are not returned.
        has_decoys
            Whether some of the cases have no reference.
        """
        return {}

    def shared_facts(
        self, table: ReferenceTable, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return additional content of `shared`, derived from the characteristics of the scored cases.

        The characteristics are by case and column.

        Raises
        ------
        ReferenceTableError
            If a characteristic that the assessment needs is missing.
        """
        return {}

    def facts_of(self, table: ReferenceTable, assessment: Assessment) -> dict[str, Any]:
        """Return the facts that participants may know about the kind of references under this assessment."""
        return dict(table.facts)

    def classes_of(self, table: ReferenceTable, assessment: Assessment, case: str) -> dict[str, int]:
        """Return the amount of each class in the reference of a case, including registered classes with 0.

        The result is empty where there are no classes.
        """
        names = [str(label) for region in assessment.regions for label in region.labels]
        class_name = None if table.classes is None else table.classes.get(case)
        if class_name is None:
            return {}
        return {**dict.fromkeys(names, 0), class_name: 1}

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Any:
        """The reference of a case, for any number of predictions."""
        raise NotImplementedError

    # What a scoring image is shown ------------------------------------------------------------------------------------

    @property
    def case_file(self) -> str:
        """Stem of the file that holds the rows of one case."""
        return self.table_files[0].partition(".")[0]

    # Folders of the command line --------------------------------------------------------------------------------------

    def find_table(self, folder: Path, names: Sequence[str] = ()) -> Path:
        """The table in a folder under one of the names, those of predictions by default; a file is the table itself.

        Capital letters do not matter, and a table for several cases may be an Excel workbook. Without a table in the
        folder, its subfolders are searched.

        Raises
        ------
        ReadError
            If there are two, or none under several possible names.
        """
        from evaluation.problems.folders import visible_files
        from evaluation.readers import ReadError

        if folder.is_file():
            return folder
        file_names = tuple(names or self.table_files)
        present = [folder / name for name in file_names if (folder / name).is_file()]
        if not present and folder.is_dir():
            others = [path for name, path in visible_files(folder).items() if is_table_name(name, file_names)]
            present = [path for path in others if path.parent == folder] or others
        if len(present) > 1:
            names_of_tables = " and ".join(path.relative_to(folder).as_posix() for path in present)
            raise ReadError("duplicate", folder.name, names_of_tables, "one of them")
        if not present and len(file_names) > 1:
            raise ReadError("not_found", file_names[0], f"no {' or '.join(file_names)} in the folder {folder.name}")
        return present[0] if present else folder / file_names[0]

    def listed_cases(self, table: ReferenceTable, folder: Path) -> Sequence[str]:
        """The cases to score: those of the table."""
        return list(table.cases)

    def open_references(self, assessment: Assessment, folder: Path) -> TableReferences:
        """Read the table of references of a folder; see `Problem.open_references`."""
        from evaluation.problems.folders import facts_of, patients_of
        from evaluation.readers import ReadError

        table = self.read_references(self.find_table(folder, self.references.tables))
        cases = self.listed_cases(table, folder)
        shared = self.shared(table, assessment, cases, patients_of(folder, cases) or {})
        try:
            shared |= self.shared_facts(table, assessment, facts_of(folder, cases))
        except ReferenceTableError as error:
            raise ReadError("table", folder.name, str(error)) from None
        return TableReferences(self, table, cases, shared)

    def open_predictions(self, assessment: Assessment, folder: Path, references: References) -> Opened:
        """Read the table of one algorithm; see `Problem.open_predictions`."""
        from evaluation.checking.rows import judge_rows
        from evaluation.readers import ReadError

        assert isinstance(references, TableReferences)
        try:
            path = self.find_table(folder)
            table = self.read_predictions(path, references.cases, references.shared, references=references.table)
            self.check_opened(assessment, table, path, references)
        except ReadError as error:
            expected = self.with_facts(self.expected(assessment, references.shared), references.table.facts)
            return Opened(reasons={"": table_issue(error, expected)})
        reasons = {case: issue for case in references.cases if (issue := table.issue(case)) is not None}
        predictions = self.predictions_of(table, references.cases, reasons)
        reported = self.reported_reasons(assessment, table, reasons, references)
        judged = judge_rows(table, references.cases, path.name).findings.values()
        absent = [finding for finding in judged if finding.id in ROWS_MISSING]
        return Opened(predictions, reported, table.unused, findings=[*table.findings(path.name), *absent])

    def check_opened(
        self, assessment: Assessment, table: PredictionTable, path: Path, references: TableReferences
    ) -> None:
        """Refuse a table of a folder as a whole, where a platform would; metrics that lack scores are left without a value.

        Raises
        ------
        ReadError
            With what was found and what is expected.
        """

    def predictions_of(
        self, table: PredictionTable, cases: Sequence[str], reasons: Mapping[str, Issue]
    ) -> Mapping[str, Any]:
        """The prediction of each case that has one which can be taken."""
        return {
            case: prediction for case in cases if case not in reasons and (prediction := table.of(case)) is not None
        }

    def reported_reasons(
        self, assessment: Assessment, table: PredictionTable, reasons: dict[str, Issue], references: TableReferences
    ) -> dict[str, Issue]:
        """Return the reasons that the command line reports for a table: one for every invalid case."""
        return reasons


@dataclass(frozen=True)
class SubmitWords:
    """Description of a table on the submit page.

    Text in backticks is code. Classes follow the example.

    Attributes
    ----------
    before, after
        Paragraphs before the example and after the classes.
    columns
        The first line of the example.
    row
        Text after the name of the case in the example.
    of_classes
        Text after the classes in their paragraph.
    classes
        Heading of the classes; empty where the paragraphs name them.
    """

    before: tuple[str, ...]
    columns: tuple[str, ...]
    row: str
    after: tuple[str, ...] = ()
    of_classes: str = ""
    classes: str = "Classes"


@dataclass(frozen=True)
class TableReferences(References):
    """The references of a folder with one table."""

    problem: TableProblem
    table: ReferenceTable
    cases: Sequence[str]
    shared: Mapping[str, Any]

    def prepare(self, case: str) -> Any:
        """The reference of a case."""
        return self.problem.prepare(self.table, case, self.shared)


def listed(cases: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(cases) - _CASES_SHOWN} more cases" if len(cases) > _CASES_SHOWN else ""
    return f"{', '.join(cases[:_CASES_SHOWN])}{more}"


def some_classes(classes: Sequence[str]) -> str:
    """The first classes of a task, for a message."""
    return ", ".join(classes[:_CLASSES_SHOWN]) + (", …" if len(classes) > _CLASSES_SHOWN else "")


def table_issue(error: ReadError, expected: ExpectedTable) -> Issue:
    """Return the problem of a table as a whole; the remedy lists classes and columns if they can help."""
    if "class" not in error.message and "score" not in error.message:
        return error.issue
    columns = ", ".join(expected.columns[:_COLUMNS_SHOWN])
    classes = f"The classes are {some_classes(expected.classes)}; the" if expected.classes else "The"
    return error.issue._replace(remedy=f"{classes} columns are {columns}.")


def table_problem(problem_id: str) -> TableProblem:
    """The kind of that id, which has one table for all cases.

    Raises
    ------
    ValueError
        If it has none.
    """
    from evaluation.problems.registry import get

    problem = get(problem_id)
    if not isinstance(problem, TableProblem):
        message = f"the problem {problem_id} has no table of all cases"
        raise ValueError(message)  # noqa: TRY004  (it is the id that is wrong)
    return problem
