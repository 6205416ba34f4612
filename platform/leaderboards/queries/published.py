"""Ranking as JSON for programs, with every mark and deviation that the page shows."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from challenges.queries import deviations
from evaluation.boards import CERTAINTY, COLUMNS, EFFECTS, MARKS, Mark, marks_of, spoken
from evaluation.boards.page import Method
from evaluation.bundle import SCORERS
from leaderboards.domain.board_files import REPORTED
from leaderboards.models import RankingVersion
from leaderboards.queries import methods
from leaderboards.queries.names import is_pseudonym
from leaderboards.queries.partial_tables import Group

SCHEMA = 3
"""Of the answer. Schema 3 has the verdicts `confirmed` and `significant`, and numbers about the lead."""


def described(version: RankingVersion) -> dict[str, Method]:
    """Return the method descriptions of the ranked teams, by team."""
    named = named_submissions(version)
    return {named[key]: method for key, method in methods.methods_of(version.phase, list(named)).items()}


def named_submissions(version: RankingVersion) -> dict[str, str]:
    """Submission and name of the teams that are named: from a pseudonym no way leads to a submission."""
    return {team["submission"]: team["name"] for team in version.inputs["teams"] if not is_pseudonym(team["name"])}


def document(version: RankingVersion, *, key: str, stands: bool, part: Group | None = None) -> dict[str, Any]:
    """Return the table of a version as JSON values.

    Parameters
    ----------
    key
        Name of its phase in addresses.
    stands
        Whether it is the current ranking for the requesting person.
    part
        Group of cases or annotator whose table is returned instead.
    """
    phase = version.phase
    table = part.table if part else version.table
    method_by_team = described(version)
    return {
        "schema": SCHEMA,
        "challenge": phase.challenge.slug,
        "task": phase.task.slug,
        "phase": phase.slug,
        "version": version.number,
        "stands": stands,
        "address": reverse("leaderboards:version", args=[phase.challenge.slug, key, version.number]),
        "created_at": version.created_at.date().isoformat(),
        "digest": version.digest,
        "assessment_digest": version.assessment_digest,
        "seed": version.seed,
        "bootstrap": part.bootstrap if part else version.bootstrap,
        "interval": table["interval"],
        "cases": table["cases"],
        "only": {"kind": part.kind, "title": part.title, "label": part.label} if part else None,
        "deviations": [entry.facts for entry in deviations(phase, executed=version.assessment_digest)],
        # Where values come from that the platform did not compute.
        "measured_outside": version.inputs.get("measured_outside", []),
        "scorers": version.inputs.get(SCORERS, []),
        "identical": table["identical"],
        "says": [
            *spoken(
                table["orders"][0],
                (part.sentences if part else version.sentences)[table["orders"][0]["key"]],
                closed=phase.is_closed,
            ),
            *([part.note] if part and part.note else ()),
        ],
        "orders": [
            # Tables of schema 2 lack the numbers about the lead and the kind of score intervals.
            {
                name: order.get(name) if name in (*EFFECTS, "score_interval_kind") else order[name]
                for name in (
                    "key",
                    "label",
                    "metric",
                    "region",
                    "statistic",
                    "unit",
                    "higher",
                    "score_interval_kind",
                    *CERTAINTY,
                )
            }
            for order in table["orders"]
        ],
        "reported": [
            {name: entry[name] for name in ("key", "label", "metric", "region", "statistic", "unit", "higher", "cases")}
            for entry in table.get("reported", ())
        ],
        "teams": [_team(table, index, method_by_team.get(name)) for index, name in enumerate(table["teams"])],
    }


def _team(table: Mapping[str, Any], index: int, method: Method | None) -> dict[str, Any]:
    team = table["teams"][index]
    marks: list[tuple[str, Mark]] = [(mark, MARKS[mark]) for mark in marks_of(table, index, method) if mark in MARKS]
    return {
        "team": team,
        "cases": table["cases"] - table["missing"][index],
        "missing": table["missing"][index],
        # Tables that were stored before these were known have none.
        **{name: table[name][index] if name in table else None for name in ("submissions", "handed_in")},
        "marks": [{"mark": name, "label": mark.label, "meaning": mark.meaning} for name, mark in marks],
        "method": method.url if method else None,
        "orders": {
            order["key"]: {name: order[field][index] if field in order else None for field, name in COLUMNS.items()}
            for order in table["orders"]
        },
        "reported": {
            entry["key"]: {name: entry[field][index] for field, name in REPORTED.items()}
            for entry in table.get("reported", ())
        },
    }
