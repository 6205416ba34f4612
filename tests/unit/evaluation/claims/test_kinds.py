"""What figures of single kinds say is true of the values that they draw, and a planted wrong sentence is found."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evaluation.claims.catalogue import CATALOGUE
from evaluation.figures.boxes import Pair, before_and_after
from evaluation.figures.case_pairs import case_pairs
from evaluation.figures.label_map import label_map
from evaluation.figures.layout import number

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
    made = before_and_after(DOCUMENT, pairs, "?", what="TRE", unit="mm", higher=higher, most=9)
    expected = {
        (
            f"{name}: median {number(float(np.median(own.after)))} mm, before {number(float(np.median(own.before)))} mm; worse than "
            f"before in {sum(b > a if higher else a > b for b, a in zip(*own, strict=True))} of {len(own.after)} "
            f"case{'s' * (len(own.after) > 1)}."
        )
        for name, own in pairs.items()
    }
    return set(made["remarks"]) ^ expected


def compared_wrongly(random):
    higher = bool(random.random() < 0.5)
    cases = [f"c{place}" for place in range(int(random.integers(1, 9)))]
    values = {name: {case: float(random.integers(0, 4)) for case in cases if random.random() < 0.8} for name in NAMES}
    made = case_pairs(DOCUMENT, values, "?", what="DSC", unit="", higher=higher, most=9)
    first, wrong = NAMES[0], []
    for said in [] if made is None else made["remarks"]:
        other, wins, losses, of = re.fullmatch(
            rf"{first} is better than (\w+) in (\d+) and worse in (\d+) of (\d+) cases? that both have\.", said
        ).groups()
        both = values[first].keys() & values[other].keys()
        better = [case for case in both if (values[first][case] > values[other][case]) is higher]
        better = [case for case in better if values[first][case] != values[other][case]]
        same = sum(values[first][case] == values[other][case] for case in both)
        if (int(wins), int(losses), int(of)) != (len(better), len(both) - same - len(better), len(both)):
            wrong.append(said)
    return wrong


def labelled_wrongly(random):
    higher = bool(random.random() < 0.5)
    labels = [f"label {letter}" for letter in "ABCD"[: int(random.integers(2, 5))]]
    scores = {
        label: {name: None if random.random() < 0.4 else float(random.integers(0, 4)) / 4 for name in NAMES}
        for label in labels
    }
    made = label_map(scores, NAMES, "?", what="AUROC", higher=higher)
    sign = 1 if higher else -1
    found = {label: [sign * value for value in own.values() if value is not None] for label, own in scores.items()}
    wrong = []
    for said in [] if made is None else made["remarks"]:
        if told := re.fullmatch(r"No algorithm has a value at (.+)\.", said):
            wrong += [said] * (re.split(r", | and ", told[1]) != [label for label in labels if not found[label]])
            continue
        named, value = re.fullmatch(
            r"(.+) (?:is|are) the hardest labels?: the best AUROC of any algorithm is (\S+) there, and better at every other label\.",
            said,
        ).groups()
        hard, best = re.split(r", | and ", named), {label: max(own) for label, own in found.items() if own}
        others = [best[label] for label in best if label not in hard]
        is_true = {number(sign * best[label]) for label in hard} == {value} and others and min(others) > best[hard[0]]
        wrong += [] if is_true else [said]
    return wrong


CHECKS = {
    "kinds.changed": changed_wrongly,
    "kinds.case_by_case": compared_wrongly,
    "kinds.hardest_label": labelled_wrongly,
    "kinds.hardest_labels": labelled_wrongly,
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
    "kinds.hardest_label": {"true": lambda labels: bool(labels.hardest)},
    "kinds.hardest_labels": {"true": lambda labels: len(labels.hardest) > 1},
    "kinds.no_value_at_label": {"words": lambda labels: f"No algorithm has a value at {next(iter(labels.best))}."},
}


@pytest.mark.parametrize("identity", WRONG)
def test_a_wrong_sentence_is_found(identity, monkeypatch):
    monkeypatch.setitem(CATALOGUE.claims, identity, replace(CATALOGUE.claims[identity], **WRONG[identity]))
    assert any(CHECKS[identity](np.random.default_rng(seed)) for seed in range(SETS))
