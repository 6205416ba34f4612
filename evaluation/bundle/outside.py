"""Statements of a bundle about values measured outside Podium: ranked again, but never measured again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MEASURED_OUTSIDE: Final = "measured_outside"
"""Key of the manifest: the sealed versions of tables that the results are from."""
_LONGEST: Final = 200


def outside_notes(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each sealed version: the bundle's own word, which no recomputing can confirm.

    Examples
    --------
    >>> origin = {"by": "site A", "with": "ctc 1.3", "when": "May 2026"}
    >>> outside_notes({"measured_outside": [{"version": 2, "digest": "ab", "origin": origin, "teams": ["yew"]}]})
    ('The values of 1 team were measured outside Podium by site A with ctc 1.3 (May 2026): version 2, digest ab.',)
    """
    entries = manifest.get(MEASURED_OUTSIDE)
    notes = []
    for entry in entries if isinstance(entries, list) else ():
        origin = entry.get("origin") if isinstance(entry, dict) else None
        if not isinstance(origin, dict) or not isinstance(entry.get("teams"), list):
            continue
        by, tool, when = (str(origin.get(key, ""))[:_LONGEST] for key in ("by", "with", "when"))
        teams = "1 team" if len(entry["teams"]) == 1 else f"{len(entry['teams'])} teams"
        where = f"version {entry.get('version')}, digest {str(entry.get('digest', ''))[:_LONGEST]}"
        notes.append(f"The values of {teams} were measured outside Podium by {by} with {tool} ({when}): {where}.")
    return tuple(notes)
