"""What is said to one team, and of missing predictions, in meaning."""

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
    return scene.raw.units < needed or min(sizes(scene).values(), default=5) < 5


@means(r"Its resampling range is (rank (\S+) alone|(\S+)–(\S+)); it came first in (.+) of the resamples\.")
def _(scene: Scene, _words: str, alone: str | None, low: str | None, high: str | None, share: str) -> bool:
    told = (float(alone),) * 2 if alone else (float(low), float(high))
    return all(abs(a - b) <= 0.005 for a, b in zip(told, scene.own["rank_interval"], strict=True)) and near(
        scene.own["share_first"], share
    )


@means(r"The first place is within its reach: nobody is shown to be better\.")
def _(scene: Scene) -> bool:
    place = [row["name"] for row in scene.rows].index(scene.team)
    beaten = any(row[place] for row in scene.entry["shown_better"])
    return scene.team not in scene.winners and not beaten and scene.own["rank_set"][0] == 1
