"""A compiled assessment shown back: as pseudo-code, and as the ranking of five invented teams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.assessment import parse
from evaluation.assessment.columns import grouping_columns
from evaluation.assessment.exclusions import GRADES
from evaluation.canonical import canonical_json
from evaluation.ranking.procedure.building import procedure_of
from evaluation.ranking.procedure.lines import procedure_lines
from evaluation.ranking.uncertainty.needed import is_linear, units_needed
from evaluation.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.assessment.model import Assessment

TEAMS: Final = ("Alder", "Birch", "Cedar", "Dogwood", "Elm")
CASES: Final = 6
_SEED: Final = 7


def pseudo_code(assessment: Assessment) -> list[str]:
    """Return the assessment as indented pseudocode for readers, with its rules of uncertainty."""
    lines = procedure_lines(procedure_of(assessment))
    if assessment.uncertainty.bootstrap:
        drawn = " then ".join(plural(level) for level in assessment.uncertainty.resample)
        within = "".join(f" within each {stratum}" for stratum in assessment.uncertainty.strata)
        lines.append(
            f"repeat {assessment.uncertainty.bootstrap:,} times: draw {drawn} with replacement{within}, rank again"
        )
        lines.append(f"resampling range ← middle {assessment.uncertainty.interval:.0%} of these ranks")
        lines += _certainty(assessment)
    return lines


def _certainty(assessment: Assessment) -> list[str]:
    """Return lines on rank sets, the winner and the relevant difference."""
    rule = assessment.uncertainty
    total = round(1.0 - rule.interval, 12)
    alpha = total if rule.winner_alpha is None else min(total, rule.winner_alpha)
    lines = [
        f"rank set ← ranks that are not excluded, all algorithms at once at an error of {total:g}",
        (
            "winner ← the first, if it is confirmed or significantly better than every other one, at an error of "
            f"{alpha:g} with two algorithms and {min(2.0 * total / 3.0, alpha):.3g} with more; else none"
        ),
    ]
    if any(is_linear(scheme, assessment) for scheme in assessment.rankings):
        lines += [
            "  confirmed: by bets on independent units, with values in a registered range",
            "  significant: by sign flips and by bootstrap-t, and still first with one more failed unit",
        ]
    if not all(is_linear(scheme, assessment) for scheme in assessment.rankings):
        lines.append("  significant, by other scores: by inflated resamples, and still first with one more failed case")
    lines.append("  none while a column looks like clusters of cases and is not declared")
    for needed in units_needed(assessment):
        which = f" of “{needed.ranking}”" if needed.ranking and len(assessment.rankings) > 1 else ""
        if needed.submitted:
            least = "where the submitted uncertainty allows it"
        else:
            least = "never" if needed.winner is None else f"from {needed.winner} {plural(needed.unit)} on"
        lines.append(f"  a winner{which} can be named {least}")
    lines += [
        f"{metric} differs by no more than {margin:g}: equivalent" for metric, margin in rule.margin.items() if margin
    ]
    return lines


@dataclass(frozen=True)
class Example:
    """A ranking of invented teams: a table of mean values and the ranks, and what the example shows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    rankings: tuple[str, ...]
    note: str


def worked_example(assessment: Assessment) -> Example:
    """Rank five invented teams over six invented cases by the assessment itself.

    One team lacks a case and one team equals another, so that the rules for missing results and ties are seen at work.
    Metrics over the whole data set have one invented value a team.
    """
    return _worked(canonical_json({**assessment.document, "uncertainty": {"bootstrap": 0, "seed": 1}}))


@lru_cache(maxsize=64)
def _worked(text: str) -> Example:
    import json

    from evaluation.ranking import rank

    assessment = parse(json.loads(text))
    results = _invented(assessment)
    document = rank(assessment, results, cases=_cases(assessment))
    overall = document["overall"]
    entries = overall if isinstance(overall, list) else [overall] if overall else []
    tables = entries or document["rankings"]
    titles = tuple(_title(entry, assessment) for entry in tables)
    ranks = [{row["name"]: row["rank"] for row in entry["algorithms"]} for entry in tables]
    means = results.pivot_table(index="algorithm", columns="metric", values="value", aggfunc="mean")
    values: dict[Any, Any] = means.T.to_dict()
    order = sorted(TEAMS, key=lambda team: (ranks[0].get(team) or 99, team))
    metrics = [metric.name for metric in assessment.metrics]
    rows = tuple(
        (
            team,
            *(f"{values[team][metric]:.3g}" for metric in metrics),
            *(_rank(table.get(team)) for table in ranks),
        )
        for team in order
    )
    note = f"{TEAMS[3]} has the same values as {TEAMS[1]}."
    if any(metric.level == "case" for metric in assessment.metrics):
        note = f"{TEAMS[2]} sent no result for one case; {note}"
    heads = (f"mean {metric.title}" if metric.level == "case" else metric.title for metric in assessment.metrics)
    return Example(("Team", *heads, *titles), rows, titles, note)


def _title(entry: dict[str, Any], assessment: Assessment) -> str:
    metric = assessment.metric(entry["metric"]).title if entry.get("metric") else ""
    words = [entry.get("name"), metric, entry.get("region")]
    scope = ", ".join(str(word) for word in words if word)
    return f"rank ({scope})" if scope else "rank"


def _rank(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


def _invented(assessment: Assessment) -> pd.DataFrame:
    import pandas as pd

    generator = np.random.default_rng(_SEED)
    regions = [region.name for region in assessment.regions] or [""]
    skill = {team: 0.9 - 0.06 * index for index, team in enumerate(TEAMS)}
    skill[TEAMS[3]] = skill[TEAMS[1]]
    rows = []
    for metric in assessment.metrics:
        for region in [""] if metric.is_by_run else regions:
            shared = generator.normal(0, 0.03, CASES)
            for team in TEAMS:
                noise = np.random.default_rng([_SEED, len(region), TEAMS.index(team) if team != TEAMS[3] else 1])
                quality = np.clip(skill[team] + shared + noise.normal(0, 0.015, CASES), 0.02, 0.98)
                values = quality if metric.direction == "higher" else 20 * (1 - quality)
                cases = [f"case-{number}" for number in range(1, CASES + 1)]
                if metric.level != "case":
                    values, cases = values[:1], [""]
                for case, value in zip(cases, values, strict=True):
                    gone = team == TEAMS[2] and case == cases[0] and metric.level == "case"
                    rows.append({
                        "algorithm": team, "case": case, "region": region, "metric": metric.name,
                        "value": None if gone else float(value), "outcome": "missing" if gone else "ok",
                        "image_diagonal": 100.0 if metric.unit == "mm" else None,
                        "worst": None if metric.worst is not None else 20.0 if metric.direction == "lower" else -1.0,
                    })  # fmt: skip
    frame = pd.DataFrame(rows)
    frame["value"] = frame["value"].astype(float)
    for column in ("image_diagonal", "worst"):
        frame[column] = frame[column].astype(float)
    return frame


def _cases(assessment: Assessment) -> pd.DataFrame | None:
    import pandas as pd

    columns = grouping_columns(assessment)
    if not columns:
        return None
    table: dict[str, list[str]] = {"case": [f"case-{number}" for number in range(1, CASES + 1)]}
    for column in sorted(columns):
        table[column] = [f"{column}-{(number + 1) // 2}" for number in range(1, CASES + 1)]
    if assessment.exclusions.grade_column:
        counts = [grade for grade in GRADES if grade not in assessment.exclusions.grades]
        table[assessment.exclusions.grade_column] = counts[:1] * CASES
    return pd.DataFrame(table)
