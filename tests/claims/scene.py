"""A sentence with its subject, and parsers of its text: names, shares, numbers with their nouns."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.claims.meanings import Meanings
from tests.claims.raw import Raw

NAME = r"(team [A-Z]2?)"
NAMES = r"((?:team [A-Z]2?(?:, | and | or )?)+|\d+ others|\d+ algorithms|\d+ teams)"
NOUNS = {"case": "cases", "patient": "patients", "site": "sites"}


@dataclass(frozen=True)
class Scene:
    """A sentence with what it is about."""

    raw: Raw
    entry: dict
    document: dict
    team: str = ""
    """Team that the sentence addresses, if it is about one team."""

    @property
    def own(self) -> dict:
        """The row of the addressed team."""
        return self.row(self.team)

    @property
    def rows(self) -> list[dict]:
        return self.entry["algorithms"]

    def row(self, name: str) -> dict:
        return next(row for row in self.rows if row["name"] == name)

    @cached_property
    def winners(self) -> list[str]:
        """The teams with the best rank: by hand if that can be repeated, otherwise by the ranks of the document."""
        by_hand = self.raw.winners(self.entry)
        best = min(row["rank"] for row in self.rows)
        return by_hand or sorted(row["name"] for row in self.rows if row["rank"] == best)

    @property
    def closed(self) -> bool:
        return self.raw.challenge.closed

    @property
    def level(self) -> float:
        return self.raw.assessment.uncertainty.interval

    @property
    def alpha(self) -> float:
        given = self.raw.assessment.uncertainty.winner_alpha
        return min(round(1 - self.level, 12), given if given is not None else 1.0)

    @property
    def alpha_of_two(self) -> float:
        """The error that naming a winner of two may make: there is one statement."""
        return self.alpha

    @property
    def alpha_of_more(self) -> float:
        """The same of three or more: the sets have a third of the error."""
        return min(2 * round(1 - self.level, 12) / 3, self.alpha)

    @property
    def winner_share(self) -> float:
        """The error that naming a winner of these teams may make: an equal part for each ranking that is still tested."""
        whole = self.alpha_of_two if len(self.rows) == 2 else self.alpha_of_more
        if (look := self.document.get("look")) is not None:
            whole *= 6 / (np.pi * look["change"]) ** 2
        return whole if self.role is None else whole / self.still_tested

    @property
    def role(self) -> str | None:
        """The registered role of this ranking; parts of a combined one only describe."""
        registered = next(one for one in self.raw.assessment.rankings if one.name == self.entry.get("name"))
        is_part = "over" not in self.entry and any(
            "over" in one and one.get("name") == self.entry.get("name") for one in self.all_rankings
        )
        if registered.role:
            return "exploratory" if is_part else registered.role
        alike = [one for one in self.document["rankings"] if one.get("name") == self.entry.get("name")]
        return "secondary" if is_part and len(alike) > 1 and "rules" in self.document else None

    @property
    def margin(self) -> float:
        """The registered margin of the metric of this ranking; 0 for a combination of several rankings."""
        of = [
            one
            for one in self.document["rankings"]
            if all(self.entry.get(key) in (None, one.get(key)) for key in ("name", "metric", "region", "task"))
        ]
        return self.raw.assessment.uncertainty.margin.get(of[0]["metric"], 0.0) if len(of) == 1 else 0.0

    @property
    def all_rankings(self) -> list[dict]:
        overall = self.document["overall"] or []
        return [*self.document["rankings"], *(overall if isinstance(overall, list) else [overall])]

    @property
    def family(self) -> list[dict]:
        """All rankings with the role of this one."""
        return [one for one in self.all_rankings if Scene(self.raw, one, self.document).role == self.role]

    @property
    def still_tested(self) -> int:
        """The number of rankings among which Holm divides the level of this one."""
        tests = self.entry["family"]["tests"]
        named = [one["family"]["tests"] for one in self.family if one["winner"]["named"]]
        earlier = sum(step > tests for step in named)
        assert tests == len(self.family) - earlier
        assert self.entry["winner"]["named"] or tests == len(self.family) - len(named) or tests == len(self.family)
        return tests

    def names(self, text: str) -> list[str] | None:
        """Return the names in a list; None if the text contains only their number."""
        return None if re.fullmatch(r"\d+ (others|algorithms|teams)", text) else re.findall(NAME, text)

    def lists(self, text: str, expected: list[str]) -> bool:
        """Return whether a list names exactly these, or their number if there are more than three."""
        named = self.names(text)
        if named is None:
            return int(text.split(maxsplit=1)[0]) == len(expected) > 3
        return sorted(named) == sorted(expected) and len(named) <= 3

    @cached_property
    def reach(self) -> list[str]:
        """Others than the one first in the table whose rank set starts at 1."""
        return [row["name"] for row in self.rows[1:] if row["rank_set"] is not None and row["rank_set"][0] == 1]

    def first_in_contest_of_two(self, name: str) -> bool:
        """Return whether a team ranks first, alone or tied, when only it and the first team take part."""
        ranks = self.raw.ranks(self.entry, teams=[self.rows[0]["name"], name])
        return ranks is None or ranks[name] == 1

    def counted(self, number: str, noun: str) -> bool:
        """Return whether a noun agrees with its number and names the resampled unit."""
        unit = self.document["resampling"]["unit"]
        return noun == (unit if number == "1" else NOUNS[unit])


def number(text: str) -> float:
    """Return the number of a text, with a minus sign or thousands separators."""
    return float(text.replace("−", "-").replace(",", ""))


def not_above(share: float, text: str, digits: int = 1) -> bool:
    """Return whether a stated upper bound in per cent is not below the share, and less than one unit of its last digit above."""
    stated = float(text.removesuffix(" %"))
    unit = 10.0 ** -max(digits, len(text.removesuffix(" %").partition(".")[2]))
    return -1e-9 <= stated - 100 * share < unit + 1e-9


def not_below(share: float, text: str, digits: int = 1) -> bool:
    """Return whether a stated lower bound in per cent is not above the share, and less than one unit of its last digit below."""
    stated = float(text.removesuffix(" %"))
    unit = 10.0 ** -max(digits, len(text.removesuffix(" %").partition(".")[2]))
    return -1e-9 <= 100 * share - stated < unit + 1e-9


MEANINGS = Meanings()
"""Of the sentences about rankings."""
means = MEANINGS.means


def percent(text: str) -> float:
    return float(text.replace("over ", "").replace("under ", "").removesuffix(" %")) / 100


def near(share: float, text: str) -> bool:
    """Return whether the text is the share rounded to whole per cent, and not to none or all."""
    if text == "over 99 %":
        return 0.99 < share < 1
    if text == "under 1 %":
        return 0 < share < 0.01
    return abs(share - percent(text)) <= 0.005 + 1e-9


def so_far(scene: Scene, text: str | None) -> bool:
    return (text == " so far") == (not scene.closed)


def sizes(scene: Scene) -> dict[str, int]:
    """Units by stratum."""
    strata, drawn = scene.raw.assessment.uncertainty.strata, scene.raw.assessment.uncertainty.resample[0]
    if not strata:
        return {}
    return scene.raw.metadata.groupby(list(strata))[drawn].nunique().to_dict()
