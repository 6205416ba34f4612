"""Method descriptions of the ranked teams, limited to the information visible to the readers of a report."""

from collections.abc import Iterable
from typing import Any, Final

from evaluation.designs.document import State
from leaderboards.queries.names import is_pseudonym
from reports.exposure.queries.audience import Audience
from submissions.domain.method_entries import PERSONAL, from_json, missing, parameters, share, words
from submissions.models import MethodDescription
from submissions.queries.methods import is_anonymous, is_public

MOST_WORDS: Final = 600
"""Longer answers are cut in a report; the page of the description has all of it."""


def described(teams: Iterable[dict[str, Any]], audience: Audience) -> list[dict[str, Any]]:
    """Return the descriptions of the ranked submissions, in the order of `teams`, in one query.

    For the public audience, only public descriptions are included.
    Descriptions that would identify a team that chose to stay unnamed are excluded.
    """
    # Whose a pseudonym is, a description would tell.
    named = {team["submission"]: team["name"] for team in teams if not is_pseudonym(team["name"])}
    rows = MethodDescription.objects.filter(submission__in=list(named)).select_related(
        "submission__phase__task__challenge"
    )
    entry_by_team = {}
    for row in rows:
        entries = from_json(row.entries)
        if audience is Audience.PUBLIC and (not is_public(row) or is_anonymous(entries)):
            continue
        completeness = share(entries)
        entry_by_team[named[str(row.submission_id)]] = {
            "team": named[str(row.submission_id)],
            "filled": completeness.filled,
            "required": completeness.total,
            "consent": str(entries["consent_result_publication"].value or "")
            if "consent_result_publication" in entries
            else "",
            "missing": [parameter.label for parameter in missing(entries)],
            "entries": {
                name: {
                    "words": _short(" / ".join(words(parameters()[name], entry))),
                    "provided": entry.state is State.PROVIDED,
                }
                for name, entry in entries.items()
                if name not in PERSONAL and parameters()[name].visibility == "public" and entry.state is not State.BLANK
            },
        }
    return [entry_by_team[name] for name in named.values() if name in entry_by_team]


def _short(text: str) -> str:
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS].rsplit(' ', 1)[0]} …"
