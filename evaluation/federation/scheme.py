"""Rankings that can be made from sums of sites, and rankings that need the ranks at each site."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from evaluation.assessment.ranking import scheme_of
from evaluation.federation.errors import FederationError

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse, RankingScheme, Step

DISCLOSURES: Final = ("places", "means", "moments")
"""Levels of disclosure: the amount of information that leaves a site, from little to much."""
_REMEDY: Final = (
    'rank inside each site instead: "combine": [{"over": ["metric", "region"]}, {"over": ["SITE"], "rerank": false}]'
)


@dataclass(frozen=True)
class SiteScheme:
    """One ranking of an assessment, as sites and centre share its work.

    Attributes
    ----------
    registered
        As the assessment has it.
    kind
        ``sums``: sites send sums of values or ranks over their units; ``places``: they rank themselves.
    inner
        Steps made inside a site; empty for ``sums``.
    outer
        Steps made at the centre.
    by_site
        Whether the steps at the centre combine over the sites.
    """

    registered: RankingScheme
    kind: str
    inner: tuple[Step, ...]
    outer: tuple[Step, ...]
    by_site: bool

    @property
    def ranks_cases(self) -> bool:
        """True if the sums are sums of ranks on cases."""
        return scheme_of(self.registered).ranks_cases

    @property
    def sums_exist(self) -> bool:
        """True if scores are means, which sums describe completely."""
        scheme = scheme_of(self.registered)
        return (scheme.aggregates_values or scheme.ranks_cases) and self.registered.operator.kind == "mean"

    @property
    def higher_is_better(self) -> bool | None:
        """Direction of the scores where all metrics share it: ranks are better when lower."""
        return False if self.ranks_cases or self.kind == "places" else None


def site_schemes(assessment: Assessment, site_column: str) -> list[SiteScheme]:
    """Divide every ranking of an assessment between sites and centre.

    Raises
    ------
    FederationError
        For a ranking that neither sums nor places of sites can give, or an uncertainty that draws something else than
        sites and units; names the remedy.
    """
    _check_drawing(assessment, site_column)
    if assessment.interaction_weights:
        message = "interaction_weights: sites do not know how much interaction a method needs; register no weights"
        raise FederationError(message)
    if names := [metric.name for metric in assessment.by_scorer]:
        message = f"{names[0]!r} is computed by a scoring image, which sites do not run; register metrics of Podium"
        raise FederationError(message)
    if names := [metric.name for metric in assessment.by_run]:
        message = (
            f"{names[0]!r} is a cost of running an algorithm, which sites do not report; register metrics of Podium"
        )
        raise FederationError(message)
    for metric in assessment.metrics:
        if metric.level != "case":
            message = (
                f"{metric.name!r} has one value for all cases of the data set, which sites cannot give in parts; "
                "register a metric with a value a case"
            )
            raise FederationError(message)
    return [_site_scheme(assessment, ranking, site_column) for ranking in assessment.rankings]


def unit_level(assessment: Assessment, site_column: str) -> str:
    """Return the level of independent observations at a site: the outermost level below the site."""
    return inner_levels(assessment, site_column)[-1]


def inner_levels(assessment: Assessment, site_column: str) -> tuple[str, ...]:
    """The levels below the site, from the inside out."""
    return tuple(level for level in assessment.aggregation.levels if level != site_column)


def draws_sites(assessment: Assessment, site_column: str) -> tuple[bool, bool]:
    """Return whether sites are resampled, and whether units are resampled within them."""
    resample = assessment.uncertainty.resample
    sites = site_column in resample
    return sites, not sites or len(resample) > 1


def counts_sites_alike(assessment: Assessment, site_column: str) -> bool:
    """Return whether a score is the mean of the means of sites (`aggregation.levels` ends with the site)."""
    return site_column in assessment.aggregation.levels


def at_a_site(assessment: Assessment, scheme: SiteScheme, site_column: str) -> Assessment:
    """The assessment as one site applies it to its own units."""
    levels = inner_levels(assessment, site_column)
    aggregation = replace(assessment.aggregation, levels=levels, fixed=(), undeclared=())
    uncertainty = replace(assessment.uncertainty, resample=(levels[-1],), strata=(), named_strata=())
    ranking = replace(scheme.registered, combine=scheme.inner or None)
    return replace(assessment, aggregation=aggregation, uncertainty=uncertainty, rankings=(ranking,))


def decimals_of(metric: MetricUse) -> int:
    """Decimals of the grid on which values are summed: 6, and 3 for metrics with a unit."""
    return 6 if metric.unit is None else 3


def _check_drawing(assessment: Assessment, site_column: str) -> None:
    levels, uncertainty = assessment.aggregation.levels, assessment.uncertainty
    if site_column in levels and levels[-1] != site_column:
        message = f"aggregation.levels: {site_column} has to be the outermost level, it stands before {levels[-1]}"
        raise FederationError(message)
    if counts_sites_alike(assessment, site_column) and assessment.aggregation.operator.kind != "mean":
        message = "aggregation.operator: scores of sites are averaged; register the mean"
        raise FederationError(message)
    unit = unit_level(assessment, site_column)
    allowed = [(unit,), (site_column,), (site_column, unit)]
    if uncertainty.resample not in allowed:
        message = f"uncertainty.resample: draw {unit!r} within sites, [{site_column!r}, {unit!r}], or [{site_column!r}]"
        raise FederationError(message)
    sites = site_column in uncertainty.resample
    if not sites and uncertainty.strata != (site_column,):
        message = f'uncertainty.strata: has to be ["{site_column}"], since each site draws among its own units'
        raise FederationError(message)
    if sites and uncertainty.strata:
        message = "uncertainty.strata: there are none where sites themselves are drawn"
        raise FederationError(message)


def _site_scheme(assessment: Assessment, ranking: RankingScheme, site_column: str) -> SiteScheme:
    steps = ranking.combine or ()
    step_index = next((index for index, step in enumerate(steps) if site_column in step.over), None)
    allowed_names = {"metric", "region", "task", site_column}
    other = next((name for step in steps for name in step.over if name not in allowed_names), None)
    title = f"ranking {ranking.name!r}" if ranking.name else "the ranking"
    if other is not None:
        message = f"{title} combines over {other!r}, which no summary of a site tells apart"
        raise FederationError(message)
    if step_index is None:
        site_scheme = SiteScheme(ranking, "sums", (), steps, by_site=False)
    elif step_index > 0 and steps[0].rerank:
        if steps[step_index].over != (site_column,):
            message = f"{title}: combine over {site_column!r} in a step of its own, behind metrics and regions"
            raise FederationError(message)
        site_scheme = SiteScheme(ranking, "places", steps[:step_index], steps[step_index:], by_site=True)
    elif scheme_of(ranking).ranks_cases and not any(step.rerank for step in steps[: step_index + 1]):
        site_scheme = SiteScheme(ranking, "sums", (), steps, by_site=True)
    else:
        message = f"{title} cannot be made from sites; {_REMEDY.replace('SITE', site_column)}"
        raise FederationError(message)
    if site_scheme.kind == "sums" and not site_scheme.sums_exist:
        message = (
            f"{title} ({ranking.scheme}) needs the cases of all sites together, which no sums replace; "
            f"{_REMEDY.replace('SITE', site_column)}"
        )
        raise FederationError(message)
    if site_scheme.kind == "sums" and site_scheme.ranks_cases and len(inner_levels(assessment, site_column)) > 1:
        message = (
            f"{title}: ranks of several cases of a patient have no whole-number sum; rank inside each site instead"
        )
        raise FederationError(message)
    if site_scheme.by_site and counts_sites_alike(assessment, site_column):
        message = f"{title} combines over {site_column!r} already: take it out of aggregation.levels"
        raise FederationError(message)
    return site_scheme
