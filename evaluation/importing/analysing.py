"""Everything that is made of a table: ranking, uncertainty, gaming check, report and bundle, by the code of leaderboards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from evaluation.aggregation import ResultsError
from evaluation.bundle import Published, TeamResult, chunks, result_digest
from evaluation.ranking import describe, digest, rank
from evaluation.ranking.gaming import gaming_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.importing.arranging import Arranged
    from evaluation.importing.sheets import Sheet

OUTSIDE: Final = "values measured outside Podium"
"""Label of all content that is based on values not scored by this platform."""
CHOSEN: Final = (
    "The values were measured outside Podium, and were taken as they stand in the table. Nothing was registered before they "
    "were known: where this report says “registered”, it means what was chosen for this analysis, with the results at hand."
)


@dataclass(frozen=True)
class Analysis:
    """Result of the analysis of a table.

    Attributes
    ----------
    title
        Title chosen by the user.
    results
        The results table in the contract's form.
    document
        The ranking document.
    gaming
        Gain that each algorithm would have had from withholding bad cases (`evaluation.ranking.gaming.gaming_check`).
    """

    title: str
    file: str
    source_sha256: str
    assessment: Assessment
    results: pd.DataFrame
    document: Mapping[str, Any]
    gaming: list[dict[str, Any]]
    notes: tuple[str, ...]

    @cached_property
    def digest(self) -> str:
        """Digest of the ranking document."""
        return digest(self.document)

    def bundle(self) -> Iterator[bytes]:
        """The bytes of the bundle, which ``python -m evaluation verify`` computes again."""
        facts = {
            "title": self.title,
            "origin": OUTSIDE,
            "source": {"file": self.file, "sha256": self.source_sha256},
        }
        published = Published(digest=self.digest, document=self.document, facts=facts)
        return chunks(published, self.assessment, self._teams())

    def _teams(self) -> Iterator[TeamResult]:
        for name, table in self.results.groupby("algorithm", sort=True):
            rows = table.reset_index(drop=True)
            yield TeamResult(str(name), result_digest(rows), rows)

    @property
    def scheme(self) -> list[str]:
        """Return sentences that explain how the order is determined."""
        return list(describe(self.assessment))

    def results_csv(self) -> str:
        """The results table as a file; the values have 17 significant digits."""
        text: str = self.results.to_csv(index=False, float_format="%.17g", lineterminator="\n")
        return text

    def report(self) -> str:
        """The report as one HTML file."""
        # Here, so that whoever needs no report needs none of its libraries.
        from evaluation.documents.html import as_html
        from evaluation.reporting import report_blocks

        blocks = report_blocks(
            self.assessment,
            self.results,
            title=self.title,
            document=self.document,
            justification=" ".join((CHOSEN, *self.notes)),
        )
        return as_html(blocks, title=self.title)


def analyse(
    sheet: Sheet,
    arranged: Arranged,
    assessment: Assessment,
    *,
    title: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Analysis:
    """Rank the values of a table and check whether withholding cases would have paid.

    Parameters
    ----------
    assessment
        From `evaluation.importing.assessment_of`.

    Raises
    ------
    ResultsError
        If the values cannot be ranked.
    """
    results = _contract_form(arranged)
    document = rank(assessment, results, progress=progress)
    try:
        gaming = gaming_check(assessment, results)
    except ResultsError:  # nothing to withhold
        gaming = []
    return Analysis(
        title=title or sheet.file.rpartition(".")[0] or sheet.file,
        file=sheet.file,
        source_sha256=sheet.sha256,
        assessment=assessment,
        results=results,
        document=document,
        gaming=gaming,
        notes=arranged.notes,
    )


def _contract_form(arranged: Arranged) -> pd.DataFrame:
    """The columns of the contract; no image is known, so that there is no diagonal."""
    columns = [*(["task"] if arranged.tasks else []), "algorithm", "case", "region", "metric", "value", "outcome"]
    table = arranged.results[columns].copy()
    table["image_diagonal"] = float("nan")
    table["flag"] = ""
    order = [column for column in columns if column not in ("value", "outcome")]
    return table.sort_values(order, kind="stable", ignore_index=True)
