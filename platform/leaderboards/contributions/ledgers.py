"""Rankings, as the verification of the registry reads them."""

from collections.abc import Iterator

from leaderboards.models import RankingVersion
from registry import hooks
from registry.hooks import Ledger, Row


def register() -> None:
    """Have the document of every ranking verified."""
    hooks.ledgers.register(
        Ledger(
            kind="rankings",
            model="leaderboards.rankingversion",
            act="ranking_computed",
            fact="digest",
            rows=_rows,
        )
    )


def _rows() -> Iterator[Row]:
    # The scoring library is loaded by the process that verifies, never by one that serves pages.
    from datastore.uploads.storage import load_json
    from evaluation import ranking

    for version in RankingVersion.objects.only("digest", "document_name").order_by("pk").iterator():
        try:
            recomputed = ranking.digest(load_json(version.document_name))
        except (OSError, ValueError):
            recomputed = ""
        # The report is public, the names of challenges and phases may not be.
        yield Row(str(version.pk), f"Ranking number {version.pk}", version.digest, recomputed)
