"""Scores of the pooled data and of every draw, from the summaries of sites."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.federation.drawing import normal, picked, replicate_rows, triangular, words
from evaluation.federation.errors import FederationError
from evaluation.federation.plausible import symmetric
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.schemes import rank_scores
from evaluation.ranking.scores import rank, snap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.federation.scheme import SiteScheme

FloatArray = npt.NDArray[np.float64]
Key = dict[str, str | None]
FEWEST_DRAWN_SITES = 4


@dataclass(frozen=True)
class Sites:
    """Summaries of one ranking, with the sites in ascending order of their names.

    Attributes
    ----------
    summaries
        Complete, checked summaries.
    index
        Index of the ranking within the summaries.
    alike
        Whether the means of all sites have the same weight in a score, regardless of their numbers of units.
    """

    assessment: Assessment
    scheme: SiteScheme
    summaries: Sequence[Mapping[str, Any]]
    index: int
    site_column: str
    alike: bool

    @property
    def names(self) -> list[str]:
        """Names of the sites."""
        return [summary["site"] for summary in self.summaries]

    @property
    def algorithms(self) -> list[str]:
        """Names of the algorithms."""
        return list(self.summaries[0]["algorithms"])

    @property
    def rankings(self) -> list[Mapping[str, Any]]:
        """Data that each site sent for this ranking."""
        return [summary["rankings"][self.index] for summary in self.summaries]

    @property
    def units(self) -> list[int]:
        """Units of each site."""
        return [summary["units"] for summary in self.summaries]

    @property
    def cells(self) -> list[Mapping[str, Any]]:
        """The pairs of metric and region, as the first site has them."""
        return list(self.rankings[0]["cells"])

    def without(self, site: int) -> Sites:
        """All sites but one."""
        other_summaries = [summary for index, summary in enumerate(self.summaries) if index != site]
        return Sites(self.assessment, self.scheme, other_summaries, self.index, self.site_column, self.alike)

    def key(self, cell: int) -> Key:
        """Place of a cell in what is combined."""
        entry = self.cells[cell]
        return {"task": entry["task"], "metric": entry["metric"], "region": entry["region"]}

    def higher(self, cell: int) -> bool:
        """Direction of the scores of a cell."""
        return not self.scheme.ranks_cases and self.assessment.metric(self.cells[cell]["metric"]).higher_is_better


def pooled_scores(sites: Sites) -> FloatArray:
    """Scores of all sites together, cells × algorithms: whole numbers added up and divided once."""
    return np.array([_pooled_cell(sites, cell) for cell in range(len(sites.cells))])


def _pooled_cell(sites: Sites, cell: int) -> list[float]:
    pooled = []
    cells = [ranking["cells"][cell] for ranking in sites.rankings]
    for j in range(len(sites.algorithms)):
        cells_with_cases = [site_cell for site_cell in cells if site_cell["n"][j]]
        means = [
            Fraction(site_cell["sum"][j], site_cell["scale"] * site_cell["n"][j]) for site_cell in cells_with_cases
        ]
        if not cells_with_cases:
            pooled.append(float("nan"))
        elif sites.alike:
            pooled.append(float(sum(means) / len(means)))
        else:
            total = sum(
                (Fraction(site_cell["sum"][j], site_cell["scale"]) for site_cell in cells_with_cases), Fraction(0)
            )
            pooled.append(float(total / sum(site_cell["n"][j] for site_cell in cells_with_cases)))
    return pooled


def site_means(sites: Sites) -> FloatArray:
    """Means of every site, sites × cells × algorithms; not a number where an algorithm has none."""
    means = np.full((len(sites.summaries), len(sites.cells), len(sites.algorithms)), np.nan)
    for k, ranking in enumerate(sites.rankings):
        for c, cell in enumerate(ranking["cells"]):
            for j, (number, total) in enumerate(zip(cell["n"], cell["sum"], strict=True)):
                if number:
                    means[k, c, j] = total / (cell["scale"] * number)
    return means


@dataclass(frozen=True)
class Scored:
    """One ranking in the full data and in every draw.

    Attributes
    ----------
    cells
        Cells × samples × algorithms; ``None`` where sites ranked themselves.
    by_site
        Parts, one a site (or one a site and cell), that the steps at the centre combine; empty where sites are pooled.
    samples
        1 and the number of draws; 1 alone if nothing can be drawn.
    why_not
        Why nothing can be drawn.
    """

    cells: FloatArray | None
    by_site: tuple[Part, ...]
    samples: int
    why_not: str | None = None


def scored(sites: Sites, *, bootstrap: int, seed: int, drawn: bool, inside: bool) -> Scored:
    """Scores of the full data and of the draws.

    Parameters
    ----------
    drawn
        Whether sites are drawn with replacement.
    inside
        Whether units are drawn within sites.

    Raises
    ------
    FederationError
        If fewer than `FEWEST_DRAWN_SITES` sites were to be drawn.
    """
    if drawn and bootstrap and len(sites.summaries) < FEWEST_DRAWN_SITES:
        message = f"sites are drawn, and there are {len(sites.summaries)}: {FEWEST_DRAWN_SITES} are the fewest"
        raise FederationError(message)
    if sites.scheme.kind == "places":
        return _places(sites, bootstrap, seed, drawn=drawn, inside=inside)
    return _sums(sites, bootstrap, seed, drawn=drawn, inside=inside)


def _places(sites: Sites, bootstrap: int, seed: int, *, drawn: bool, inside: bool) -> Scored:
    full = np.array([ranking["site_score"] for ranking in sites.rankings], dtype=float)
    number = len(full)
    replicates = [ranking.get("replicates") for ranking in sites.rankings]
    why = None
    if inside and any(item is None for item in replicates):
        bootstrap, why = 0, "a site sent no replicates"
    scores = np.empty((number, 1 + bootstrap, full.shape[1]))
    scores[:, 0] = full
    cases = np.repeat(np.array(sites.units, dtype=float)[:, None], 1 + bootstrap, axis=1)
    if bootstrap:
        word = words(seed, sites.names, bootstrap, number * (int(drawn) + int(inside)))
        owner = picked(word[:, :number], number) if drawn else np.tile(np.arange(number), (bootstrap, 1))
        inside_words = word[:, number:] if drawn else word
        rows = [replicate_rows(item) if inside and item is not None else full[[k]] for k, item in enumerate(replicates)]
        for copy in range(number):
            for k in range(number):
                draws = np.flatnonzero(owner[:, copy] == k)
                chosen = (
                    picked(inside_words[draws, copy], len(rows[k])) if inside else np.zeros(len(draws), dtype=np.int64)
                )
                scores[copy, 1 + draws] = rows[k][chosen]
                cases[copy, 1 + draws] = sites.units[k]
    ties = sites.scheme.inner[-1].ties
    parts = tuple(
        Part(
            {sites.site_column: name},
            scores[k],
            rank(scores[k], higher_is_better=False, ties=ties, rounded=True),
            cases[k],
        )
        for k, name in enumerate(sites.names)
    )
    return Scored(None, parts, 1 + bootstrap, why)


def _sums(sites: Sites, bootstrap: int, seed: int, *, drawn: bool, inside: bool) -> Scored:
    pooled = pooled_scores(sites)
    means = site_means(sites)
    spread, why = _covariances(sites) if inside and bootstrap else ([], None)
    if why is not None or (bootstrap and np.isnan(means).any()):
        why = why or "an algorithm has no result at all at a site"
        bootstrap = 0
    number, cells, width = means.shape
    size = cells * width
    flat = means.reshape(number, size)
    each = _weights(sites, flat.shape)
    if not bootstrap:
        samples = pooled[:, None, :]
        return Scored(samples, _site_parts(sites, means[:, :, None, :]) if sites.scheme.by_site else (), 1, why)
    together = not drawn and not sites.scheme.by_site
    result = np.empty((1 + bootstrap, size))
    result[0] = pooled.reshape(size)
    if together:
        share = each / each.sum(axis=0)
        total = np.einsum("ki,kij,kj->ij", share, np.stack(spread), share)
        deviates = normal(words(seed, sites.names, bootstrap, size))
        result[1:] = result[0] + deviates @ triangular(total).T
        return Scored(_by_cell(result, cells, width), (), 1 + bootstrap, None)
    lower = [triangular(matrix) for matrix in spread]
    word = words(seed, sites.names, bootstrap, number * (int(drawn) + int(inside) * size))
    owner = picked(word[:, :number], number) if drawn else np.tile(np.arange(number), (bootstrap, 1))
    inside_words = (word[:, number:] if drawn else word).reshape(bootstrap, number, -1)
    copies = np.empty((number, 1 + bootstrap, size))
    weights = np.empty((number, 1 + bootstrap, size))
    copies[:, 0], weights[:, 0] = flat, each
    for copy in range(number):
        for k in range(number):
            draws = np.flatnonzero(owner[:, copy] == k)
            shift = normal(inside_words[draws, copy]) @ lower[k].T if inside else 0.0
            copies[copy, 1 + draws] = flat[k] + shift
            weights[copy, 1 + draws] = each[k]
    result[1:] = ((copies * weights).sum(axis=0) / weights.sum(axis=0))[1:]
    parts: tuple[Part, ...] = ()
    if sites.scheme.by_site:
        parts = _site_parts(sites, copies.reshape(number, -1, cells, width).transpose(0, 2, 1, 3))
    return Scored(_by_cell(result, cells, width), parts, 1 + bootstrap, None)


def _by_cell(result: FloatArray, cells: int, width: int) -> FloatArray:
    return np.ascontiguousarray(result.reshape(-1, cells, width).transpose(1, 0, 2))


def _weights(sites: Sites, shape: tuple[int, ...]) -> FloatArray:
    """Return the weight of each site in each number."""
    if sites.alike:
        return np.ones(shape)
    counts = [[cell["n"] for cell in ranking["cells"]] for ranking in sites.rankings]
    return np.array(counts, dtype=float).reshape(shape)


def _site_parts(sites: Sites, means: FloatArray) -> tuple[Part, ...]:
    """A part for every site and cell from means of sites, sites × cells × samples × algorithms."""
    parts = []
    for k, name in enumerate(sites.names):
        for c in range(len(sites.cells)):
            ranked = rank_scores(means[k, c], sites.scheme.registered, higher_is_better=sites.higher(c))
            cases = np.full(means.shape[2], float(sites.units[k]))
            parts.append(Part({**sites.key(c), sites.site_column: name}, means[k, c], ranked.ranks, cases))
    return tuple(parts)


def _covariances(sites: Sites) -> tuple[list[FloatArray], str | None]:
    """Covariance of the means of every site; what sites keep of it comes from the correlation of those that sent it all."""
    given = [ranking.get("covariance") for ranking in sites.rankings]
    if any(item is None for item in given):
        return [], "a site sent no covariance"
    sent = [item for item in given if item is not None]
    full = {k: symmetric(item["rows"]) for k, item in enumerate(sent) if item["kind"] == "full"}
    if not full:
        return [], "no site has enough units for a covariance"
    total = np.sum([sites.units[k] * matrix for k, matrix in full.items()], axis=0)
    sd = np.sqrt(np.diag(total))
    scale = np.where(sd > 0, sd, 1.0)
    correlation = total / np.outer(scale, scale)
    covariances = []
    for k, item in enumerate(sent):
        site_sd = np.sqrt(np.array(item["variances"])) if k not in full else None
        matrix = full[k] if site_sd is None else correlation * np.outer(site_sd, site_sd)
        if site_sd is not None:
            np.fill_diagonal(matrix, site_sd**2)
        covariances.append(matrix / sites.units[k])
    return covariances, None


def cell_parts(sites: Sites, cells: FloatArray) -> list[Part]:
    """The rankings of pooled cells, before they are combined."""
    total = float(sum(sites.units))
    parts = []
    for c, scores in enumerate(cells):
        ranked = rank_scores(scores, sites.scheme.registered, higher_is_better=sites.higher(c))
        parts.append(Part(sites.key(c), scores, ranked.ranks, np.full(len(scores), total)))
    return parts


def overall_part(sites: Sites, scores: Scored) -> Part | None:
    """The combined ranking; ``None`` where the registered ranking combines nothing."""
    if not sites.scheme.outer:
        return None
    registered = sites.scheme.registered
    if sites.scheme.by_site:
        parts = list(scores.by_site)
    else:
        assert scores.cells is not None
        parts = cell_parts(sites, scores.cells)
    combined = combine(parts, sites.scheme.outer, registered.missing_rank)
    if len(combined) != 1:
        message = "the steps leave several rankings; combine metrics, regions and sites into one"
        raise FederationError(message)
    return combined[0]


def at_site(sites: Sites, site: int) -> tuple[FloatArray, FloatArray]:
    """Score and rank of every algorithm at one site alone."""
    ranking = sites.rankings[site]
    if sites.scheme.kind == "places":
        score = np.array(ranking["site_score"], dtype=float)
        return score, rank(snap(score), higher_is_better=False, ties=sites.scheme.inner[-1].ties)
    alone = Sites(sites.assessment, sites.scheme, [sites.summaries[site]], sites.index, sites.site_column, sites.alike)
    return full_ranking(alone)


def full_ranking(sites: Sites) -> tuple[FloatArray, FloatArray]:
    """Score and rank of every algorithm in all sites together, of the combined ranking if there is one."""
    scores = scored(sites, bootstrap=0, seed=0, drawn=False, inside=False)
    part = overall_part(sites, scores)
    if part is None:
        assert scores.cells is not None
        part = cell_parts(sites, scores.cells)[0]
        if len(sites.cells) > 1:
            return np.full(len(sites.algorithms), np.nan), np.full(len(sites.algorithms), np.nan)
    return snap(part.scores[0]), part.ranks[0]
