"""Each file of an unpacked archive of references, read in a confined child as it will be read later."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confinement.sandbox import Answer, answers
from datastore.test_sets.domain import backgrounds
from datastore.test_sets.queries.test_sets import has_one_table
from datastore.test_sets.services.archive_groups import DICOM, without_tags
from datastore.test_sets.services.archive_parts import IMAGES, REFERENCES, ArchiveContent
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.storage import child_limits
from evaluation.admission import instances_beside
from evaluation.assessment import Assessment
from evaluation.problems.files import file_problem
from evaluation.problems.tables import ReferenceTableError, table_problem
from evaluation.readers import ReadError

if TYPE_CHECKING:
    from evaluation.readers.instance_tables import InstanceTable

PROBLEMS_SHOWN = 50


def read_files(
    contents: ArchiveContent, folder: Path, assessment: Assessment, beat: Callable[[], None]
) -> dict[str, dict[str, Any]]:
    """Read each reference and image in a child as it will be read later; returns what participants may know of them by case.

    Raises
    ------
    TestSetError
        With everything that cannot be taken.
    """
    is_table = has_one_table(assessment)
    places = {f"{REFERENCES}/{name}": case for case, name in contents.references.items()}
    places |= {f"{IMAGES}/{name}": case for case, name in contents.images.items()}
    for annotator, files in contents.annotators.items():
        places |= {f"annotator-{annotator}/{name}": case for case, name in files.items()}

    beside: dict[Path, InstanceTable | None] = {}

    def work(item: str, _own: Path) -> object:
        return _or_problem(lambda: read_plain(item))

    def read_plain(item: str) -> dict[str, Any]:
        image = contents.images.get(places[item], "")
        plain = without_tags(folder, item, f"{IMAGES}/{image}" if image else "")
        return read(plain, places[item]) | {"plain": plain}

    def read(item: str, case: str) -> dict[str, Any]:
        file = folder / item
        if item.startswith(IMAGES):
            backgrounds.read(file)
            return {}
        if is_table:
            table_problem(assessment.problem).read_references(file)
            return {}
        problem = file_problem(assessment.problem)
        content = problem.read_reference(assessment, file)
        if file.parent not in beside:
            beside[file.parent] = instances_beside(file.parent, assessment)
        if (table := beside[file.parent]) is not None:
            problem.check_objects(content, table.of(case), case=case, file=file.name)
        return {"geometry": problem.facts_of(content)}

    geometries, problems, plain = {}, [], {}
    for answer in answers(list(places), work, limits=child_limits(), reads=[folder], beat=beat, hands_over=folder):
        problem, geometry = _judged(answer)
        if problem:
            of_case = "" if is_table and not answer.item.startswith(IMAGES) else f", case {places[answer.item]}"
            problems.append(f"{answer.item}{of_case}: {problem}")
        elif geometry is not None and answer.item.startswith(f"{REFERENCES}/"):
            geometries[places[answer.item]] = geometry
        if not problem:
            plain[answer.item] = answer.value.get("plain")
    refuse(problems)
    _use_plain(contents, folder, plain)
    return geometries


def _or_problem(read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a function reads, or the problem with the file."""
    try:
        return read()
    except ReadError as error:
        return {"problem": f"{error.message}. {error.remedy}"}
    except ReferenceTableError as error:
        return {"problem": str(error)}
    except (OSError, RuntimeError, ValueError) as error:  # what the libraries of images raise over damaged files
        words = " ".join(str(error).split())[:160] or type(error).__name__
        return {"problem": f"cannot be read ({words}). Write it again with a common library."}


def _use_plain(contents: ArchiveContent, folder: Path, plain: Mapping[str, str]) -> None:
    """Replace each DICOM image by the file without its tags that a child wrote."""
    for item, without in plain.items():
        if not item.lower().endswith(DICOM) or without != f"{item[: -len(DICOM)]}.mha":
            continue
        top, _, name = item.partition("/")
        files_by_case = {REFERENCES: contents.references, IMAGES: contents.images}.get(top)
        if files_by_case is None:
            files_by_case = contents.annotators[top.removeprefix("annotator-")]
        case = next(case for case, file in files_by_case.items() if file == name)
        files_by_case[case] = without.partition("/")[2]
        (folder / item).unlink()


def _judged(answer: Answer) -> tuple[str, dict[str, Any] | None]:
    if answer.failure is not None or not isinstance(answer.value, dict):
        return f"could not be read within the limits ({answer.failure}). Write it again with a common library.", None
    return answer.value.get("problem", ""), answer.value.get("geometry")


def refuse(problems: Sequence[str]) -> None:
    if problems:
        more = len(problems) - PROBLEMS_SHOWN
        raise TestSetError("\n".join([*problems[:PROBLEMS_SHOWN], *([f"… and {more} more"] if more > 0 else [])]))
