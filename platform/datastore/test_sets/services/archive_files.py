"""Each file of an unpacked archive of references, read in a confined child as it will be read later."""

import contextlib
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
_NOT_WRITTEN = "could not be written without its tags. Write it again with a common library."


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

    handed, accepted = folder / "handed-over", folder / "without-tags"
    for new in (handed, accepted):
        new.mkdir()
    names = {item: f"{number}.mha" for number, item in enumerate(places) if item.lower().endswith(DICOM)}

    def work(item: str, child_folder: Path) -> object:
        return _or_problem(lambda: read_plain(item, child_folder))

    def read_plain(item: str, child_folder: Path) -> dict[str, Any]:
        if item not in names:
            return read(item, folder / item)
        image = contents.images.get(places[item], "")
        # Read under its name, which messages state.
        plain = without_tags(folder, item, f"{IMAGES}/{image}" if image else "", child_folder)
        try:
            facts = read(item, plain)
            shutil.move(plain, handed / names[item])
        finally:
            plain.unlink(missing_ok=True)
        return facts

    def read(item: str, file: Path) -> dict[str, Any]:
        case, top = places[item], (folder / item).parent
        if item.startswith(IMAGES):
            backgrounds.read(file)
            return {}
        if is_table:
            table_problem(assessment.problem).read_references(file)
            return {}
        problem = file_problem(assessment.problem)
        content = problem.read_reference(assessment, file)
        if top not in beside:
            beside[top] = instances_beside(top, assessment)
        if (table := beside[top]) is not None:
            problem.check_objects(content, table.of(case), case=case, file=file.name)
        return {"geometry": problem.facts_of(content)}

    # A child that a file has taken over changes no file of the test set: it writes into one folder, from which each file is
    # taken at once, so that the bounds on what it writes are those on one file.
    limits = replace(child_limits(), folder_files=len(places) + 1_000)
    geometries, problems = {}, []
    for answer in answers(list(places), work, limits=limits, reads=[folder], beat=beat, hands_over=handed):
        if answer.item in names:
            with contextlib.suppress(FileNotFoundError):
                (handed / names[answer.item]).rename(accepted / names[answer.item])
        problem, geometry = _judged(answer)
        if problem:
            of_case = "" if is_table and not answer.item.startswith(IMAGES) else f", case {places[answer.item]}"
            problems.append(f"{answer.item}{of_case}: {problem}")
        elif geometry is not None and answer.item.startswith(f"{REFERENCES}/"):
            geometries[places[answer.item]] = geometry
    plain = {item: accepted / name for item, name in names.items()}
    problems += [f"{item}: {_NOT_WRITTEN}" for item, file in plain.items() if not problems and not _is_ours(file)]
    refuse(problems)
    _use_plain(contents, folder, plain)
    shutil.rmtree(handed)
    accepted.rmdir()
    return geometries


def _is_ours(file: Path) -> bool:
    """Return whether a file that a child wrote is an ordinary one: no link, no folder, and of one name only."""
    try:
        status = file.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


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


def _use_plain(contents: ArchiveContent, folder: Path, plain: Mapping[str, Path]) -> None:
    """Replace each DICOM image by the file without its tags that a child wrote."""
    for item, file in plain.items():
        without = f"{item[: -len(DICOM)]}.mha"
        file.replace(folder / without)
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
