"""Meanings of sentences about values of the whole data set that were measured elsewhere."""

import re

from tests.claims.said_beforehand import names_a_winner
from tests.claims.scene import NAMES, Scene, means, near


def about(scene: Scene, metric: str, known: str) -> bool:
    """Return whether the uncertainty of a metric has this form, and the entry is about the metric."""
    return scene.raw.given.get(metric) == known and scene.entry.get("metric") in (None, "", metric)


@means(
    r"The uncertainty of (\w+) was submitted with its values, as replicates\. Statements about it are only as good as they are\."
)
def _(scene: Scene, metric: str) -> bool:
    return about(scene, metric, "replicates")


@means(
    r"Of (\w+) standard errors are known, and not what the errors of two algorithms have in common: where all were measured on the "
    r"same cases, its ranges are too wide\."
)
def _(scene: Scene, metric: str) -> bool:
    return about(scene, metric, "standard errors")


@means(r"The uncertainty of the values of (\w+) is unknown: its order may be due to chance\.")
def _(scene: Scene, metric: str) -> bool:
    sure = scene.entry["winner"]["named"] or any(row["rank_set"] or row["share_first"] for row in scene.rows)
    return about(scene, metric, "nothing") and not sure


@means(rf"No value of (\w+) was submitted for {NAMES}\.")
def _(scene: Scene, metric: str, who: str) -> bool:
    rows = scene.raw.results
    lacking = rows.loc[(rows["metric"] == metric) & (rows["outcome"] == "missing"), "algorithm"]
    return metric in scene.raw.given and sorted(scene.names(who) or []) == sorted(lacking)


@means(r"team (\w+) is first in more resamples \((.+? %)\) than team (\w+) \((.+? %)\)\.")
def _(scene: Scene, most: str, share: str, first: str, less: str) -> bool:
    shares = {row["name"]: row["share_first"] for row in scene.rows}
    most, first = f"team {most}", f"team {first}"
    return (
        bool(scene.raw.given_of(scene.entry))
        and scene.winners == [first]
        and shares[most] == max(shares.values()) > shares[first]
        and near(shares[most], share)
        and near(shares[first], less)
    )


@means(r"No winner can be named: the uncertainty of (\w+(?: and \w+)?) is unknown\.")
def _(scene: Scene, what: str) -> bool:
    metrics = re.split(" and ", what)
    unknown = sorted(name for name, known in scene.raw.given.items() if known == "nothing")
    return sorted(metrics) == unknown and not names_a_winner(scene)


@means(r"No winner can be named: single cases are resampled here, and values of the whole data set elsewhere\.")
def _(scene: Scene) -> bool:
    here = len(scene.raw.assessment.metrics) > len(scene.raw.given) > 0
    return here and not names_a_winner(scene)
