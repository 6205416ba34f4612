"""References of several annotators where all cases are in one table: checked, and made the one table that is scored."""

import csv
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from confinement.sandbox import answers
from evaluation.assessment import Assessment
from evaluation.readers import ReadError
from evaluation.readers.tables import CASE, LABEL, LABELS_FILE
from evaluation.scoring.classification import describe_classes
from test_sets.domain import merging
from test_sets.services import reference_tables
from test_sets.services.archive_parts import Found
from test_sets.services.reference_tables import ReferenceTable, ReferenceTableError
from uploads.limits import child_limits

REFERENCES: Final = "references"
_SHOWN: Final = 10


def join_tables(
    found: Found,
    folder: Path,
    *,
    rule: str,
    scored: Sequence[str],
    assessment: Assessment,
    beat: Callable[[], None],
) -> None:
    """Make the table that is scored from those of the annotators, in a confined child; problems are added to `found`.

    Parameters
    ----------
    found
        What was unpacked to `folder`.
    rule
        How the tables become one; where it is not computed, the merged table is in the folder of references already.
    scored
        Cases that need a reference.
    """
    if not found.annotators:
        return

    def work(_item: str, _own: Path) -> object:
        try:
            return _joined(found, folder, rule, scored, assessment)
        except ReadError as error:
            return {"problems": [f"{error.file}: {error.message}. {error.remedy}"]}
        except (OSError, ValueError) as error:  # with them ReferenceTableError
            return {"problems": [" ".join(str(error).split())[:300] or type(error).__name__]}

    [answer] = answers(["annotators"], work, limits=child_limits(), beat=beat, hands_over=folder)
    value = answer.value if isinstance(answer.value, dict) else {}
    if answer.failure is not None or not value:
        found.problems.append(f"The tables of the annotators could not be read within the limits ({answer.failure}).")
    found.problems += [str(problem) for problem in value.get("problems", ())]
    if name := value.get("file"):
        found.references[str(name)] = str(name)


def _joined(found: Found, folder: Path, rule: str, scored: Sequence[str], assessment: Assessment) -> dict[str, object]:
    tables = {name: _read(folder / f"annotator-{name}", name, assessment, scored) for name in sorted(found.annotators)}
    [first, *_] = tables
    if rule in merging.computed(assessment.problem):
        return _merged({name: table.labels or {} for name, table in tables.items()}, folder, rule, scored, assessment)
    if rule in merging.EACH:
        lacking = sorted(set(scored) - set(tables[first].covered(scored)))
        if lacking:
            return {
                "problems": [
                    f"annotator-{first}: lacks {_listed(lacking)}. Without merging, the first annotator needs every case."
                ]
            }
        own = reference_tables.find(folder / f"annotator-{first}", assessment.problem)
        shutil.copyfile(own, folder / REFERENCES / own.name)
        kept: dict[str, object] = {"file": own.name}
    else:
        kept = {"problems": []}
    path = reference_tables.find(folder / REFERENCES, assessment.problem)
    scored_kind = _kind(reference_tables.read(path, assessment.problem))
    for name, table in tables.items():
        if _kind(table) != scored_kind:
            message = f"annotator-{name}: has {_kind(table)}, but the references that are scored have {scored_kind}."
            return {"problems": [f"{message} Send the same of all."]}
    return kept


def _read(folder: Path, name: str, assessment: Assessment, scored: Sequence[str]) -> ReferenceTable:
    try:
        path = reference_tables.find(folder, assessment.problem)
        table = reference_tables.read(path, assessment.problem)
        if table.objects is not None:
            reference_tables.check_classes(table, assessment, scored)
    except ReferenceTableError as error:
        raise ReferenceTableError(f"annotator-{name}: {error}") from error
    except ReadError as error:
        raise ReadError(error.kind, f"annotator-{name}/{error.file}", error.found, error.expected) from None
    return table


def _kind(table: ReferenceTable) -> str:
    if table.objects is None:
        return "classes"
    name, axes = table.objects.kind
    return f"{name} of {axes} axes"


def _merged(
    tables: Mapping[str, Mapping[str, str]], folder: Path, rule: str, scored: Sequence[str], assessment: Assessment
) -> dict[str, object]:
    wanted = set(scored)
    own = {name: {case: label for case, label in table.items() if case in wanted} for name, table in tables.items()}
    if lacking := sorted(wanted - set().union(*own.values())):
        return {"problems": [f"{_listed(lacking)}: no annotator names a class. Add a row in one of their tables."]}
    classes = describe_classes(assessment, [label for table in own.values() for label in table.values()])["classes"]
    merged, undecided = merging.merge_classes(list(own.values()), rule, classes)
    if undecided:
        said = [f"{case} ({_votes(own, case)})" for case in undecided[:_SHOWN]]
        more = f" and {len(undecided) - _SHOWN} more" if len(undecided) > _SHOWN else ""
        why = "the annotators are tied" if rule == merging.MAJORITY else "the annotators do not agree"
        problem = (
            f"{', '.join(said)}{more}: {why}, and the rule is {merging.computed(assessment.problem)[rule]}. No case is left "
            "out. Add another annotator's class of them, or decide them by a rule whose result is sent in "
            f"{REFERENCES}/{LABELS_FILE} beside the annotators (additional_annotator, consensus)."
        )
        return {"problems": [problem]}
    # Decoys keep what anybody said, so that they look like other cases; nothing is ever scored by it.
    rest: dict[str, str] = {}
    for table in tables.values():
        rest = {case: label for case, label in table.items() if case not in wanted} | rest
    with (folder / REFERENCES / LABELS_FILE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([CASE, LABEL])
        writer.writerows(sorted((merged | rest).items()))
    return {"file": LABELS_FILE}


def _votes(tables: Mapping[str, Mapping[str, str]], case: str) -> str:
    return ", ".join(f"{name}: {table[case][:40]}" for name, table in tables.items() if case in table)


def _listed(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - _SHOWN} more cases" if len(cases) > _SHOWN else ""
    return f"{', '.join(cases[:_SHOWN])}{more}"
