"""Names of the files of a bundle, and the digests that connect them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evaluation.scoring.evidence import Evidence

SCHEMA: Final = 1
MANIFEST: Final = "bundle.json"
ASSESSMENT: Final = "assessment.json"
RANKING: Final = "ranking.json"
CASES: Final = "cases.csv"
AUDIT: Final = "audit.json"
RESULTS: Final = "results/"
EVIDENCE: Final = "evidence/"
RESULT_COLUMNS: Final = ("case", "region", "metric", "value", "outcome", "image_diagonal", "flag")
FURTHER: Final = ("worst", "before")
"""Further columns, each of results in which a row has one."""


def result_digest(table: pd.DataFrame, evidence: Evidence | None = None) -> str:
    """Return the digest of a team's results, independent of the team and the storage of the table.

    Parameters
    ----------
    table
        The columns of `RESULT_COLUMNS`; NaN where there is no number.
    evidence
        Evidence behind values of the whole data set, if any; the digest then covers both.

    Returns
    -------
    str
        SHA-256 over the canonical JSON of the rows, in the order of case, region and metric; with evidence
        `combined_digest` of that and of `evaluation.scoring.evidence.evidence_digest`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"case": ["2", "1"], "region": "", "metric": "dsc", "value": [0.5, None], "outcome": ["ok", "missing"],
    ...         "image_diagonal": 10.0, "flag": ""}
    >>> table = pd.DataFrame(rows)
    >>> result_digest(table) == result_digest(table[::-1])
    True
    """
    columns = table[result_columns(table)].astype(object)
    plain = columns.where(columns.notna(), None)
    rows = [list(row) for row in plain.itertuples(index=False)]
    table_digest = sha256(sorted(rows, key=lambda row: (row[0], row[1], row[2])))
    if evidence is None:
        return table_digest
    # Here, so that pages about bundles start without the libraries of scoring.
    from evaluation.scoring.evidence import evidence_digest

    return combined_digest(table_digest, evidence_digest(evidence))


def result_columns(table: pd.DataFrame) -> list[str]:
    """The columns that results consist of: `RESULT_COLUMNS`, and of the `FURTHER` ones those that a row fills."""
    further = [name for name in FURTHER if name in table.columns and bool(table[name].notna().any())]
    return [*RESULT_COLUMNS, *further]


def combined_digest(rows: str, evidence: str) -> str:
    """Digest of a result that consists of rows and of evidence, from the digests of both."""
    return sha256({"rows": rows, "evidence": evidence})


def audit_digest(entry: Mapping[str, Any]) -> str:
    """Return the digest of an entry of the platform's audit log.

    It covers all fields, including the digest of the previous entry.
    """
    fields = {key: value for key, value in entry.items() if key != "digest"}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
