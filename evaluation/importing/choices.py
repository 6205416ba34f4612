"""The two questions that a table cannot answer: which direction is better, and what a missing value counts as."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation import problems
from evaluation.assessment import parse
from evaluation.assessment.described import WITHOUT
from evaluation.assessment.ranking import EXPLORATORY
from evaluation.assessment.reading import is_number
from evaluation.catalogue import CatalogueError, all_metrics, get
from evaluation.importing.questions import is_per_cent, known_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.importing.arranging import Arranged

EXCLUDE: Final = "exclude"
WORST_IN_TABLE: Final = "the worst value in the table"
_HIGHER: Final = (
    *(
        "dice",
        "dsc",
        "f1",
        "fscore",
        "iou",
        "jaccard",
        "auc",
        "auroc",
        "accuracy",
        "acc",
        "precision",
        "recall",
        "kappa",
    ),
    *("sensitivity", "specificity", "ppv", "npv", "map", "ap", "nsd", "ssim", "psnr", "correlation", "overlap", "tra"),
    *("mcc", "cldice", "froc", "success", "hota", "mota", "idf1", "cindex", "pq", "r2"),
)
_LOWER: Final = (
    *(
        "hd",
        "hd95",
        "hausdorff",
        "assd",
        "asd",
        "masd",
        "msd",
        "distance",
        "error",
        "mae",
        "mse",
        "rmse",
        "nmse",
        "loss",
    ),
    *(
        "time",
        "runtime",
        "seconds",
        "tre",
        "brier",
        "ece",
        "nll",
        "avd",
        "rvd",
        "vd",
        "difference",
        "deviation",
        "volume",
    ),
    *("lpips", "fid", "aurc", "augrc", "bias", "energy", "memory", "fpv", "fnv", "mre", "cost", "risk", "folding"),
)


@dataclass(frozen=True)
class MetricChoice:
    """Decisions about a metric of the table.

    Attributes
    ----------
    name
        Name as in the table.
    direction
        ``higher`` or ``lower``; empty if it is not specified.
    missing
        The number that a missing value counts as, or ``"exclude"``: it is excluded for this algorithm.
    why
        Origin of a suggested number, as a phrase.
    """

    name: str
    direction: str
    missing: float | str
    why: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """Return the decisions as JSON values."""
        return {"name": self.name, "direction": self.direction, "missing": self.missing, "why": self.why}


def suggest_metrics(arranged: Arranged) -> list[MetricChoice]:
    """Suggest direction and missing rule of every metric from its name and its values.

    A person must confirm them.
    """
    suggested = []
    for metric in arranged.metrics:
        direction = arranged.directions.get(metric) or direction_of(metric)
        missing, why = worst_value(arranged.values_of(metric), direction or "higher", name=metric)
        suggested.append(MetricChoice(metric, direction, missing, why))
    return suggested


def worst_value(values: Iterable[float], direction: str, *, name: str = "") -> tuple[float, str]:
    """Return the default value for a missing value, and its reason.

    The default is as bad as the worst value in the table, or worse. Where the range of the metric is not known, it is
    `WORST_IN_TABLE`: another algorithm's value, which `is_guess` tells from a bound of the metric.

    Parameters
    ----------
    name
        Name of the metric, by which its range may be known.

    Examples
    --------
    >>> worst_value([0.5, 0.9], "higher"), worst_value([3.0, 8.0], "lower")
    ((0.0, 'the lowest a value from 0 to 1 can be'), (8.0, 'the worst value in the table'))
    >>> worst_value([0.2, 0.9], "higher", name="MCC"), worst_value([72.0, 88.0], "higher", name="Dice")
    ((-1.0, 'the lowest a value from -1 to 1 can be'), (0.0, 'the lowest a percentage can be'))
    """
    numbers = [float(value) for value in values]
    low, high = min(numbers), max(numbers)
    bounds = known_range(name) if name else None
    if bounds is not None and bounds[0] <= low and high <= bounds[1]:
        if direction == "higher":
            return bounds[0], f"the lowest a value from {bounds[0]:g} to {bounds[1]:g} can be"
        return bounds[1], f"the highest a value from {bounds[0]:g} to {bounds[1]:g} can be"
    if bounds is not None and is_per_cent(numbers, bounds):
        return (
            (0.0, "the lowest a percentage can be")
            if direction == "higher"
            else (100.0, "the highest a percentage can be")
        )
    if direction == "higher":
        if low >= 0 and high <= 1:
            return 0.0, "the lowest a value from 0 to 1 can be"
        return low, WORST_IN_TABLE
    return high, WORST_IN_TABLE


def is_guess(choice: MetricChoice) -> bool:
    """Return whether the value of a missing value is the worst value of another algorithm, which no one has chosen."""
    return choice.why == WORST_IN_TABLE


def direction_of(metric: str) -> str:
    """Return the better direction by the name of a metric; empty if the name does not show it.

    Examples
    --------
    >>> direction_of("Dice_ET"), direction_of("HD95 (mm)"), direction_of("alpha")
    ('higher', 'lower', '')
    """
    bare = re.sub(r"[^a-z0-9]", "", metric.casefold())
    for candidate in all_metrics():
        if bare in {
            re.sub(r"[^a-z0-9]", "", text.casefold()) for text in (candidate.id, candidate.abbreviation, candidate.name)
        }:
            return "higher" if candidate.higher_is_better else "lower"
    words = [word for word in re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", metric).casefold()) if word]
    higher, lower = (any(word in names for word in words) for names in (_HIGHER, _LOWER))
    if higher == lower:
        return ""
    return "higher" if higher else "lower"


def read_choices(arranged: Arranged, given: Sequence[Mapping[str, Any]]) -> list[MetricChoice]:
    """Check what was decided about the metrics of a table.

    Raises
    ------
    ValueError
        For a metric without a direction, or with a missing rule that is neither a number nor ``"exclude"``; one line.
    """
    by_name = {str(entry.get("name")): entry for entry in given}
    choices = []
    for metric in arranged.metrics:
        entry = by_name.get(metric, {})
        if entry.get("direction") not in ("higher", "lower"):
            message = f"Say whether higher or lower values of {metric} are better."
            raise ValueError(message)
        missing = entry.get("missing")
        if missing != EXCLUDE and not is_number(missing):
            message = f"Say what a missing value of {metric} counts as: a number, or “{EXCLUDE}” to leave it out."
            raise ValueError(message)
        choices.append(
            MetricChoice(metric, str(entry["direction"]), EXCLUDE if missing == EXCLUDE else float(str(missing)))
        )
    return choices


def assessment_of(
    arranged: Arranged, metrics: Sequence[MetricChoice], *, bootstrap: int = 1000, seed: int = 1, origin: str = ""
) -> Assessment:
    """The assessment by which a table is ranked: the mean over the cases, then the mean of ranks where there are several.

    Parameters
    ----------
    origin
        Digest of the file.
    """
    entries = []
    ids: set[str] = set()
    for choice in metrics:
        policy: dict[str, Any] = {"missing": choice.missing}
        if choice.missing == EXCLUDE:
            policy["allow_gaming"] = True
        entry = {"id": _id_of(choice.name, ids), "label": choice.name, "direction": choice.direction, "policy": policy}
        # A leaderboard has one value per team and states no uncertainty, so that none is claimed.
        entries.append(entry | {"level": "dataset", WITHOUT: True} if arranged.is_summary else entry)
    document: dict[str, Any] = {
        "schema": 1,
        "problem": problems.measured_elsewhere().id,
        "metrics": entries,
        "settings": {"source": "import", "digest": f"sha256:{origin}" if origin else ""},
        "uncertainty": {"bootstrap": bootstrap, "seed": seed},
    }
    if arranged.regions:
        document["regions"] = [{"name": name} for name in arranged.regions]
    # The results were known when this ranking was chosen.
    document["ranking"] = {"role": EXPLORATORY}
    if len(arranged.tasks) > 1 and _everybody_everywhere(arranged):
        document["ranking"]["combine"] = {"over": ["task", "metric", "region"]}
    return parse(document)


def _everybody_everywhere(arranged: Arranged) -> bool:
    """Return whether all algorithms took part in all tasks.

    Otherwise ranks from different sets of algorithms would be averaged.
    """
    counts = arranged.results.groupby("task")["algorithm"].nunique()
    return bool((counts == len(arranged.algorithms)).all())


def _id_of(name: str, taken: set[str]) -> str:
    """An id for a metric of the table, which is none of the catalogue: what was measured there is not known here."""
    bare = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:60] or "metric"
    try:
        get(bare)
        bare = f"{bare}_outside"
    except CatalogueError:
        pass
    number, identity = 2, bare
    while identity in taken:
        identity, number = f"{bare}_{number}", number + 1
    taken.add(identity)
    return identity
