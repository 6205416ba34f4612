"""Suspect references: cases in which independent algorithms and the image agree with each other and not with the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.test_set_quality.agreement import Panel, disagreements, make_panel
from evaluation.test_set_quality.deviations import HIGH, LOW, NAMES, Expected, Spot
from evaluation.test_set_quality.expectation import Evidence, expected_references

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

FEWEST: Final = 20
"""Fewest cases from which usual deviations can be learned."""
COMBINED: Final = 3
"""Number of the largest deviations that a score sums."""
EXPECTED_FALSE: Final = 0.003
"""Expected number of false suspects per case of the test set, at which the list of suspects ends."""
_RIDGE: Final = 3.0
_MOST: Final = 25.0

WORDS: Final = {
    "overlap": "little overlap", "likelihood": "unlikely outline", "volume": "volume", "centre": "position",
    "extent": "extent", "skew": "shape", "offset": "displacement", "correlation": "different outline",
    "outline": "outline inside or outside the expected one", "far": "distant parts of the outline",
    "edge": "outline inside or outside the edge of the votes", "contrast": "outline not at the edge of the votes",
    "image_edge": "outline inside or outside the edge of the image", "image_contrast": "outline not at an edge of the image",
    "contrast_ratio": "votes follow the image better", "piece": "a missing or additional piece",
    "large_piece": "a large missing or additional piece",
}  # fmt: skip
"""Words for the deviations, by name without the number of the axis."""


@dataclass(frozen=True)
class Case:
    """One case with its reference, predictions and image.

    Attributes
    ----------
    name
        The case.
    reference
        Labels of the reference.
    predictions
        Labels by algorithm, of the same shape; absent ones are left out.
    image
        Intensities of the same shape, ``None`` without an image.
    spacing
        Edges of a voxel in mm, one per axis.
    """

    name: str
    reference: NDArray[Any]
    predictions: Mapping[str, NDArray[Any]]
    image: NDArray[Any] | None = None
    spacing: tuple[float, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """The score of one case.

    Attributes
    ----------
    case
        The case.
    score
        Larger is more suspect; at least 0.
    expected_false
        Expected number of cases of the test set with a correct reference and at least this score.
    region
        The region that deviates most.
    reasons
        The largest deviations, in words.
    spot
        Where the reference differs most, in the region.
    listed
        Whether the case belongs to the suspects.
    """

    case: str
    score: float
    expected_false: float
    region: str
    reasons: tuple[str, ...]
    spot: Spot
    listed: bool


@dataclass(frozen=True)
class Report:
    """Suspect references of a test set.

    Attributes
    ----------
    panel
        The algorithms, their groups and weights.
    cases
        All cases, the most suspect first.
    expected_false
        Expected number of listed cases whose reference is correct.
    """

    panel: Panel
    cases: tuple[Suspect, ...]
    expected_false: float

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """The listed cases, the most suspect first."""
        return tuple(case for case in self.cases if case.listed)

    @property
    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "schema": 1,
            "expected_false": self.expected_false,
            "independent_algorithms": self.panel.independent,
            "algorithms": [
                {"name": name, "group": group, "weight": weight}
                for name, group, weight in zip(self.panel.names, self.panel.groups, self.panel.weights, strict=True)
            ],
            "cases": [
                {
                    "case": item.case, "score": item.score, "expected_false": item.expected_false, "region": item.region,
                    "reasons": list(item.reasons), "place": list(item.spot.index), "excess": item.spot.excess,
                    "listed": item.listed,
                }
                for item in self.cases
            ],
        }  # fmt: skip


class Study:
    """A test set with predictions, prepared once for any number of references.

    Parameters
    ----------
    cases
        The cases.
    regions
        Labels of each region by name.
    progress
        Receives the number of prepared cases, and of all.

    Raises
    ------
    ValueError
        With fewer than `FEWEST` cases, fewer than two independent algorithms, or a case without a prediction.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        regions: Mapping[str, Sequence[int]],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        if len(cases) < FEWEST:
            message = f"suspect references need at least {FEWEST} cases, there are {len(cases)}"
            raise ValueError(message)
        self.cases = tuple(cases)
        self.regions = {name: tuple(labels) for name, labels in regions.items()}
        names = sorted({name for case in cases for name in case.predictions})
        for case in cases:
            if not case.predictions:
                message = f"{case.name}: no algorithm has a prediction"
                raise ValueError(message)
        pairs = [
            disagreements({name: self._masks(labels) for name, labels in case.predictions.items()}, names)
            for case in cases
        ]
        self.panel = make_panel(names, np.array(pairs))
        self._evidence: dict[str, list[Evidence]] = {name: [] for name in self.regions}
        for number, case in enumerate(cases, start=1):
            for name, labels in self.regions.items():
                masks = {algorithm: np.isin(values, labels) for algorithm, values in case.predictions.items()}
                self._evidence[name].append(Evidence(masks, self.panel, case.image))
            if progress is not None:
                progress(number, len(cases))

    def _masks(self, labels: NDArray[Any]) -> list[NDArray[np.bool_]]:
        return [np.isin(labels, members) for members in self.regions.values()]

    def suspects(self, references: Mapping[str, NDArray[Any]] | None = None, *, seed: int = 1) -> Report:
        """Score all cases.

        Parameters
        ----------
        references
            Other references of some cases.
        seed
            Seed of folds and samples.
        """
        replaced = references or {}
        labels = [replaced.get(case.name, case.reference) for case in self.cases]
        deviations, covariates, spots = [], [], []
        emptied: dict[str, bool] = {}
        for region, members in self.regions.items():
            masks = [np.isin(values, members) for values in labels]
            expected = expected_references(self._evidence[region], masks, seed=seed)
            rows = []
            for case, mask, probability in zip(self.cases, masks, expected, strict=True):
                voted = [np.isin(values, members) for values in case.predictions.values()]
                spacing = case.spacing or (1.0,) * mask.ndim
                item = Expected(probability, case.image, voted, spacing)
                rows.append((item.deviations(mask), item.covariates, item.spot(mask)))
                emptied[case.name] = emptied.get(case.name, False) or bool(item.size and not mask.any())
            deviations.append(np.array([row[0] for row in rows]))
            covariates.append(np.array([row[1] for row in rows]))
            spots.append([row[2] for row in rows])
        evidence = np.stack(
            [surprises(values, certainty) for values, certainty in zip(deviations, covariates, strict=True)], axis=1
        )
        # A region that is expected and absent has no outline that could deviate.
        evidence[[emptied[case.name] for case in self.cases]] = 2 * _MOST
        scores = combine(evidence)
        chance = chances(scores)
        count = len(scores)
        cases = []
        for index in map(int, np.argsort(-scores, kind="stable")):
            by_region = np.sort(evidence[index], axis=1)[:, -COMBINED:].sum(axis=1)
            number = int(np.argmax(by_region))
            order = np.argsort(-evidence[index, number])[:COMBINED]
            reasons = dict.fromkeys(WORDS[NAMES[item].rstrip("123").rstrip("_")] for item in order)
            cases.append(
                Suspect(
                    self.cases[index].name, float(scores[index]), float(count * chance[index]),
                    list(self.regions)[number], tuple(reasons), spots[number][index],
                    bool(chance[index] <= EXPECTED_FALSE),
                )
            )  # fmt: skip
        listed = [case.expected_false for case in cases if case.listed]
        return Report(self.panel, tuple(cases), max(listed, default=0.0))


