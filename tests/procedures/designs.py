"""Random designs with random results: every scheme, level, operator, rule and kind of metric that a ranking can have."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

ALGORITHMS = ("a", "b", "c", "d", "e")
TIES = ("min", "max", "dense", "average")
MISSING_RANKS = ("toolkit", "last", "shared_last")
SCHEMES = ("aggregate_then_rank", "rank_then_aggregate", "test_then_rank", "one_score")
OPERATORS = (
    "mean",
    "mean",
    "median",
    "min",
    "max",
    {"percentile": 5},
    {"percentile": 37.5, "from": "low"},
    {"percentile": 80},
)
LEVELS = (
    [],
    [],
    ["patient"],
    ["patient", {"name": "site", "role": "random"}],
    ["patient", {"name": "tumour_type", "role": "fixed"}],
    [{"name": "tumour_type", "role": "fixed"}],
    ["site"],
)
REGIONS = [{"name": "core", "labels": [1]}, {"name": "whole", "labels": [1, 2]}]
INTERACTIONS = ("fully_automatic", "semi_automatic")
DYADIC = 64


@dataclass
class Design:
    """An assessment document with results that fit it."""

    document: dict
    rows: list
    columns: dict
    levels: dict

    @property
    def results(self):
        """The results as a table."""
        frame = pd.DataFrame(self.rows)
        for name in ("value", "image_diagonal"):
            frame[name] = frame[name].astype(float)
        if self.levels:
            frame["level"] = frame["algorithm"].map(self.levels).fillna("")
        return frame

    @property
    def cases(self):
        """The columns of the cases as a table."""
        names = sorted(next(iter(self.columns.values())))
        return pd.DataFrame(
            {"case": names, **{name: [cells[case] for case in names] for name, cells in self.columns.items()}}
        )


def random_design(seed):
    """Return a design with results, the same for the same seed."""
    chance = np.random.default_rng(seed)
    pick = Picker(chance)
    scheme = pick(SCHEMES)
    kind = pick(("semantic_segmentation", "object_detection", "external", "external", "table"))
    case_names = [f"c{number:02d}" for number in range(int(chance.integers(1, 17)))]
    columns = _columns(pick, case_names, scheme)
    metrics = _metrics(pick, kind, scheme)
    regions = REGIONS if kind in ("semantic_segmentation", "object_detection") and pick((True, False)) else []
    if kind == "semantic_segmentation":
        regions = regions or REGIONS[:1]
    tasks = ["t1", "t2"] if kind in ("table", "external") and pick((True, False, False)) else [""]
    document = {
        "problem": kind,
        "metrics": metrics,
        "ranking": _rankings(pick, kind, metrics, regions, tasks, columns, scheme),
    }
    if regions:
        document["regions"] = regions
    levels = pick(LEVELS)
    uncertainty = {"bootstrap": 0}
    if levels:
        document["aggregation"] = {"levels": ["case", *levels], "operator": _inner(pick, scheme)}
    document["uncertainty"] = uncertainty
    has_data_set = any(_is_whole(entry) for entry in metrics)
    if not has_data_set and pick((True, False, False, False)) and len(case_names) > 3:
        document["exclusions"] = _exclusions(pick, case_names, columns)
    interaction = {}
    if kind == "semantic_segmentation" and not has_data_set and pick((True, False, False)):
        document["interaction_weights"] = {"fully_automatic": 1, "semi_automatic": 0.5}
        interaction = {name: pick(INTERACTIONS) for name in ALGORITHMS if pick((True, True, False))}
    algorithms = ALGORITHMS[: int(chance.integers(2, 6))]
    rows = [
        row
        for task in tasks
        for entry in metrics
        for region in [part["name"] for part in regions] or [""]
        for row in _rows(pick, kind, entry, task, region, case_names, algorithms)
    ]
    return Design(document, rows, columns, interaction)


class Picker:
    """Picks one of several values."""

    def __init__(self, chance):
        self.chance = chance

    def __call__(self, values):
        return values[int(self.chance.integers(len(values)))]


def _inner(pick, scheme):
    # Signed ranks compare plain differences: means of 3 would differ in the last digit where they tie on paper.
    return pick(("mean", "median", "min", "max")) if scheme != "test_then_rank" else pick(("min", "max"))


def _columns(pick, cases, scheme):
    patients = max(1, len(cases) // int(pick.chance.integers(1, 4)))
    patient = {case: f"p{int(pick.chance.integers(patients))}" for case in cases}
    site = {name: pick(("north", "south", "west")) for name in sorted(set(patient.values()))}
    tumour = {name: pick(("breast", "lung")) for name in sorted(set(patient.values()))}
    return {
        "patient": patient,
        "site": {case: site[patient[case]] for case in cases},
        "tumour_type": {case: tumour[patient[case]] for case in cases},
        "grade": {case: pick(("acceptable", "borderline", "insufficient")) for case in cases},
    }


def _metrics(pick, kind, scheme):
    last = ["worst_rank"] if scheme == "rank_then_aggregate" else []
    if kind == "table":
        return [{"id": "value", "direction": pick(("higher", "lower")), "policy": _missing(pick, [0, 0.25, *last])}]
    if kind == "external":
        entries = []
        for name in ("quality", "speed", "overall")[: int(pick.chance.integers(1, 4))]:
            whole = pick((True, False, False))
            entries.append(
                {
                    "id": name,
                    "direction": pick(("higher", "lower")),
                    "policy": _missing(pick, [0, 0.25, *([] if whole else last)]),
                }
                | ({"level": "dataset"} if whole else {})
            )
        return entries
    if kind == "object_detection":
        scale = pick(("dataset", "image", "patient"))
        hit = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5}
        entries = [{"id": "fbeta", "name": "f1", "options": {**hit, "scale": scale}}]
        if pick((True, False)):
            entries.append({"id": "sensitivity", "options": {**hit, "scale": pick(("image", "dataset"))}})
        return entries
    dsc = {
        "id": "dsc",
        "policy": pick(({}, {"both_empty": "exclude", "ref_empty": "exclude"}, {"missing": pick([0.25, *last])})),
    }
    return [dsc, {"id": "nsd"}, {"id": "hausdorff_percentile"}][: int(pick.chance.integers(1, 4))]


def _missing(pick, words):
    if pick((True, False, False)):
        return {"missing": "exclude", "allow_gaming": True}
    return {"missing": pick(words)}


def _is_whole(entry):
    return entry.get("level") == "dataset" or entry.get("options", {}).get("scale") in ("dataset", "patient")


def _rankings(pick, kind, metrics, regions, tasks, columns, scheme):
    rankings = [_ranking(pick, kind, metrics, regions, tasks, scheme) for _ in range(pick((1, 1, 2)))]
    if len(rankings) == 1:
        return rankings[0]
    return [{**ranking, "name": f"ranking {number}"} for number, ranking in enumerate(rankings)]


def _ranking(pick, kind, metrics, regions, tasks, scheme):
    ranking = {"scheme": scheme, "ties": pick(TIES), "missing_rank": pick(MISSING_RANKS)}
    if scheme in SCHEMES[:2]:
        ranking["operator"] = pick(OPERATORS)
    if scheme == "test_then_rank":
        ranking |= {"alpha": pick((0.05, 0.2, 0.5)), "adjust": pick(("none", "holm"))}
    if len(metrics) > 1 and pick((True, False, False)):
        ranking["metrics"] = [metrics[0].get("name", metrics[0]["id"])]
    if len(regions) > 1 and pick((True, False, False)):
        ranking["regions"] = [regions[0]["name"]]
    form = pick(("default", "none", "one", "several"))
    if form == "none":
        ranking["combine"] = None
    elif form != "default":
        dimensions = ["metric", *(["region"] if kind != "table" else []), *(["task"] if len(tasks) > 1 else [])]
        dimensions += pick(([], [], ["site"], ["tumour_type"], ["site", "tumour_type"]))
        pick.chance.shuffle(dimensions)
        steps = [dimensions] if form == "one" else [[name] for name in dimensions]
        ranking["combine"] = [
            _step(pick, over, scheme, first=position == 0, metrics=metrics) for position, over in enumerate(steps)
        ]
    return ranking


def _step(pick, over, scheme, *, first, metrics):
    rerank = pick((True, True, False)) if scheme == "rank_then_aggregate" or not first else True
    step = {"over": over, "operator": pick(OPERATORS), "ties": pick(TIES), "rerank": rerank}
    if pick((True, False)):
        step["fractional"] = pick((True, False))
    weights = {}
    if "metric" in over and pick((True, False, False)):
        weights["metric"] = {entry.get("name", entry["id"]): pick((1, 2, 0.5)) for entry in metrics}
    if "task" in over and pick((True, False, False)):
        weights["task"] = pick(("cases", "sqrt_cases", {"t1": 1, "t2": 3}))
    return {**step, "weights": weights} if weights else step


def _exclusions(pick, cases, columns):
    rule = {"cases": [{"case": cases[0], "reason": "duplicate"}]}
    kept = [case for case in cases[1:] if columns["grade"][case] != "insufficient"]
    if kept and pick((True, False)):
        rule["quality"] = {"column": "grade", "excluded": ["insufficient"]}
    return rule


def _rows(pick, kind, entry, task, region, cases, algorithms):
    whole = _is_whole(entry)
    name = entry.get("name", entry["id"])
    outcomes = ("ok",) * 12 + (
        ("missing",) if kind in ("table", "external") else ("missing", "pred_empty", "degenerate")
    )
    for case in [""] if whole else cases:
        # Whether a reference is empty holds for all algorithms.
        empty = kind == "semantic_segmentation" and pick((False,) * 11 + (True,))
        undefined = kind == "semantic_segmentation" and not empty and pick((False,) * 15 + (True,))
        for algorithm in algorithms:
            outcome, flag = pick(outcomes), ""
            if empty:
                outcome = pick(("both_empty", "ref_empty", "missing"))
            elif undefined:
                outcome, flag = "degenerate", "reference"
            if not whole and outcome == "missing" and pick((True, False)) and algorithm != algorithms[0]:
                continue  # a pair that the results do not mention is missing, too
            value = (
                int(pick.chance.integers(0, 9)) * 8 / DYADIC
                if pick((True, False))
                else int(pick.chance.integers(DYADIC)) / DYADIC
            )
            yield {
                "task": task,
                "algorithm": algorithm,
                "case": case,
                "region": region,
                "metric": name if kind != "table" else "value",
                "value": value if outcome == "ok" else None,
                "outcome": outcome,
                "flag": flag,
                "image_diagonal": 100.0 if not whole else None,
            }
