"""Meanings of sentences to one team, and about missing predictions."""

import re

from tests.claims.scene import NAME, Scene, means, near, sizes


@means(r"Missing predictions: (.+)\.")
def _(scene: Scene, text: str) -> bool:
    told = {}
    for part in text.split("; "):
        name, _, counted = part.rpartition(", ")
        number, noun = counted.split()
        if noun != ("case" if number == "1" else "cases"):
            return False
        told[name] = int(number)
    return told == {
        name: scene.raw.missing(scene.entry, name) for name in scene.raw.names if scene.raw.missing(scene.entry, name)
    }


@means(rf"{NAME} has rank (\S+) of (\d+)\.")
def _(scene: Scene, name: str, rank: str, of: str) -> bool:
    ranks = scene.raw.ranks(scene.entry)
    expected = scene.row(name)["rank"] if ranks is None else ranks[name]
    return name == scene.team and float(rank) == expected and int(of) == len(scene.raw.names)


@means(r"(?:Its rank set is rank (\d+) alone|Its rank could be (\d+)–(\d+))(?:; (letter|letters) (\w+))?\.")
def _(
    scene: Scene, alone: str | None, low: str | None, high: str | None, noun: str | None, letters: str | None
) -> bool:
    told = [int(alone)] * 2 if alone else [int(low), int(high)]
    grammar = noun is None or (noun == "letter") == (len(letters) == 1)
    return (
        told == scene.own["rank_set"]
        and told[0] <= scene.own["rank"] <= told[1]
        and grammar
        and bool(alone) == (told[0] == told[1])
    )


@means(r"There are too few cases to say between which ranks it truly lies\.")
def _(scene: Scene) -> bool:
    needed = scene.entry["sets"]["units_needed"]["sets"]
    return scene.raw.units_of(scene.entry) < needed or min(sizes(scene).values(), default=5) < 5


@means(r"Its resampling range is (rank (\S+) alone|(\S+)–(\S+)); it came first in (.+) of the resamples\.")
def _(scene: Scene, _words: str, alone: str | None, low: str | None, high: str | None, share: str) -> bool:
    told = (float(alone),) * 2 if alone else (float(low), float(high))
    return all(abs(a - b) <= 0.005 for a, b in zip(told, scene.own["rank_interval"], strict=True)) and near(
        scene.own["share_first"], share
    )


@means(r"Its rank set contains every rank, because cases may not be independent\.")
def _(scene: Scene) -> bool:
    known, rule = scene.raw.metadata, scene.raw.assessment
    declared = {"case", *rule.aggregation.levels, *rule.uncertainty.resample, *rule.uncertainty.strata}
    shared = [column for column in known if column not in declared and known[column].nunique() < len(known)]
    return scene.own["rank_set"] == [1, len(scene.rows)] and bool(shared)


@means(r"No other algorithm is significantly better\.")
def _(scene: Scene) -> bool:
    place = [row["name"] for row in scene.rows].index(scene.team)
    beaten = any(row[place] for row in scene.entry["shown_better"])
    return scene.team not in scene.winners and not beaten and scene.own["rank_set"][0] == 1


@means(r"Overall rank (\S+)\.")
def _(scene: Scene, rank: str) -> bool:
    return abs(float(rank) - of_team(scene, scene.entry)) <= 0.005


@means(r"(Better|Worse) than that by (.+)\.")
def _(scene: Scene, direction: str, text: str) -> bool:
    told = [(what, float(rank)) for what, rank in re.findall(r"(.+?) \(rank (\S+)\)(?:, |$)", text)]
    own = of_team(scene, scene.entry)
    ranks = [of_team(scene, entry) for entry in scene.document["rankings"]]
    expected = [rank for rank in ranks if (rank < own if direction == "Better" else rank > own)]
    by_name = all(
        any(
            abs(of_team(scene, entry) - rank) <= 0.005
            and all(str(entry[key]) in what for key in ("metric", "region", "task") if entry.get(key))
            for entry in scene.document["rankings"]
        )
        for what, rank in told
    )
    return by_name and sorted(round(rank, 2) for _, rank in told) == sorted(round(rank, 2) for rank in expected)


@means(r"The rank is the same by every metric and region\.")
def _(scene: Scene) -> bool:
    own = of_team(scene, scene.entry)
    return len(scene.document["rankings"]) > 1 and all(
        of_team(scene, entry) == own for entry in scene.document["rankings"]
    )


def of_team(scene: Scene, entry: dict) -> float:
    """Return the rank of the addressed team, by hand if that can be repeated."""
    ranks = scene.raw.ranks(entry)
    stored = next(row["rank"] for row in entry["algorithms"] if row["name"] == scene.team)
    return stored if ranks is None else ranks[scene.team]
