"""The stored ranking of a group of cases, as somebody chooses it."""

from dataclasses import dataclass
from typing import Any

from leaderboards import computing
from leaderboards.models import RankingVersion


@dataclass(frozen=True)
class Group:
    """A group of cases with its own table and sentences; the version it belongs to is on all cases."""

    key: str
    title: str
    label: str
    cases: int
    table: dict[str, Any]
    sentences: dict[str, list[str]]


def chosen(key: str, version: RankingVersion) -> Group | None:
    """Read the group of that name; None if there is none."""
    for entry in version.analysis.findings.get("subgroups", ()):
        if entry["key"] == key:
            return Group(
                key=key,
                title=entry["title"],
                label=entry["label"],
                cases=entry["cases"],
                **computing.load(entry["file"]),
            )
    return None
