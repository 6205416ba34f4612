"""Requirements on cases and on tables of references before they are sealed; nothing is stored here."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from challenges.models import Phase
from datastore.test_sets.queries.decoys import tells_decoys
from datastore.test_sets.services.replacing import TestSetError
from evaluation.admission import check_characteristics, table_and_shared
from evaluation.assessment import Assessment
from evaluation.problems.tables import ReferenceTable, ReferenceTableError
from evaluation.readers import ReadError

Facts = dict[str, dict[str, Any]]


def check_cases(
    phase: Phase, cases: Sequence[str], decoys: Collection[str], metadata: pd.DataFrame | None
) -> tuple[list[str], Facts]:
    """Return the scored cases, and the metadata of each case.

    Raises
    ------
    TestSetError
        Without cases, for decoys that would be revealed, and for characteristics that the assessment needs
        and cases lack.
    """
    if not cases or len(set(cases)) != len(cases):
        raise TestSetError("A test set needs at least one case, and each only once.")
    scored = [case for case in cases if case not in decoys]
    _check_decoys(phase, scored, decoys)
    facts = _metadata(metadata, cases)
    try:
        check_characteristics(phase.assessment, scored, facts)
    except ReferenceTableError as error:
        raise TestSetError(str(error)) from error
    return scored, facts


def table_content(
    folder: Path, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]], named: Sequence[str]
) -> tuple[Path, ReferenceTable, dict[str, Any]]:
    """Return the one table of references in a folder, what it holds, and what the evidence of all teams has in common.

    Parameters
    ----------
    facts
        What is known of the scored cases.
    named
        Classes that annotators named.

    Raises
    ------
    TestSetError
        When it is not there, cannot be read, lacks a case, or names what no region of the assessment names.
    """
    try:
        return table_and_shared(folder, assessment, facts, named)
    except ReferenceTableError as error:
        raise TestSetError(str(error)) from error
    except ReadError as error:
        raise TestSetError(f"The references cannot be taken: {error}") from error


def _check_decoys(phase: Phase, scored: Sequence[str], decoys: Collection[str]) -> None:
    if not scored:
        raise TestSetError("All cases are decoys. At least one has to be scored.")
    if decoys and not phase.is_closed and tells_decoys(phase):
        raise TestSetError(
            f"{phase.name} shows references, scores or a ranking before it closes, and from them teams could tell the decoys: a score that "
            "does not change with a case does not depend on it. Let the phase show the validation only and keep its ranking "
            "sealed, or leave the decoys out."
        )


def _metadata(table: pd.DataFrame | None, cases: Sequence[str]) -> Facts:
    if table is None:
        return {}
    if "case" not in table.columns or table["case"].duplicated().any():
        raise TestSetError("The table of case metadata needs a column named case, with each case once.")
    case_rows = table[table["case"].isin(list(cases))].set_index("case")
    # Through pandas' own writer, so that NumPy's numbers and missing values become plain JSON.
    facts: Facts = json.loads(case_rows.to_json(orient="index"))
    return facts
