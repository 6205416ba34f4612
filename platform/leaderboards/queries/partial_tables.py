"""Other tables of a ranking version: of a group of its cases, or under the references of one annotator."""

from dataclasses import dataclass
from typing import Any

from leaderboards.domain import files
from leaderboards.models import RankingVersion

SUBGROUPS, ANNOTATORS = "subgroups", "annotators"
"""Findings of an analysis under which the tables are kept."""


@dataclass(frozen=True)
class Group:
    """A table beside the version that it belongs to, with its own sentences.

    Attributes
    ----------
    kind
        ``subgroups`` or ``annotators``.
    title, label
        What groups the cases and which group it is; for an annotator the name is the label.
    bootstrap
        How many resamples its intervals are made of.
    """

    kind: str
    key: str
    title: str
    label: str
    cases: int
    table: dict[str, Any]
    sentences: dict[str, list[str]]
    bootstrap: int

    @property
    def is_annotator(self) -> bool:
        """Whether it is about the references of one annotator, and not about a part of the cases."""
        return self.kind == ANNOTATORS

    @property
    def scope(self) -> str:
        """What a sentence about it is true of."""
        if self.is_annotator:
            return f"Against the references of annotator {self.label} alone"
        return f"On the {self.cases} cases with {self.title} {self.label}"


def chosen(kind: str, key: str, version: RankingVersion) -> Group | None:
    """Read the table of that name; None if there is none."""
    for entry in version.analysis.findings.get(kind, ()):
        if key and entry["key"] == key:
            content = files.load(entry["file"])
            return Group(
                kind=kind,
                key=key,
                title=entry["title"],
                label=entry["label"],
                cases=entry["cases"],
                table=content["table"],
                sentences=content["sentences"],
                bootstrap=content.get("bootstrap", version.bootstrap),
            )
    return None
