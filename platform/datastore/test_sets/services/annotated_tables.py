"""References of several annotators where all cases are in one table: checked, and made the one table that is scored."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from confinement.sandbox import answers
from datastore.test_sets.domain import merging
from datastore.test_sets.services.archive_parts import ArchiveContent
from datastore.uploads.storage import child_limits
from evaluation.admission import read_one_table, table_file
from evaluation.assessment import Assessment
from evaluation.problems.tables import ReferenceTable, ReferenceTableError, TableProblem, listed, table_problem
from evaluation.readers import ReadError

REFERENCES: Final = "references"


def join_tables(
    contents: ArchiveContent,
    folder: Path,
    *,
    rule: str,
    scored: Sequence[str],
    assessment: Assessment,
    beat: Callable[[], None],
) -> None:
    """Make the table that is scored from those of the annotators, in a confined child; problems are added to `contents`.

    Parameters
    ----------
    contents
        What was unpacked to `folder`.
    rule
        How the tables become one; where it is not computed, the merged table is in the folder of references already.
    scored
        Cases that need a reference.
    """
    if not contents.annotators:
        return

    def work(_item: str, _own: Path) -> object:
        try:
            return _joined(contents, folder, rule, scored, assessment)
        except ReadError as error:
            return {"problems": [f"{error.file}: {error.message}. {error.remedy}"]}
        except (OSError, ValueError) as error:  # with them ReferenceTableError
            return {"problems": [" ".join(str(error).split())[:300] or type(error).__name__]}

    [answer] = answers(["annotators"], work, limits=child_limits(), beat=beat, hands_over=folder)
    value = answer.value if isinstance(answer.value, dict) else {}
    if answer.failure is not None or not value:
        contents.problems.append(
            f"The tables of the annotators could not be read within the limits ({answer.failure})."
        )
    contents.problems += [str(problem) for problem in value.get("problems", ())]
    if name := value.get("file"):
        contents.references[str(name)] = str(name)


def _joined(
    contents: ArchiveContent, folder: Path, rule: str, scored: Sequence[str], assessment: Assessment
) -> dict[str, object]:
    problem = table_problem(assessment.problem)
    tables = {
        name: _read(folder / f"annotator-{name}", name, problem, assessment, scored)
        for name in sorted(contents.annotators)
    }
    [first, *_] = tables
    if rule in problem.references.merging.computed:
        target = folder / REFERENCES / problem.references.tables[0]
        reasons = problem.references.merge_tables(tables, rule, scored, assessment, target)
        return {"problems": reasons} if reasons else {"file": target.name}
    if rule in merging.EACH:
        lacking = sorted(set(scored) - set(tables[first].covered(scored)))
        if lacking:
            return {
                "problems": [
                    f"annotator-{first}: lacks {listed(lacking)}. Without merging, the first annotator needs every case."
                ]
            }
        drawn = table_file(folder / f"annotator-{first}", problem)
        shutil.copyfile(drawn, folder / REFERENCES / drawn.name)
        result: dict[str, object] = {"file": drawn.name}
    else:
        result = {"problems": []}
    content = read_one_table(folder / REFERENCES, problem)[1].content
    for name, table in tables.items():
        if table.content != content:
            message = f"annotator-{name}: has {table.content}, but the references that are scored have {content}."
            return {"problems": [f"{message} Send the same of all."]}
    return result


def _read(
    folder: Path, name: str, problem: TableProblem, assessment: Assessment, scored: Sequence[str]
) -> ReferenceTable:
    try:
        _, table = read_one_table(folder, problem)
        problem.references.check_annotator(table, assessment, scored)
    except ReferenceTableError as error:
        raise ReferenceTableError(f"annotator-{name}: {error}") from error
    except ReadError as error:
        raise ReadError(error.kind, f"annotator-{name}/{error.file}", error.found, error.expected) from None
    return table
