"""Other tables of a ranking version: of a group of its cases, under the references of one annotator, of one level of interaction."""

from dataclasses import dataclass
from typing import Any, Final

from evaluation.claims.resamples import without_case_names
from evaluation.claims.sections import ONE_OF_GROUPS, OneOfGroups
from leaderboards.models import RankingVersion
from leaderboards.queries import names

SUBGROUPS, ANNOTATORS, LEVELS = "subgroups", "annotators", "levels"
"""Findings of an analysis under which the tables are kept."""
PARAMETERS: Final = {SUBGROUPS: "group", ANNOTATORS: "annotator", LEVELS: "level"}
"""URL parameters that select a table."""


@dataclass(frozen=True)
class Group:
    """Table of a part of a ranking version, with its own sentences.

    Attributes
    ----------
    kind
        ``subgroups``, ``annotators`` or ``levels``.
    title, label
        Characteristic that groups the cases, and name of the group. For an annotator the name is the label, for a level the
        methods.
    bootstrap
        Number of resamples of its intervals.
    note
        Sentence on what its statements are not adjusted for; empty if it is not one of several groups of cases.
    """

    kind: str
    key: str
    title: str
    label: str
    cases: int
    table: dict[str, Any]
    sentences: dict[str, list[str]]
    bootstrap: int
    note: str = ""

    @property
    def is_annotator(self) -> bool:
        """True if the table is about the references of one annotator instead of a part of the cases."""
        return self.kind == ANNOTATORS

    @property
    def is_level(self) -> bool:
        """True if the table is about methods of one level of interaction, on all cases."""
        return self.kind == LEVELS

    @property
    def parameter(self) -> str:
        """URL parameter that selects the table."""
        return PARAMETERS[self.kind]

    @property
    def scope(self) -> str:
        """Text about the scope of the table's sentences."""
        if self.is_annotator:
            return f"Against the references of annotator {self.label} alone"
        if self.is_level:
            return f"Among the {self.label} alone"
        return f"On the {self.cases} cases with {self.title} {self.label}"


def chosen(kind: str, key: str, version: RankingVersion) -> Group | None:
    """Read the table of that name; None if there is none."""
    for entry in version.analysis.findings.get(kind, ()):
        if key and entry["key"] == key:
            content = names.read(version, entry["file"])
            sentences = content["sentences"]
            if version.hides_cases:
                sentences = {key: [without_case_names(text) for text in texts] for key, texts in sentences.items()}
            return Group(
                kind=kind,
                key=key,
                title=entry["title"],
                label=entry["label"],
                cases=entry["cases"],
                table=names.without_personal_facts(content["table"]),
                sentences=sentences,
                bootstrap=content.get("bootstrap", version.bootstrap),
                note=_note(kind, entry["title"], version),
            )
    return None


def _note(kind: str, title: str, version: RankingVersion) -> str:
    if kind != SUBGROUPS:
        return ""
    ranked = sum(entry["title"] == title for entry in version.analysis.findings.get(SUBGROUPS, ()))
    return " ".join(ONE_OF_GROUPS.all(OneOfGroups(title, ranked)))
