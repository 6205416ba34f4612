"""Kinds of problem whose references and predictions are a file a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.checking.unused import Unused
from evaluation.problems.base import Problem
from evaluation.problems.evidence import KindEvidence
from evaluation.problems.opened import Opened, References
from evaluation.problems.performance import Performance
from evaluation.problems.reference_rules import ReferenceRules
from evaluation.problems.scorer_files import ScorerFiles
from evaluation.problems.texts import PageTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.checking import Assignment
    from evaluation.checking.groups import Group
    from evaluation.problems.beside import RulesBeside, TableBeside
    from evaluation.readers import Issue, Limits
    from evaluation.readers.instance_tables import InstanceRules, Instances, InstanceTable

MOST_BYTES: Final = 64 * 1024**2
SEVERAL_FILES: Final = (
    "Put the data file of an `.mhd` header into its folder. Put the DICOM files of a case into a folder named as the case, or "
    "name a single file `<case>.dcm`."
)
"""Sentences of the submit page about images of several files."""
_PICTURE: Final = ".png"
FILE_PATTERN: Final = "file_pattern"
"""Name of the setting with further names of files."""


@dataclass(frozen=True)
class FileWords:
    """Description of the files on the submit page; text in backticks is code.

    Attributes
    ----------
    before, after
        Paragraphs before and after the example of an archive.
    ending
        Ending of the files in the example.
    terms
        Name and meaning, such as the labels of each region, in the paragraph that follows.
    of_terms, behind_terms
        Text before and after the terms.
    columns
        Headings of the facts that participants may know about each case; see `FileTexts.fact_cells`.
    """

    before: tuple[str, ...]
    ending: str
    after: tuple[str, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    of_terms: str = ""
    behind_terms: str = ""
    columns: tuple[str, ...] = ()


class FileScorerFiles(ScorerFiles):
    """Files of a kind with one file per case for scoring images."""

    def write_reference(
        self, assessment: Assessment, content: Any, instances: Instances | None, folder: Path
    ) -> dict[str, Path]:
        """Write the content of a reference into a folder in the form that a scoring image receives.

        Return its files by their names.

        Parameters
        ----------
        instances
            Class of each object, where a table next to the files contains it.
        """
        raise NotImplementedError

    def write_prediction(self, assessment: Assessment, content: Any, said: Any, folder: Path) -> dict[str, Path]:
        """Write the content of a prediction into a folder in the form that a scoring image receives.

        Return its files by their names.

        Parameters
        ----------
        said
            Content of a table next to the files for the case; ``None`` where there is no table.
        """
        raise NotImplementedError


class FileTexts(PageTexts):
    """Texts about a kind with one file per case on pages.

    Attributes
    ----------
    file_noun
        Name of a file in messages.
    no_decoy_reason
        Reason why a decoy needs a file among the references, where `FileProblem.facts_of_image` and `FileProblem.stand_in`
        cannot provide one.
    """

    kind: FileProblem

    file_noun: str = "file"
    no_decoy_reason: str = "a decoy needs a file among the references like other cases"

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the files for the submit page."""
        endings = [f"`{ending}`" for ending in self.kind.suffixes[1:]]
        others = (
            f" (or ending in {' or '.join([', '.join(endings[:-1])] * (len(endings) > 1) + endings[-1:])})"
            if endings
            else ""
        )
        first = f"One {self.file_noun} for each of the {cases} cases, named `<case>{self.kind.suffixes[0]}`{others}."
        return FileWords((f"{first} Files can be in one folder of the archive.",), self.kind.suffixes[0])

    def fact_cells(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the facts that participants may know about a case, as text.

        There is one cell for each of `FileWords.columns`.
        """
        return ()


class FileEvidence(KindEvidence):
    """Evidence of values of the whole data set for a kind with one file per case."""

    kind: FileProblem

    def shared(
        self, assessment: Assessment, shared: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Names of the classes and the like, and the patient of each case; see `KindEvidence.shared`."""
        patients = {
            case: str(case_facts["patient"])
            for case, case_facts in facts.items()
            if case_facts.get("patient") is not None
        }
        return self.kind.shared_of_folder(assessment, patients) | self.kind.shared_facts(assessment, facts)


class FileReferenceRules(ReferenceRules):
    """References of a kind with one file per case."""

    kind: FileProblem

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of the table next to the files, where regions need the class of each object."""
        rules = self.kind.table_beside(assessment)
        return {rules.file: ("case", "instance", "class")} if rules is not None and rules.need_class else {}

    def merge_files(self, files: Sequence[Path], rule: str, target: Path) -> Path:
        """Merge the references of one case by several annotators, by a rule of `merging`, and write the result.

        Parameters
        ----------
        files
            One an annotator; the first decides how it is stored.
        target
            The file to write, without its ending.

        Returns
        -------
        pathlib.Path
            The file written.

        Raises
        ------
        ReadError
            When a file cannot be read or does not fit the first.
        """
        message = f"{rule} is not computed here."
        raise ValueError(message)

    def facts_of_image(self, path: Path) -> dict[str, Any] | None:
        """Return the requirements for a prediction that the image of a case determines.

        The result is ``None`` if it determines none.
        """
        return None

    def write_stand_in(self, assessment: Assessment, facts: Mapping[str, Any], target: Path) -> Path:
        """Write a reference for a decoy that has none, so that it costs time like others.

        Raises
        ------
        ValueError
            Where that cannot be done.
        """
        raise ValueError(self.kind.texts.no_decoy_reason)


class FilePerformance(Performance):
    """Preparation and shortcuts of scoring for a kind with one file per case."""

    def cost_of(self, facts: Mapping[str, Any]) -> int:
        """Return the cost of processing a case and keeping it prepared.

        The unit is voxels, or what takes about as long.
        """
        return 100_000

    def warm_up_with(self, assessment: Assessment, reference: Any, content: Any) -> None:
        """Work out what metrics need of a reference, and load their libraries, once for all processes forked later."""
        self.warm_up(assessment, reference)


class FileProblem(Problem):
    """A kind with one file per case.

    Its subclass defines how a file is read, compared, prepared and scored. The data read from a file are called its
    content here. `facts_of` returns what participants may know about a reference. These are plain JSON values, such as
    a grid. They are stored with the case, and predictions are compared with them.
    """

    is_scored = True
    takes_algorithms = True
    joint_table: str = ""
    """Name of a table with the rows of all cases that is accepted in place of the files; empty where there is none."""
    scorer_files = FileScorerFiles()
    texts = FileTexts()
    evidence = FileEvidence()
    references = FileReferenceRules()
    performance = FilePerformance()

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of files that are read, in lower case, the one that is recommended first; a longer one before its end."""
        raise NotImplementedError

    @property
    def takes_folders(self) -> bool:
        """True if an image can consist of the DICOM files in the folder of a case."""
        return ".dcm" in self.suffixes

    def groups_of(
        self, paths: Sequence[str], cases: Sequence[str] | None, *, head: Callable[[str, int], bytes], pattern: str = ""
    ) -> list[Group]:
        """Return the images that consist of several files; see `evaluation.checking.groups`."""
        from evaluation.checking.groups import groups_of

        if ".mhd" not in self.suffixes:
            return []
        return groups_of(
            paths, cases, stem_of=self.case_of, head=head, pattern=pattern, takes_folders=self.takes_folders
        )

    def case_of(self, name: str) -> str:
        """The case that a file is of, by its name; empty for one that is not read."""
        ending = self.ending_of(name)
        return name[: -len(ending)] if ending else ""

    def usual_ending(self, facts: Sequence[Mapping[str, Any]]) -> str:
        """Return the ending for examples: that of pictures if all references are pictures without orientation."""
        are_pictures = all(each.get("oriented_format") is False and len(each.get("shape") or ()) == 2 for each in facts)
        return _PICTURE if facts and are_pictures and _PICTURE in self.suffixes else self.suffixes[0]

    def ending_of(self, name: str) -> str:
        """Return the supported ending of a file name; empty for a file that is not read."""
        return next((ending for ending in self.suffixes if name.lower().endswith(ending)), "")

    def place_of(self, names: Sequence[str]) -> tuple[str, str]:
        """Return the case of a reference file and its path in the folder of references.

        `names` are the folders of the upload and the name of the file. Both results are empty for a file that is not
        read. Only the case is empty for a file that accompanies that of a case.
        """
        case = self.case_of(names[-1])
        return (case, names[-1]) if case else ("", "")

    def find_references(self, folder: Path) -> dict[str, Path]:
        """The file of each case in a folder of references (or the folder, of several files), cases ascending.

        Raises
        ------
        ReadError
            If the folder is not there, or two files claim one case.
        """
        from evaluation.problems.folders import find_cases

        return find_cases(folder, self.case_of, takes_folders=self.takes_folders)

    def packed(self, path: Path, folder: Path) -> Path:
        """Return the file to store for a reference.

        A reference of several files is written into the folder as a single file.
        """
        return path

    # Reading and validating -------------------------------------------------------------------------------------------

    def read_reference(self, assessment: Assessment, path: Path) -> Any:
        """Read the reference of a case.

        Raises
        ------
        ReadError
            If it cannot be taken.
        """
        raise NotImplementedError

    def expected(self, assessment: Assessment) -> Mapping[str, Any]:
        """Return the requirements for the predictions of all cases, as JSON values.

        The checker that runs before an upload receives them, too.
        """
        return {}

    def read_prediction(
        self, path: Path, facts: Mapping[str, Any], expected: Mapping[str, Any], *, limits: Limits | None = None
    ) -> Any:
        """Read the prediction of a case and compare it with what is expected.

        Parameters
        ----------
        facts
            From `facts_of` its reference.
        expected
            From the method of that name.

        Raises
        ------
        ReadError
            If it cannot be taken.
        """
        raise NotImplementedError

    def facts_of(self, content: Any) -> dict[str, Any]:
        """Return the facts of a reference that predictions are compared with, as JSON values.

        Participants may know them.
        """
        return {}

    def classes_of(self, assessment: Assessment, content: Any, instances: Instances | None = None) -> dict[str, int]:
        """Return the amount of each class of the assessment in a reference, including 0.

        The result is empty where there are no classes.
        """
        return {}

    def byte_limit(self, facts: Mapping[str, Any]) -> int:
        """Most bytes that a sensible file of a case with such facts unpacks to."""
        return MOST_BYTES

    def table_beside(self, assessment: Assessment) -> InstanceRules | None:
        """Return the optional and required content of a table of objects next to the files.

        The result is ``None`` where there are no objects.
        """
        return None

    def table_of_predictions(self, assessment: Assessment) -> RulesBeside | None:
        """Return the rules for the table next to the predictions, where such a table is permitted.

        By default it is the table of objects.
        """
        return self.table_beside(assessment)

    def unused(self, content: Any, table: TableBeside | None, *, case: str, file: str) -> Unused:
        """Return what of a valid prediction is not used, such as rows without an object.

        Parameters
        ----------
        content
            From `read_prediction`.
        table
            The table next to the files, where there is one.
        """
        return Unused()

    def remark_beside(self, content: Any) -> str:
        """Return a remark on what the rows of an accepted case lack; empty if nothing is missing."""
        return ""

    def check_objects(self, content: Any, instances: Any, *, case: str, file: str) -> None:
        """Compare the file of a reference with the rows of its objects in the table next to it.

        Raises
        ------
        ReadError
            If they do not match.
        """

    # Scoring ----------------------------------------------------------------------------------------------------------

    def prepare(self, assessment: Assessment, content: Any, instances: Instances | None = None) -> Any:
        """Prepare the content of a reference for any number of predictions.

        Parameters
        ----------
        instances
            Class of each object, where a table next to the files contains it.
        """
        return content

    def submitted(self, path: Path, table: TableBeside | Issue | None) -> Any:
        """Return a prediction in the form that `score` takes.

        It consists of its file and the table next to all files, or the reason why that table is invalid.
        """
        return path

    def shared_of_folder(self, assessment: Assessment, patients: Mapping[str, str] | None) -> dict[str, Any]:
        """Return the content that the evidence of all algorithms has in common."""
        return {}

    def shared_facts(self, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return additional common content of the evidence, derived from the characteristics of the cases.

        The characteristics are by case and column.

        Raises
        ------
        ValueError
            If a characteristic that the assessment needs is missing.
        """
        return {}

    # Folders of the command line --------------------------------------------------------------------------------------

    def open_references(self, assessment: Assessment, folder: Path) -> FileReferences:
        """Find the files of a folder; see `Problem.open_references`."""
        from evaluation.problems.folders import facts_of, patients_of
        from evaluation.readers import ReadError

        files = self.find_references(folder)
        if not files:
            raise ReadError("not_found", folder.name or str(folder), f"no {self.texts.file_noun}s in the folder")
        table = self.read_table_beside(assessment, folder)
        shared = self.shared_of_folder(assessment, patients_of(folder, list(files)))
        try:
            shared |= self.shared_facts(assessment, facts_of(folder, list(files)))
        except ValueError as error:
            raise ReadError("table", folder.name, str(error)) from None
        return FileReferences(self, assessment, files, table, shared)

    def open_predictions(self, assessment: Assessment, folder: Path, references: References) -> Opened:
        """Find the files of one algorithm; see `Problem.open_predictions`."""
        from evaluation.checking.naming import bare_name
        from evaluation.problems.folders import visible_files
        from evaluation.readers import Issue

        assert isinstance(references, FileReferences)
        pattern = self.file_pattern(assessment)
        files = self._joined(visible_files(folder), folder, references.cases, pattern)
        table = self.predicted_table(assessment, folder)
        rules = self.table_of_predictions(assessment)
        beside = () if rules is None else (rules.file,)
        are_pictures = all(path.name.lower().endswith(_PICTURE) for path in references.files.values())
        ending = _PICTURE if are_pictures and _PICTURE in self.suffixes else self.suffixes[0]
        others = [path for path in files if path not in beside]
        assignment = self.assign(others, references.cases, pattern=pattern, ending=ending)
        # A table that cannot be read is reported once, and not again for each case.
        reasons = {"": table} if isinstance(table, Issue) else {}
        missing = [finding for finding in assignment.findings.values() if finding.id != "file_duplicate"]
        reasons |= {
            case: Issue(finding.id, finding.reason, finding.remedy)
            for case, finding in assignment.findings.items()
            if finding.id == "file_duplicate"
        }
        predictions = {case: self.submitted(files[path], table) for case, path in assignment.files.items()}
        unread = [path for path in assignment.extra if not self.case_of(bare_name(path))]
        unexpected = [bare_name(path) for path in assignment.extra if path not in set(unread)]
        return Opened(predictions, reasons, unexpected, unread, missing, assignment.extra)

    def _joined(self, files: Mapping[str, Path], folder: Path, cases: Sequence[str], pattern: str) -> dict[str, Path]:
        """The files with one entry for each image of several: its header, or its folder."""
        from evaluation.checking.groups import without_parts

        def head(path: str, size: int) -> bytes:
            with files[path].open("rb") as file:
                return file.read(size)

        groups = self.groups_of(list(files), cases, head=head, pattern=pattern)
        joined = {group.path: folder / (group.folder or group.path) for group in groups}
        return {path: joined.get(path) or files[path] for path in without_parts(list(files), groups)}

    def file_pattern(self, assessment: Assessment) -> str:
        """Return the registered pattern of file names; empty if there is none."""
        return str(assessment.settings.get(FILE_PATTERN) or "")

    def assign(self, paths: Iterable[str], cases: Sequence[str], *, pattern: str = "", ending: str = "") -> Assignment:
        """Assign files of a folder or archive to cases by their names; see `evaluation.checking.assign`.

        `ending` is the recommended one, by default the first of the kind.
        """
        from evaluation.checking import assign

        return assign(
            paths,
            cases,
            self.case_of,
            ending_of=self.ending_of,
            ending=ending or self.suffixes[0],
            words=self.texts.file_noun,
            pattern=pattern,
        )

    def read_local_reference(self, assessment: Assessment, path: Path) -> Any:
        """Read the reference of a case from a folder of the command line's user."""
        return self.read_reference(assessment, path)

    def read_table_beside(self, assessment: Assessment, folder: Path) -> InstanceTable | None:
        """Read the table of objects next to references.

        Raises
        ------
        ReadError
            If it is required and missing, or invalid.
        """
        return None

    def predicted_table(self, assessment: Assessment, folder: Path) -> TableBeside | Issue | None:
        """Return the table next to the predictions, or the reason why it is invalid."""
        from evaluation.readers import ReadError

        rules = self.table_of_predictions(assessment)
        if rules is None:
            return None
        path = folder / rules.file
        if path.is_file():
            try:
                return rules.read(path)
            except ReadError as error:
                return error.issue
        return ReadError("not_found", rules.file, "no such table", rules.purpose).issue if rules.needed else None


@dataclass(frozen=True)
class FileReferences(References):
    """The files of a folder, each read when it is prepared."""

    problem: FileProblem
    assessment: Assessment
    files: Mapping[str, Path]
    table: InstanceTable | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cases(self) -> Sequence[str]:  # type: ignore[override]
        """Ascending."""
        return list(self.files)

    def prepare(self, case: str) -> Any:
        """Read and prepare the reference of a case, with the classes from a table next to it."""
        path = self.files[case]
        content = self.problem.read_local_reference(self.assessment, path)
        instances = None
        if self.table is not None:
            instances = self.table.of(case)
            self.problem.check_objects(content, instances, case=case, file=path.name)
        return self.problem.prepare(self.assessment, content, instances)


def file_problem(problem_id: str) -> FileProblem:
    """The kind of that id, which has a file a case.

    Raises
    ------
    ValueError
        If it has none.
    """
    from evaluation.problems.registry import get

    problem = get(problem_id)
    if not isinstance(problem, FileProblem):
        message = f"the problem {problem_id} has no file a case"
        raise ValueError(message)  # noqa: TRY004  (it is the id that is wrong)
    return problem
