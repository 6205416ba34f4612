"""Compare what the statements give with what the implementation gives."""

import json
import math
import warnings

from evaluation.aggregation import ResultsError
from evaluation.assessment import AssessmentError, parse
from evaluation.ranking import rank
from evaluation.ranking.procedure.building import procedure_of
from evaluation.ranking.procedure.lines import procedure_lines
from tests.procedures.designs import random_design
from tests.procedures.interpreter import execute


class NotPossibleError(Exception):
    """A random design that cannot be registered, or results that cannot be ranked."""


def differences(seed):
    """Return what differs for one random design; empty where interpreter and implementation agree.

    Raises
    ------
    NotPossibleError
        Where the implementation refuses the design or its results.
    """
    design = random_design(seed)
    try:
        assessment = parse(json.loads(json.dumps(design.document)))
        with warnings.catch_warnings():
            # Where every value is left out nobody has a rank, and its ends are no numbers.
            warnings.filterwarnings("ignore", "invalid value encountered in cast", RuntimeWarning)
            document = rank(assessment, design.results, cases=design.cases, bootstrap=0)
    except (AssessmentError, ResultsError) as error:
        raise NotPossibleError(str(error)) from None
    procedure = procedure_of(assessment)
    tables, combined = execute(procedure, design.rows, design.columns, design.levels)
    found = []
    expected = {
        (entry.get("name"), entry["task"] or "", entry["metric"], entry["region"] or ""): entry
        for entry in document["rankings"]
    }
    if set(expected) != set(tables):
        found.append(f"tables {sorted(map(str, set(expected) ^ set(tables)))}")
    for key in set(expected) & set(tables):
        found += [f"{key}: {text}" for text in _rows(expected[key], tables[key])]
    overall = document["overall"] or []
    overall = overall if isinstance(overall, list) else [overall]
    if len(overall) != len(combined):
        found.append(f"{len(overall)} combined rankings, {len(combined)} by the statements")
        return found
    left = dict(combined)
    for entry in overall:
        fitting = [
            key
            for key in left
            if key[0] == entry.get("name")
            and all(
                dict(key[1]).get(name) == (entry[name] or "") for name in ("task", "metric", "region") if name in entry
            )
            and all(dict(key[1]).get(name) == entry[name] for name in ("site", "tumour_type") if name in entry)
        ]
        if not fitting:
            found.append(f"no statements for {entry.get('name')}")
            continue
        found += [f"combined {fitting[0]}: {text}" for text in _rows(entry, left.pop(fitting[0]))]
    return found


def report(seed):
    """Return the design, its pseudo-code and the differences of a seed as text."""
    design = random_design(seed)
    lines = procedure_lines(procedure_of(parse(design.document)))
    return "\n".join([json.dumps(design.document), *lines, *differences(seed)])


def _rows(entry, scored):
    for row in entry["algorithms"]:
        score, place = scored[row["name"]]
        if (score is None) != (row["score"] is None):
            yield f"{row['name']} has the score {row['score']}, by the statements {score}"
        elif score is not None and not math.isclose(float(score), row["score"], rel_tol=1e-9, abs_tol=1e-12):
            yield f"{row['name']} has the score {row['score']}, by the statements {float(score)}"
        if row["rank"] is None:
            if place is not None:
                yield f"{row['name']} has no rank, by the statements {place}"
        elif place is None or not math.isclose(float(place), row["rank"], abs_tol=1e-9):
            yield f"{row['name']} has rank {row['rank']}, by the statements {float(place)}"
