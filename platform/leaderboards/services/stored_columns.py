"""Columns of ranking versions, computed again from the stored ranking document and the inputs."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from datastore.uploads.storage import load_json
from evaluation.canonical import sha256
from leaderboards.models import RankingVersion

COLUMNS: Final = (
    *("inputs_digest", "assessment_digest", "seed", "bootstrap", "cases", "digest", "versions"),
    *("sentences", "table"),
)
_BESIDE: Final = ("submissions", "handed_in", "marks", "outcomes")
"""Columns of a table that come from the submissions of that time; the audit log has their digest with the table."""
_UNITS: Final = ("mm", "pixels", "voxels")


def rebuilt_versions() -> Iterator[tuple[str, Mapping[str, Any], Callable[[], Mapping[str, Any]]]]:
    """Yield each version's key, its stored columns, and a function that computes them again."""
    for version in RankingVersion.objects.select_related("phase__task__challenge").order_by("pk").iterator(100):
        yield str(version.pk), {name: getattr(version, name) for name in COLUMNS}, partial(_columns, version)


def _columns(version: RankingVersion) -> dict[str, Any]:
    # The scoring library is loaded by the process that verifies, never by one that serves pages.
    from evaluation import ranking
    from evaluation.ranking.document import versions

    document = load_json(version.document_name)
    columns = {
        "inputs_digest": sha256(version.inputs),
        "assessment_digest": version.inputs["assessment"],
        "seed": document["seed"],
        "bootstrap": document["bootstrap"],
        "cases": version.table["cases"],
        "digest": ranking.digest(document),
        "versions": document["versions"],
        "sentences": version.sentences,
        "table": version.table,
    }
    if document["versions"].get("podium") == versions()["podium"]:  # other releases have other tables and sentences
        columns |= _shown(version, document)
    return columns


def _shown(version: RankingVersion, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table and the sentences of a ranking document."""
    from evaluation import boards
    from evaluation.analyses import catalogue
    from leaderboards.services.computing import assessment_of

    groups: dict[str, list[str]] = defaultdict(list)
    for team in version.inputs["teams"]:
        groups[team["result"]].append(team["name"])
    if version.is_over_sites:
        groups = {}  # type: ignore[assignment]
        document = {**document, "rankings": [entry for entry in document["rankings"] if entry["algorithms"]]}
    stored = version.table
    beside = {
        team: {name: stored[name][index] for name in _BESIDE if name in stored}
        for index, team in enumerate(stored["teams"])
    }
    tables = [
        boards.build(
            document,
            assessment_of(version),
            identical=[group for group in groups.values() if len(group) > 1],
            entries=beside,
            length_unit=unit,
        )
        for unit in _UNITS
    ]
    if version.is_over_sites:
        tables = [table | {"sites": stored.get("sites")} for table in tables]
    table = next((table for table in tables if table == stored), tables[0])
    return {"table": table, "cases": table["cases"], "sentences": catalogue.sentences(document, table)}
