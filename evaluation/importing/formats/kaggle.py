"""Leaderboards of Kaggle as CSV: one score per team.

Structure: the file that the leaderboard page downloads (``Rank``, ``TeamId``, ``TeamName``, ``LastSubmissionDate``,
``Score``, ``SubmissionCount``, ``TeamMemberUserNames``) and that of ``kaggle competitions leaderboard --csv``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from evaluation.importing.formats.building import Table, repeated
from evaluation.importing.formats.codabench import SUMMARY_NOTE
from evaluation.importing.numbers import as_number
from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import SheetLimits

_NEEDED: Final = frozenset({"teamid", "teamname", "score"})


class Kaggle:
    """Reader of leaderboards."""

    name = "Kaggle leaderboard"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:  # noqa: ARG002 (the signature)
        """Return whether the header has Kaggle's columns."""
        if part.looks_like_json:
            return False
        head = part.text.lstrip("\ufeff").split("\n", 1)[0].replace('"', "").strip().casefold()
        return set(head.split(",")) >= _NEEDED

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:
        """Read one leaderboard."""
        if len(parts) > 1:
            raise TableError(parts[1].path, "this is a second leaderboard of Kaggle", "Send one leaderboard.")
        [part] = parts
        sheet = part.sheet(limits)
        index = {column.casefold(): position for position, column in enumerate(sheet.columns)}
        names = [row[index["teamname"]] for row in sheet.rows]
        is_ambiguous = bool(repeated(names))
        table = Table(roles={"TeamName": "algorithm", "Score": "value"}, is_summary=True)
        for line, row in zip(sheet.lines, sheet.rows, strict=True):
            name, number = row[index["teamname"]], row[index["teamid"]]
            if as_number(row[index["score"]]) is None:
                what = f"row {line} has the score {shown(row[index['score']])}, which is no number"
                raise TableError(part.path, what, "Download the leaderboard again.")
            # Teams of Kaggle can have the same name; their numbers distinguish them.
            table.add({"TeamName": f"{name} ({number})" if is_ambiguous else name, "Score": row[index["score"]]})
        if is_ambiguous:
            table.notes.append("Several teams have the same name: the number of the team is added to each name.")
        if "rank" in index:
            ranks = [as_number(row[index["rank"]]) for row in sheet.rows]
            scores = [as_number(row[index["score"]]) for row in sheet.rows]
            direction = _direction([number or 0 for number in ranks], [number or 0 for number in scores])
            if direction:
                table.directions["Score"] = direction
                table.notes.append(f"By the column “Rank”, {direction} scores are better.")
        table.notes.append(SUMMARY_NOTE)
        return table


def _direction(ranks: Sequence[float], scores: Sequence[float]) -> str:
    """Return the better direction that ranks show; empty if they show none.

    Examples
    --------
    >>> _direction([1, 2, 3], [0.9, 0.8, 0.8]), _direction([1, 2], [0.5, 0.5]), _direction([1, 2, 3], [0.1, 0.3, 0.2])
    ('higher', '', '')
    """
    ordered = [score for _, score in sorted(zip(ranks, scores, strict=True), key=lambda pair: pair[0])]
    falls = any(first > second for first, second in pairwise(ordered))
    rises = any(first < second for first, second in pairwise(ordered))
    if falls == rises:
        return ""
    return "higher" if falls else "lower"
