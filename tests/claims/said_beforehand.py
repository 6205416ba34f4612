"""Meanings of sentences about winners before there is any result; a winner named all the same would be an error."""

import math

from evaluation.ranking.reading import overall
from tests.claims.scene import NOUNS, Scene, means

CASES = {"1 test case", *(f"{number:,} test cases" for number in range(501) if number != 1)}


def decides(scene: Scene) -> dict:
    """The entry of the registered ranking."""
    return (overall(scene.document) or scene.document["rankings"])[0]


def names_a_winner(scene: Scene) -> bool:
    return decides(scene)["winner"]["named"]


def of_fewest(scene: Scene, least: int, of_two: int) -> bool:
    """Return whether no winner is named with fewer units than the sentence states.

    If sign flips decide, both numbers must also follow from exact tests.
    """
    entry = decides(scene)
    own = of_two if len(entry["algorithms"]) <= 2 else least
    if names_a_winner(scene) and scene.raw.units_of(decides(scene)) < own:
        return False
    if entry["sets"]["method"] != "sign_flips":
        return True
    # The smallest two-sided p-value of n units that all point one way is 2 of 2^n.
    by_hand = [math.ceil(math.log2(2 / share) - 1e-9) for share in (scene.alpha_of_two, scene.alpha_of_more)]
    return [of_two, least] == by_hand


def of_unit(scene: Scene, number: int, noun: str) -> bool:
    unit = scene.document["resampling"]["unit"]
    return noun == (unit if number == 1 else NOUNS[unit])


@means(r"No winner can be named, because the ranking is not resampled\.")
def _(scene: Scene) -> bool:
    return scene.raw.assessment.uncertainty.bootstrap == 0 and not names_a_winner(scene)


@means(r"No winner can be named: that takes (\d+) resamples or more\.")
def _(scene: Scene, least: str) -> bool:
    return 0 < scene.raw.assessment.uncertainty.bootstrap < int(least) == 200 and not names_a_winner(scene)


@means(r"Whether a winner can be named depends on the standard errors or replicates submitted with the values\.")
def _(scene: Scene) -> bool:
    ranked = scene.raw.scheme.get("metrics")
    return scene.raw.assessment.problem == "external" and any(
        use.level == "dataset" and not use.options.get("without_uncertainty")
        for use in scene.raw.assessment.metrics
        if ranked is None or use.name in ranked
    )


@means(r"No winner can be named, however many (\w+) there are\.")
def _(scene: Scene, noun: str) -> bool:
    extremes = scene.raw.scheme.get("operator") in ("min", "max")
    return extremes and not names_a_winner(scene) and of_unit(scene, 2, noun)


@means(
    r"No winner can be named with fewer than (\d+) (\w+)(?: \((\d+) for two teams\))?( in one of the tasks)?(?: in one (site))?"
    r"(?:, or while one ([\w, ]+) has fewer than 5)?; in practice it takes more, the closer the results are\."
)
def _(
    scene: Scene,
    least: str,
    noun: str,
    of_two: str | None,
    by_task: str | None,
    data_sets: str | None,
    strata: str | None,
) -> bool:
    apart = scene.raw.data_sets
    if data_sets is not None and data_sets != apart:
        return False
    if bool(strata) != bool(set(scene.raw.assessment.uncertainty.strata) - {apart if data_sets else ""}):
        return False
    if bool(by_task) and len(scene.raw.tasks) < 2:
        return False
    return of_unit(scene, int(least), noun) and of_fewest(scene, int(least), int(of_two or least))


@means(
    r"With ([\d,]+ test cases?) no winner can be named, whatever the results are; "
    r"(?:(\d+) (\w+) are the least|two teams need (\d+) (\w+), more teams (\d+))\."
)
def _(scene: Scene, cases: str, least: str, noun: str, of_two: str, noun_of_two: str, more: str) -> bool:
    fewest = int(least or of_two)
    number = int(cases.split(maxsplit=1)[0].replace(",", ""))
    return (
        cases in CASES
        and number == len(scene.raw.cases) < fewest
        and not names_a_winner(scene)
        and of_unit(scene, fewest, noun or noun_of_two)
        and of_fewest(scene, int(more or least), fewest)
    )


@means(r"With ([\d,]+ test cases?) a winner can be named between two teams at most; three or more need (\d+) (\w+)\.")
def _(scene: Scene, cases: str, least: str, noun: str) -> bool:
    number = int(cases.split(maxsplit=1)[0].replace(",", ""))
    two = len(decides(scene)["algorithms"]) <= 2
    return (
        cases in CASES
        and number == len(scene.raw.cases) < int(least)
        and (two or not names_a_winner(scene))
        and of_unit(scene, int(least), noun)
    )
