"""From the summaries of sites to a ranking document."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.assessment.ranking import scheme_document
from evaluation.federation import drawing
from evaluation.federation.about_sites import about_sites
from evaluation.federation.arrivals import States, read_states
from evaluation.federation.certainty import Base, elementary, pooled_statements, ranking_of
from evaluation.federation.errors import FederationError, Refusal
from evaluation.federation.plausible import check_summary
from evaluation.federation.scheme import (
    counts_sites_alike,
    draws_sites,
    site_schemes,
    unit_level,
)
from evaluation.federation.scores import Scored, Sites, cell_parts, overall_part, scored
from evaluation.ranking.document import checked_rules, versions
from evaluation.ranking.entries import algorithm_entry, summary_entry
from evaluation.ranking.plans import FIRST_RULES, RULES, SCHEMA
from evaluation.ranking.scores import snap
from evaluation.ranking.stability import Stability, measure
from evaluation.ranking.uncertainty.score_intervals import UNLIMITED, limits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.ranking.combination import Part

FloatArray = npt.NDArray[np.float64]
_FEW: Final = 9
FEW_SITES: Final = 8


def pool(
    assessment: Assessment,
    summaries: Sequence[Mapping[str, Any]],
    *,
    federation: Mapping[str, Any] | None = None,
    site_column: str = "site",
    minimum: int = 10,
    bootstrap: int | None = None,
    seed: int | None = None,
    allow_test: bool = False,
    progress: Callable[[int, int], None] | None = None,
    schema: int = SCHEMA,
    rules: int = RULES,
) -> dict[str, Any]:
    """Rank the algorithms of a federation from the summaries of its sites.

    Parameters
    ----------
    assessment
        The registered assessment.
    summaries
        One summary per site, in any order.
    federation
        The sites and their states (`evaluation.federation.schemas.FEDERATION`). Without it, the sites of `summaries`.
    minimum
        The registered minimum of units.
    bootstrap, seed
        Values that replace those of the assessment.
    allow_test
        Whether summaries made with a smaller minimum are accepted.
    schema
        Schema of the document; an older one only to verify an older document.
    rules
        Revision of the rules within the schema; likewise.

    Returns
    -------
    dict
        A ranking document with the key ``pooled``; the same for every order of `summaries`.

    Raises
    ------
    FederationError
        With one line that names the site and the problem.
    """
    rules = checked_rules(schema, rules)
    ordered = _checked(assessment, summaries, site_column, minimum, allow_test=allow_test)
    states = read_states(federation, ordered)
    samples = assessment.uncertainty.bootstrap if bootstrap is None else bootstrap
    start = assessment.uncertainty.seed if seed is None else seed
    drawn, inside = draws_sites(assessment, site_column)
    alike = counts_sites_alike(assessment, site_column)
    schemes = site_schemes(assessment, site_column)
    entries: list[dict[str, Any]] = []
    overall: list[dict[str, Any]] = []
    about: list[dict[str, Any]] = []
    notes: list[str] = []
    for index, scheme in enumerate(schemes):
        sites = Sites(assessment, scheme, ordered, index, site_column, alike)
        scores = scored(sites, bootstrap=samples, seed=start, drawn=drawn, inside=inside)
        base = replace(_base(sites, scores, drawn=drawn), schema=schema, rules=rules)
        entries += _entries(sites, scores, base)
        part = overall_part(sites, scores)
        if part is not None:
            overall.append(_overall(sites, scores, part, base, drawn=drawn))
        about.append(about_sites(sites))
        notes += _notes(sites, scores, states, drawn=drawn)
        if progress is not None:
            progress(index + 1, len(schemes))
    several = isinstance(assessment.document["ranking"], list)
    unit = unit_level(assessment, site_column)
    return {
        "schema": schema,
        "seed": start,
        "bootstrap": samples,
        "versions": versions(),
        "assessment": assessment.digest,
        "problem": assessment.problem,
        "resampling": {
            "version": drawing.VERSION,
            "resample": list(assessment.uncertainty.resample),
            "unit": site_column if drawn else unit,
            "strata": list(assessment.uncertainty.strata),
            "interval": assessment.uncertainty.interval,
        },
        "aggregation": assessment.document["aggregation"],
        "schemes": [scheme_document(scheme.registered) for scheme in schemes],
        "rankings": entries,
        "overall": (overall if several or len(overall) > 1 else overall[0]) if overall else None,
        "pooled": {"sites": states.documents(ordered), "rankings": about, "notes": list(dict.fromkeys(notes))},
        **({"rules": rules} if rules > FIRST_RULES else {}),
    }


def _checked(
    assessment: Assessment, summaries: Sequence[Mapping[str, Any]], site_column: str, minimum: int, *, allow_test: bool
) -> list[Mapping[str, Any]]:
    if not summaries:
        message = "there is no summary of any site"
        raise FederationError(message)
    for summary in summaries:
        check_summary(assessment, summary, site_column=site_column, minimum=minimum, allow_test=allow_test)
    ordered = sorted(summaries, key=lambda summary: str(summary["site"]))
    first = ordered[0]
    for one, other in itertools.pairwise(ordered):
        if one["site"] == other["site"]:
            raise Refusal("twice", f"site {one['site']} stands there twice")
    for other in ordered[1:]:
        if other["algorithms"] != first["algorithms"]:
            lacking = sorted(set(first["algorithms"]) ^ set(other["algorithms"]))
            message = (
                f"sites {first['site']} and {other['site']} have not the same algorithms ({lacking[0]!r}): "
                "a run that failed is sent as missing, never left out"
            )
            raise Refusal("other_algorithms", message)
        for first_ranking, theirs in zip(first["rankings"], other["rankings"], strict=True):
            if _places(first_ranking) != _places(theirs):
                raise Refusal(
                    "other_cells", f"sites {first['site']} and {other['site']} have not the same metrics and regions"
                )
    return ordered


def _places(ranking: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [(cell["metric"], cell["region"], cell["task"]) for cell in ranking["cells"]]


def _base(sites: Sites, scores: Scored, *, drawn: bool) -> Base:
    units = sites.units
    if drawn:
        return Base(len(units), 1, len(units), sum(units), scores.why_not)
    return Base(sum(units), len(units), min(units), sum(units), scores.why_not)


def _entries(sites: Sites, scores: Scored, base: Base) -> list[dict[str, Any]]:
    """An entry for every cell."""
    if scores.cells is None:
        return [_places_entry(sites, cell) for cell in range(len(sites.cells))]
    return [_cell_entry(sites, part, cell, base) for cell, part in enumerate(cell_parts(sites, scores.cells))]


def _head(sites: Sites, cell: int) -> dict[str, Any]:
    metric = sites.assessment.metric(sites.cells[cell]["metric"])
    registered = sites.scheme.registered
    head: dict[str, Any] = {} if registered.name is None else {"name": registered.name}
    return head | {
        "metric": metric.name,
        "region": sites.cells[cell]["region"],
        "task": sites.cells[cell]["task"],
        "direction": metric.direction,
        "unit": metric.unit,
        "scheme": registered.scheme,
        "score_direction": "higher" if sites.higher(cell) else "lower",
        "cases": sum(sites.units),
    }


def _cell_entry(sites: Sites, part: Part, cell: int, base: Base) -> dict[str, Any]:
    metric = sites.assessment.metric(sites.cells[cell]["metric"])
    failed = _missing(sites, cell)
    ranking = ranking_of(
        [elementary(part, higher=sites.higher(cell))],
        part,
        (),
        sites.scheme.registered,
        sites.assessment,
        sites.algorithms,
        is_part=sites.scheme.registered.combine is not None,
        rules=base.rules,
    )
    margin = sites.assessment.uncertainty.margin.get(metric.name) if not sites.scheme.ranks_cases else None
    cut_at = UNLIMITED if base.rules == FIRST_RULES else _limits(metric, part, ranks_cases=sites.scheme.ranks_cases)
    order, body = _body(sites, part, failed, limits=cut_at)
    certainty, rows = pooled_statements(
        ranking, order, base, failed, contests=not sites.scheme.ranks_cases, margin=margin
    )
    return {**_head(sites, cell), **_finished(body, certainty, rows, base), "penalised": _penalised(sites, cell)}


def _limits(metric: MetricUse, part: Part, *, ranks_cases: bool) -> tuple[float, float]:
    """Return the ends of the range of a score; draws are normal and can leave it."""
    if ranks_cases:
        return UNLIMITED
    penalty = metric.policy.missing
    penalties = [float(penalty)] if isinstance(penalty, (int, float)) else []
    return limits_of(metric, np.append(part.scores[0], penalties))


def _places_entry(sites: Sites, cell: int) -> dict[str, Any]:
    """A cell that sites ranked themselves: no score of all sites together, but the places at each."""
    failed = _missing(sites, cell)
    ranks_by_site = {}
    for name, ranking in zip(sites.names, sites.rankings, strict=True):
        ranks = ranking["cells"][cell].get("place")
        ranks_by_site[name] = None if ranks is None else dict(zip(sites.algorithms, ranks, strict=True))
    return {
        **_head(sites, cell),
        "drawn_units": None,
        "resampled": False,
        "score": None,
        "sites": ranks_by_site,
        "missing": dict(zip(sites.algorithms, failed, strict=True)),
        "algorithms": [],
    }


def _overall(sites: Sites, scores: Scored, part: Part, base: Base, *, drawn: bool) -> dict[str, Any]:
    registered = sites.scheme.registered
    steps = sites.scheme.outer
    if sites.scheme.by_site and drawn:
        # Sites are the sample, and a score is a mean over them: one ranking, nothing to combine.
        parts, steps = [elementary(part, higher=False)], ()
    elif sites.scheme.by_site:
        parts = [elementary(one, higher=False) for one in scores.by_site]
    else:
        assert scores.cells is not None
        pooled = cell_parts(sites, scores.cells)
        parts = [elementary(one, higher=sites.higher(cell)) for cell, one in enumerate(pooled)]
    ranking = ranking_of(
        parts, part, steps, registered, sites.assessment, sites.algorithms, is_part=False, rules=base.rules
    )
    every = [_missing_at(sites, k) for k in range(len(sites.summaries))]
    failed = [sum(counts[j] for counts in every) for j in range(len(sites.algorithms))]
    order, body = _body(sites, part, failed)
    contests = not sites.scheme.ranks_cases and not sites.scheme.by_site
    certainty, rows = pooled_statements(ranking, order, base, failed, contests=contests, margin=None)
    head: dict[str, Any] = {} if registered.name is None else {"name": registered.name}
    head |= {"over": [name for step in registered.combine or () for name in step.over], "cases": sum(sites.units)}
    return {**head, **_finished(body, certainty, rows, base)}


def _body(
    sites: Sites, part: Part, failed: Sequence[int], *, limits: tuple[float, float] = UNLIMITED
) -> tuple[Any, dict[str, Any]]:
    names = sites.algorithms
    scores, ranks = snap(part.scores), part.ranks
    order = np.lexsort((np.array(names), ranks[0]))
    stability: Stability | None = None
    if len(ranks) > 1 and len(names) > 1:
        stability = measure(ranks[0], ranks[1:], scores[1:], sites.assessment.uncertainty.interval)
        stability = replace(stability, score_interval=np.clip(stability.score_interval, *limits))
    rows = [
        {
            **algorithm_entry(names[j], j, scores=scores[0], ranks=ranks[0], stability=stability),
            "missing": failed[j],
        }
        for j in order
    ]
    return order, {
        "resampled": stability is not None,
        "algorithms": rows,
        **summary_entry(ranks[0], stability, [names[j] for j in order]),
    }


def _finished(
    body: Mapping[str, Any], certainty: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], base: Base
) -> dict[str, Any]:
    algorithms = [{**algorithm, **statement} for algorithm, statement in zip(body["algorithms"], rows, strict=True)]
    nothing = dict.fromkeys(("leave_one_out", "p_values", "p_adjusted", "significantly_better", "tests"))
    return {"drawn_units": base.units, **body, **certainty, "algorithms": algorithms, **nothing}


def _missing(sites: Sites, cell: int) -> list[int]:
    by_site = [ranking["cells"][cell]["missing"] for ranking in sites.rankings]
    return [sum(counts) for counts in zip(*by_site, strict=True)]


def _missing_at(sites: Sites, site: int) -> list[int]:
    """For each algorithm, its missing units in the worst cell of a site."""
    return [max(counts) for counts in zip(*(cell["missing"] for cell in sites.rankings[site]["cells"]), strict=True)]


def _penalised(sites: Sites, cell: int) -> bool:
    """Return whether an interval of means rests on a few failures that count as a number."""
    metric = sites.assessment.metric(sites.cells[cell]["metric"])
    by_value = not sites.scheme.ranks_cases and metric.policy.missing not in ("exclude", "worst_rank", None)
    return by_value and any(1 <= number <= _FEW for number in _missing(sites, cell))


def _notes(sites: Sites, scores: Scored, states: States, *, drawn: bool) -> list[str]:
    notes = list(states.notes)
    if scores.why_not is not None:
        notes.append(f"There are no intervals: {scores.why_not}.")
    if drawn and len(sites.summaries) < FEW_SITES:
        notes.append(f"Only {len(sites.summaries)} sites were drawn: intervals over so few hospitals are too short.")
    if any(_penalised(sites, cell) for cell in range(len(sites.cells))):
        notes.append("Some intervals are approximate: they rest on few failures that count as a number.")
    notes.append("Tests of pairs of algorithms need the cases, which stay at the sites; there are none.")
    return notes
