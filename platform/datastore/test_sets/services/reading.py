"""Summary of an archive of references, for the owner who decides whether it is correct; nothing is sealed."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from django.db import transaction

from challenges.models import Phase
from confinement.sandbox import Answer, answers
from datastore.test_sets.domain import backgrounds
from datastore.test_sets.queries.characteristics import Characteristic, characteristics_of
from datastore.test_sets.services import replacing
from datastore.test_sets.services.archives import Ready, opened
from datastore.test_sets.services.checking import Facts, check_cases, table_content
from datastore.test_sets.services.replacing import TestSetError
from datastore.test_sets.services.sanity import Checked, Progress, cases_to_draw, check_ready
from datastore.uploads.storage import child_limits
from evaluation.admission import instances_beside, read_one_table
from evaluation.assessment import Assessment
from evaluation.problems import kind_of
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import IMAGE_IDS, ReferenceTable, ReferenceTableError, TableProblem
from evaluation.readers import ReadError

MOST_PREVIEWS: Final = 4
_NAMES: Final = 5
_PICTURE: Final = "preview"


@dataclass
class ClassCount:
    """Frequency of a class in the scored cases.

    Attributes
    ----------
    count
        Voxels or objects of the class; 0 if whole cases belong to a class.
    first
        The first case that contains the class; empty if no case does.
    """

    name: str
    cases: int = 0
    count: int = 0
    first: str = ""


@dataclass
class Reading:
    """Content of an archive, in numbers.

    Attributes
    ----------
    scored, decoys
        Number of scored cases and of decoys.
    names
        Names of the first cases.
    shows_ids
        Whether participants will see ids of images and categories of the references.
    counted
        The unit that `ClassCount.count` counts; empty if it counts nothing.
    previews
        Case and picture of one case for each class, if there is something to see.
    """

    scored: int
    decoys: int
    names: list[str]
    counted: str
    classes: list[ClassCount]
    characteristics: list[Characteristic]
    annotators: list[str]
    previews: list[tuple[str, bytes]] = field(default_factory=list)
    checked: Checked = field(default_factory=Checked)
    shows_ids: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """Everything but pictures and findings, as JSON values."""
        fields = asdict(self)
        del fields["previews"], fields["checked"]
        return fields | {"findings": self.checked.total}


def read_archive(
    *,
    phase: Phase,
    path: Path,
    reason: str = "",
    replaces: bool = False,
    merge_rule: str = "",
    beat: Callable[[], None] = lambda: None,
    progress: Progress = lambda *_: None,
) -> Reading:
    """Read an archive as `take_archive` does, with every check of it, and seal nothing; parameters as there.

    Parameters
    ----------
    progress
        Receives the step, the number of cases that are done, and the number of all.

    Raises
    ------
    TestSetError
        With what would keep it from being sealed.
    """
    with opened(phase=phase, path=path, reason=reason, replaces=replaces, merge_rule=merge_rule, beat=beat) as ready:
        assessment = phase.assessment
        problem = kind_of(assessment)
        scored, facts = check_cases(phase, ready.cases, ready.decoys, ready.metadata)
        geometries = dict(ready.geometries)
        table, shows_ids = None, False
        if isinstance(problem, TableProblem):
            _, table, shared = table_content(
                ready.references, assessment, {case: facts.get(case, {}) for case in scored}, _named(ready, assessment)
            )
            ids = problem.public_ids(table, assessment, ready.cases, has_decoys=bool(ready.decoys))
            shows_ids = bool(ids.get(IMAGE_IDS))
            geometries = dict.fromkeys(ready.cases, problem.facts_of(table, assessment))
            classes = _counted((problem.classes_of(table, assessment, case) for case in scored), scored)
            pictures = _pictures_of_table(problem, table, shared, ready, classes, scored, geometries, beat)
        else:
            assert isinstance(problem, FileProblem)
            classes = _of_files(problem, ready, assessment, scored, beat)
            pictures = _pictures_of_files(problem, ready, assessment, classes, scored, geometries, beat)
        if ready.replacement is not None:
            with transaction.atomic():
                replacing.check(phase, {case: geometries[case] for case in ready.cases})
        checked = check_ready(ready, assessment, beat=beat, progress=progress)
        unusual = cases_to_draw(checked.findings)
        progress("drawing", 0, len(unusual))
        if table is None:
            assert isinstance(problem, FileProblem)
            checked.pictures = dict(
                _drawn_files(problem, ready, assessment, unusual, geometries, beat, is_needed=False)
            )
        return Reading(
            scored=len(scored),
            decoys=len(ready.decoys),
            names=ready.cases[:_NAMES],
            counted=problem.texts.counted_noun,
            classes=classes,
            characteristics=characteristics_of([facts.get(case, {}) for case in scored], phase),
            annotators=list(ready.annotators),
            previews=pictures,
            checked=checked,
            shows_ids=shows_ids,
        )


def _named(ready: Ready, assessment: Assessment) -> list[str]:
    """Classes that annotators named of scored cases."""
    problem = kind_of(assessment)
    assert isinstance(problem, TableProblem)
    named: list[str] = []
    for folder in ready.annotators.values():
        try:
            _, table = read_one_table(folder, problem)
        except (ReadError, ReferenceTableError) as error:
            raise TestSetError(f"The references of an annotator cannot be taken: {error}") from error
        if table.classes is not None:
            named += [table.classes[case] for case in ready.cases if case in table.classes and case not in ready.decoys]
    return named


def _counted(counts: Any, cases: list[str]) -> list[ClassCount]:
    """Add up the classes of cases, in the order in which they are met."""
    totals: dict[str, ClassCount] = {}
    for case, case_counts in zip(cases, counts, strict=True):
        for name, count in case_counts.items():
            entry = totals.setdefault(name, ClassCount(name))
            if count:
                entry.cases += 1
                entry.count += count
                entry.first = entry.first or case
    return list(totals.values())


def _of_files(
    problem: FileProblem, ready: Ready, assessment: Assessment, scored: list[str], beat: Callable[[], None]
) -> list[ClassCount]:
    files = problem.find_references(ready.references)

    def work(case: str, _own: Path) -> object:
        table = instances_beside(ready.references, assessment)
        content = problem.read_reference(assessment, files[case])
        return problem.classes_of(assessment, content, None if table is None else table.of(case))

    case_answers = answers(scored, work, limits=child_limits(), reads=[ready.folder], beat=beat)
    return _counted((_value(answer) for answer in case_answers), scored)


def _value(answer: Answer) -> dict[str, int]:
    if answer.failure is not None or not isinstance(answer.value, dict):
        raise TestSetError(f"{answer.item}: could not be read within the limits ({answer.failure}).")
    return {str(name): int(count) for name, count in answer.value.items()}


def _chosen(classes: list[ClassCount], scored: list[str]) -> list[str]:
    """The first case of each class; without classes the first case."""
    return (list(dict.fromkeys(entry.first for entry in classes if entry.first)) or scored)[
        : max(1, min(len(classes), MOST_PREVIEWS))
    ]


def _pictures_of_files(
    problem: FileProblem,
    ready: Ready,
    assessment: Assessment,
    classes: list[ClassCount],
    scored: list[str],
    geometries: Facts,
    beat: Callable[[], None],
) -> list[tuple[str, bytes]]:
    return _drawn_files(problem, ready, assessment, _chosen(classes, scored), geometries, beat)


def _drawn_files(
    problem: FileProblem,
    ready: Ready,
    assessment: Assessment,
    cases: list[str],
    geometries: Facts,
    beat: Callable[[], None],
    *,
    is_needed: bool = True,
) -> list[tuple[str, bytes]]:
    files = problem.find_references(ready.references)

    def outline(case: str) -> Any:
        return problem.pictures.outline_of(problem.read_reference(assessment, files[case])) if case in files else None

    return _pictures(problem, ready, cases, geometries, outline, beat, is_needed=is_needed)


def _pictures_of_table(
    problem: TableProblem,
    table: ReferenceTable,
    shared: Mapping[str, Any],
    ready: Ready,
    classes: list[ClassCount],
    scored: list[str],
    geometries: Facts,
    beat: Callable[[], None],
) -> list[tuple[str, bytes]]:
    def outline(case: str) -> Any:
        return problem.pictures.outline_of(problem.prepare(table, case, shared))

    return _pictures(problem, ready, _chosen(classes, scored), geometries, outline, beat)


def _pictures(
    problem: Problem,
    ready: Ready,
    cases: list[str],
    geometries: Facts,
    outline: Callable[[str], Any],
    beat: Callable[[], None],
    *,
    is_needed: bool = True,
) -> list[tuple[str, bytes]]:
    """Draw cases in confined children, with their image where there is one; a case without anything to see has none.

    Parameters
    ----------
    is_needed
        Whether a case that cannot be drawn refuses the archive.
    """
    images = {} if ready.images is None else {backgrounds.case_of(path): path for path in ready.images.iterdir()}
    drawn = [case for case in cases if _is_seen(problem, geometries[case], has_image=case in images)]

    def work(case: str, _own: Path) -> object:
        image = backgrounds.read(images[case]) if case in images else None
        if problem.pictures.can_be_drawn(geometries[case], has_image=image is not None):
            picture = problem.pictures.draw(geometries[case], image, None, outline(case))
        else:
            picture = None if image is None else backgrounds.picture(image)
        if picture is not None:
            (ready.folder / f"{_PICTURE}-{cases.index(case)}").write_bytes(picture)
        return {}

    for answer in answers(drawn, work, limits=child_limits(), reads=[ready.folder], beat=beat, hands_over=ready.folder):
        if answer.failure is not None and is_needed:
            raise TestSetError(f"{answer.item}: could not be drawn within the limits ({answer.failure}).")
    picture_paths = [(case, ready.folder / f"{_PICTURE}-{cases.index(case)}") for case in drawn]
    drawings = [(case, path.read_bytes()) for case, path in picture_paths if path.is_file()]
    for _, path in picture_paths:
        path.unlink(missing_ok=True)
    return drawings


def _is_seen(problem: Problem, facts: Mapping[str, Any], *, has_image: bool) -> bool:
    return has_image or problem.pictures.can_be_drawn(facts, has_image=False)
