"""Statements of figures of single kinds are true of their values, and a planted wrong sentence is detected."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evaluation.claims.catalogue import CATALOGUE
from evaluation.figures.boxes import Pair, before_and_after
from evaluation.figures.case_pairs import case_pairs
from evaluation.figures.label_map import label_map
from evaluation.figures.layout import number
from evaluation.wording import joined

SETS = 300
DOCUMENT = {"rankings": [{"algorithms": [{"name": name} for name in ("ash", "birch", "cedar")]}]}
NAMES = ("ash", "birch", "cedar")


def pairs_of(random):
    digits = int(random.integers(0, 3))
    return {
        name: Pair(*random.uniform(0, 5, (2, int(random.integers(1, 9)))).round(digits))
        for name in NAMES[: int(random.integers(1, 4))]
    }


def changed_wrongly(random):
    pairs, higher = pairs_of(random), bool(random.random() < 0.5)
    drawn = before_and_after(DOCUMENT, pairs, "?", what="TRE", unit="mm", higher=higher, most=9)
    expected = {
        (
            f"{name}: median {number(float(np.median(pair.after)))} mm, before {number(float(np.median(pair.before)))} mm; worse than "
            f"before in {sum(b > a if higher else a > b for b, a in zip(*pair, strict=True))} of {len(pair.after)} "
            f"case{'s' * (len(pair.after) > 1)}."
        )
        for name, pair in pairs.items()
    }
    return set(drawn["remarks"]) ^ expected


def compared_wrongly(random):
    higher = bool(random.random() < 0.5)
    cases = [f"c{number_of_case}" for number_of_case in range(int(random.integers(1, 9)))]
    values = {name: {case: float(random.integers(0, 4)) for case in cases if random.random() < 0.8} for name in NAMES}
    first, wrong, panels = NAMES[0], [], [NAMES[0]]
    drawn = case_pairs(DOCUMENT, values, "?", cases=len(cases), what="DSC", unit="", higher=higher, most=9)
    remarks = [] if drawn is None else drawn["remarks"]
    for remark in remarks:
        compared = re.fullmatch(
            rf"{first} is better than (\w+) in (\d+) and worse in (\d+) of (\d+) cases? that both have\.", remark
        )
        if compared is None:
            lacking = {name: len(cases) - len(values[name]) for name in panels}
            parts = [f"{n} of {len(cases)} case{'s' * (len(cases) > 1)} of {name}" for name, n in lacking.items() if n]
            wrong += [remark] * (remark != f"In no panel, since there is no value: {joined(parts)}.")
            panels = []
            continue
        other, wins, losses, of = compared.groups()
        panels.append(other)
        both = values[first].keys() & values[other].keys()
        gaps = [(values[first][case] - values[other][case]) * (1 if higher else -1) for case in both]
        counts = (sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps), len(both))
        wrong += [remark] * ((int(wins), int(losses), int(of)) != counts)
    # Who lacks values and is drawn is named: silence would hide it.
    is_silent = any(len(values[name]) < len(cases) for name in panels) and drawn is not None
    return [*wrong, *(["nothing is said of what is lacking"] if is_silent else [])]


def labelled_wrongly(random):
    higher = bool(random.random() < 0.5)
    labels = [f"label {letter}" for letter in "ABCD"[: int(random.integers(2, 5))]]
    scores = {
        label: {name: None if random.random() < 0.4 else float(random.integers(0, 4)) / 4 for name in NAMES}
        for label in labels
    }
    drawn = label_map(scores, NAMES, "?", what="AUROC", higher=higher)
    best = {
        label: (max if higher else min)(values)
        for label, of_teams in scores.items()
        if (values := [value for value in of_teams.values() if value is not None])
    }
    expected = []
    if len(set(best.values())) > 1:
        least = (min if higher else max)(best.values())
        named = joined([label for label in best if best[label] == least])
        expected.append(f"The best AUROC of any algorithm is worst at {named}: {number(least)}.")
    if unknown := [label for label in labels if label not in best]:
        expected.append(f"No algorithm has a value at {joined(unknown)}.")
    return [] if drawn is None or drawn["remarks"] == expected else [drawn["remarks"], expected]


CHECKS = {
    "kinds.changed": changed_wrongly,
    "kinds.case_by_case": compared_wrongly,
    "kinds.lacking": compared_wrongly,
    "kinds.worst_label": labelled_wrongly,
    "kinds.no_value_at_label": labelled_wrongly,
}


@pytest.mark.parametrize("check", dict.fromkeys(CHECKS.values()), ids=lambda check: check.__name__)
def test_no_sentence_below_a_figure_is_false(check):
    assert not [(seed, wrong) for seed in range(SETS) if (wrong := check(np.random.default_rng(seed)))]


def test_every_claim_has_a_check():
    assert {name for name in CATALOGUE.claims if name.startswith("kinds.")} == set(CHECKS)


WRONG = {
    "kinds.changed": {"words": lambda change: f"{change.name}: median {change.before}, before {change.after}."},
    "kinds.case_by_case": {
        "words": lambda duel: (
            f"{duel.first} is better than {duel.other} in {duel.losses} and worse in {duel.wins} of {duel.cases} cases that both have."
        )
    },
    "kinds.lacking": {"true": lambda facts: sum(facts[0].values()) > 1},
    "kinds.worst_label": {"true": lambda labels: bool(labels.worst)},
    "kinds.no_value_at_label": {"words": lambda labels: f"No algorithm has a value at {next(iter(labels.best))}."},
}


@pytest.mark.parametrize("identity", WRONG)
def test_a_wrong_sentence_is_found(identity, monkeypatch):
    monkeypatch.setitem(CATALOGUE.claims, identity, replace(CATALOGUE.claims[identity], **WRONG[identity]))
    assert any(CHECKS[identity](np.random.default_rng(seed)) for seed in range(SETS))
