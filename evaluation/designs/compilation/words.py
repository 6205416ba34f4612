"""A compiled assessment shown back: as pseudo-code, and as the ranking of five invented teams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.assessment import Assessment, MetricUse, parse
from evaluation.assessment.exclusions import GRADES
from evaluation.assessment.options import option_list
from evaluation.canonical import canonical_json
from evaluation.catalogue import get
from evaluation.ranking.schemes import all_schemes, get_scheme
from evaluation.ranking.scores import operator_name
from evaluation.ranking.uncertainty.needed import units_needed
from evaluation.wording import plural

if TYPE_CHECKING:
    import pandas as pd

TEAMS: Final = ("Alder", "Birch", "Cedar", "Dogwood", "Elm")
CASES: Final = 6
_SEED: Final = 7


def pseudo_code(assessment: Assessment) -> list[str]:
    """The assessment as indented lines that a person can follow."""
    lines = ["for every algorithm"]
    of_cases = [metric for metric in assessment.metrics if metric.level == "case" and not metric.is_by_run]
    of_data_set = [metric for metric in assessment.metrics if metric.level != "case"]
    if of_cases:
        lines += ["  for every case", *_measured(of_cases, assessment)]
    if assessment.by_run:
        lines += ["  for every case that the algorithm is run on", *_costs(assessment)]
    if of_data_set:
        lines += ["  over all cases together", *_measured(of_data_set, assessment)]
    for previous, level in zip(assessment.aggregation.levels, assessment.aggregation.levels[1:], strict=False):
        lines.append(
            f"  for every {level}: value ← {operator_name(assessment.aggregation.operator)} over its {plural(previous)}"
        )
    for scheme in assessment.rankings:
        lines += _scheme(scheme, assessment)
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
    """Between which ranks an algorithm can lie, who wins, and what difference matters."""
    rule = assessment.uncertainty
    total = round(1.0 - rule.interval, 12)
    alpha = total if rule.winner_alpha is None else min(total, rule.winner_alpha)
    lines = [
        f"rank set ← ranks that are not excluded, all algorithms at once at an error of {total:g}",
        f"winner ← who is shown to be better than every other one, at an error of at most {alpha:g}; else nobody",
    ]
    for needed in units_needed(assessment):
        which = f" of “{needed.ranking}”" if needed.ranking and len(assessment.rankings) > 1 else ""
        least = "never" if needed.winner is None else f"from {needed.winner} {plural(needed.unit)} on"
        lines.append(f"  a winner{which} can be named {least}")
    lines += [
        f"{metric} differs by no more than {margin:g}: equivalent" for metric, margin in rule.margin.items() if margin
    ]
    return lines


def _measured(metrics: list[MetricUse], assessment: Assessment) -> list[str]:
    """Metrics of one level with their options and with what counts where there is no value."""
    lines = []
    indent = "    "
    if assessment.regions:
        lines.append(f"{indent}for every region of {', '.join(region.name for region in assessment.regions)}")
        indent += "  "
    outcomes = _OUTCOMES
    kind = assessment.kind
    if words_of_missing := kind.missing_words(assessment):
        lines.append(f"{indent}a case without a valid answer {words_of_missing}")
        outcomes = {"missing": "there are no answers, or not the scores that it needs"}
    elif metrics[0].level == "dataset":
        outcomes = {"missing": "any prediction is missing or unreadable"}
    elif not kind.tells_outcomes:
        outcomes = {"missing": _OUTCOMES["missing"]}
    for metric in metrics:
        options = option_list(metric, assessment)
        lines.append(
            f"{indent}{metric.name} ← {_name(metric.id)}({options})"
            if options
            else f"{indent}{metric.name} ← {_name(metric.id)}"
        )
        for outcome, words in outcomes.items():
            value = metric.policy.get(outcome)
            if value is not None:
                lines.append(f"{indent}  if {words}: {metric.name} ← {_value(metric, value)}")
    return lines


def _costs(assessment: Assessment) -> list[str]:
    """What a run took, with what counts where it came to no valid output."""
    lines = []
    for metric in assessment.by_run:
        steps = f", in steps of {metric.options['step']:g}" if metric.options["step"] else ""
        lines.append(f"    {metric.name} ← what was measured of the run, in {metric.unit}{steps}")
        counts = metric.policy.missing
        if counts is not None:
            lines.append(f"      if the run gave no valid output: {metric.name} ← {_value(metric, counts)}")
    return lines


_OUTCOMES: Final = {
    "missing": "the result is missing or unreadable",
    "pred_empty": "the prediction is empty and the reference is not",
    "ref_empty": "the reference is empty and the prediction is not",
    "both_empty": "both are empty",
}


def _name(identity: str) -> str:
    return "the value" if identity == "value" else get(identity).name


def _value(metric: Any, value: Any) -> str:
    if value == "worst" and metric.worst is not None:
        return f"{metric.worst:g} (worst)"
    if value == "perfect" and metric.best is not None:
        return f"{metric.best:g} (best)"
    words = {
        "worst": "worst value of the case",
        "exclude": "left out for everyone",
        "image_diagonal": "diagonal of the image",
        "worst_rank": "last rank",
    }
    return words.get(value, str(value)) if isinstance(value, str) else f"{value:g}"


def _scheme(scheme: Any, assessment: Assessment) -> list[str]:
    title = f"ranking “{scheme.name}”: " if scheme.name else ""
    metrics = list(scheme.metrics or [metric.name for metric in assessment.metrics])
    each = "for every metric and region" if assessment.regions else "for every metric"
    if scheme.metrics:
        each += f" ({', '.join(metrics)})"
    lines = [f"{title}{each}"]
    levels = {metric.level for metric in assessment.metrics if metric.name in metrics}
    registered = get_scheme(scheme.scheme)
    of_whole_data_sets = next(entry for entry in all_schemes() if entry.one_value)
    lines += (of_whole_data_sets if levels == {"dataset"} else registered).pseudo_code(scheme)
    if levels == {"case", "dataset"} and not registered.one_value:
        lines.append("  for a metric over all cases together: score ← its one value")
    ties = {
        "min": "the better rank",
        "max": "the worse rank",
        "dense": "one rank without a gap",
        "average": "the mean of their ranks",
    }
    lines.append(f"  equal scores share {ties[scheme.ties]}")
    for step in scheme.combine or ():
        over = " and ".join(plural(name) for name in step.over)
        after = ", then rank again" if step.rerank else ""
        lines.append(f"{operator_name(step.operator)} of the ranks over {over}{after}")
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

    columns = assessment.grouping_columns
    if not columns:
        return None
    table: dict[str, list[str]] = {"case": [f"case-{number}" for number in range(1, CASES + 1)]}
    for column in sorted(columns):
        table[column] = [f"{column}-{(number + 1) // 2}" for number in range(1, CASES + 1)]
    if assessment.exclusions.grade_column:
        counts = [grade for grade in GRADES if grade not in assessment.exclusions.grades]
        table[assessment.exclusions.grade_column] = counts[:1] * CASES
    return pd.DataFrame(table)