def surprises(deviations: NDArray[np.float64], covariates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how surprising each deviation is, given how certain the expectation of the case is.

    Parameters
    ----------
    deviations
        Shape (cases, deviations), with NaN where undefined.
    covariates
        Shape (cases, covariates); what describes the certainty of the expectation.

    Returns
    -------
    ndarray
        Shape (cases, deviations), at least 0: -log of the share of correct references that deviate as much.

    Notes
    -----
    Location and scale of a deviation are regressed on the covariates by M-estimation, so a case with algorithms that
    disagree has to deviate more. The tail beyond the 80th percentile is taken for exponential.
    """
    design = _design(covariates)
    result = np.zeros(deviations.shape)
    for column, name in enumerate(NAMES):
        values = deviations[:, column]
        defined = np.isfinite(values)
        if defined.sum() < FEWEST // 2 or np.ptp(values[defined]) == 0:
            continue
        predictors = design[defined]
        residual = values[defined] - predictors @ _robust(predictors, values[defined], 1.5, squared=True)
        middle = np.median(np.abs(residual - np.median(residual)))
        size = np.log(np.abs(residual - np.median(residual)) + 0.1 * middle + 1e-6)
        scale = predictors @ _robust(predictors, size, 1.0, squared=False)
        scale = np.clip(scale, np.median(scale) - 1.0, np.median(scale) + 2.5)
        score = (residual - np.median(residual)) / np.exp(scale)
        score /= 1.4826 * np.median(np.abs(score)) + 1e-9
        score = np.abs(score) if name not in HIGH | LOW else np.maximum(score if name in HIGH else -score, 0)
        result[defined, column] = np.minimum(_tail(score), _MOST)
    return result


def combine(evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the score of each case: the sum of its `COMBINED` largest surprises over all regions and deviations."""
    flat = np.sort(evidence.reshape(len(evidence), -1), axis=1)
    scores: NDArray[np.float64] = flat[:, -COMBINED:].sum(axis=1)
    return scores


def chances(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each score the share of correct references with at least this score.

    Notes
    -----
    Scores of the lower three quarters are taken for those of correct references; the tail is exponential, with the rate
    between the median and the upper quartile.
    """
    middle, upper = np.quantile(scores, [0.5, 0.75])
    rate = np.log(2) / max(float(upper - middle), 1e-9)
    ranks = (np.argsort(np.argsort(-scores)) + 1) / len(scores)
    return np.where(scores > upper, 0.25 * np.exp(-rate * (scores - upper)), ranks)


def _tail(score: NDArray[np.float64]) -> NDArray[np.float64]:
    middle, upper = np.quantile(score, [0.5, 0.8])
    rate = np.log(2.5) / max(float(upper - middle), 0.3)
    below = np.log(5) * score / max(float(upper), 0.3)
    result: NDArray[np.float64] = np.where(score > upper, np.log(5) + rate * (score - upper), below)
    return result


def _design(covariates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a constant and the standardized covariates; undefined ones count as the median."""
    columns = [np.ones(len(covariates))]
    for values in covariates.T:
        defined = np.isfinite(values)
        if defined.any() and np.ptp(values[defined]) > 0:
            standard = (values - np.median(values[defined])) / values[defined].std()
            columns.append(np.where(defined, standard, 0.0))
    return np.stack(columns, axis=1)


def _robust(
    design: NDArray[np.float64], values: NDArray[np.float64], cutoff: float, *, squared: bool
) -> NDArray[np.float64]:
    """Return coefficients of a ridge regression with weights that fall beyond ``cutoff`` robust standard deviations."""
    weights = np.ones(len(values))
    penalty = np.diag([1e-6] + [_RIDGE] * (design.shape[1] - 1))
    coefficients: NDArray[Any] = np.zeros(design.shape[1])
    for _ in range(8):
        weighted = design * weights[:, None]
        coefficients = np.linalg.solve(weighted.T @ design + penalty, weighted.T @ values)
        residual = np.abs(values - design @ coefficients)
        weights = 1 / np.maximum(1, residual / (cutoff * (1.4826 * np.median(residual) + 1e-9)))
        weights = weights**2 if squared else weights
    return coefficients
