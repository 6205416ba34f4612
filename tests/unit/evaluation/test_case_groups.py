"""Columns follow the design: numbered sites are sites, and names, yes and no also explain values."""

import numpy as np
import pandas as pd
import pytest

from evaluation.analyses import exploring
from evaluation.analyses.case_groups import FEWEST_CASES
from evaluation.analyses.sources import Sources
from evaluation.assessment import parse
from evaluation.documents import DocumentBuilder
from evaluation.ranking import rank
from evaluation.ranking.characteristics import Characteristic, characteristics_of, explaining_columns
from evaluation.reporting.further import hardness_section

CASES = 160
ORDER = {"metric": "value", "region": None, "task": None, "ranking": None, "key": "value"}


def document(**more):
    return {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "uncertainty": {"bootstrap": 20, "seed": 1},
        **more,
    }


@pytest.fixture
def cases():
    """160 cases of 32 numbered sites; smoke makes them hard, age does not; the grade is declared a name."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "case": [f"c{number:03d}" for number in range(CASES)],
            "site": [number % 32 + 1 for number in range(CASES)],
            "smoke": ["yes" if number % 3 else "no" for number in range(CASES)],
            "age": rng.normal(50, 9, CASES).round(1),
            "grade": [number % 7 for number in range(CASES)],
        }
    )


def sources(cases, **more):
    rng = np.random.default_rng(4)
    rows = [
        (name, case, float(np.clip(0.8 - 0.05 * place - 0.1 * (smoke == "yes") + rng.normal(0, 0.04), 0, 1)))
        for place, name in enumerate("abcd")
        for case, smoke in zip(cases["case"], cases["smoke"], strict=True)
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    assessment = parse(document(**more))
    ranked = rank(assessment, results, cases=cases.astype(str))
    return Sources(document=ranked, assessment=assessment, results=results, cases=None, characteristics=cases)


def test_numbers_explain_in_standard_deviations_of_the_cases_at_hand():
    number = Characteristic("age", "Age", "number", pd.Series({"a": 10.0, "b": 20.0, "c": 60.0, "elsewhere": 1e6}))
    same = Characteristic("dose", "Dose", "number", pd.Series({"a": 1.0, "b": 1.0, "c": 1.0}))
    smoke = Characteristic("smoke", "Smoke", "yes_no", pd.Series({"a": 1.0, "b": 0.0, "c": 1.0}))
    table, left_out = explaining_columns([number, same, smoke], ["c", "a", "b"])
    assert table["Age"].to_dict() == pytest.approx({"c": 1.38873, "a": -0.92582, "b": -0.46291}, abs=1e-5)
    assert table["Smoke"].to_dict() == {"c": 1.0, "a": 1.0, "b": 0.0}
    assert (list(table), left_out) == (["Age", "Smoke"], [])


def test_sites_numbered_from_1_to_32_are_32_groups_and_never_low_middle_and_high(cases):
    found = {grouping.title: grouping for grouping in sources(cases).subgroups}
    assert len(found["site"].documents) == 32
    assert not any(label.startswith(("low", "middle", "high")) for label in found["site"].documents)
    gaps = [found["site"].gaps(ORDER)[label] for label in found["site"].documents]
    assert gaps == sorted(gaps, reverse=True)
    assert [label.split(" (")[0] for label in found["age"].documents] == ["low", "middle", "high"]


def test_a_declared_kind_wins_over_what_the_values_look_like(cases):
    def kinds(**more):
        return {known.name: known.kind for known in characteristics_of(parse(document(**more)), cases)}

    assert kinds() == {"site": "name", "smoke": "yes_no", "age": "number", "grade": "number"}
    assert kinds(columns={"grade": "name", "site": "number"}) == {
        "site": "number",
        "smoke": "yes_no",
        "age": "number",
        "grade": "name",
    }


def test_what_the_assessment_groups_by_is_a_name_whatever_it_looks_like_or_is_declared(cases):
    levels = {"levels": ["case", {"name": "age", "role": "fixed"}], "operator": "mean"}
    for more in ({}, {"columns": {"age": "number"}}):
        found = {
            known.name: known.kind for known in characteristics_of(parse(document(aggregation=levels, **more)), cases)
        }
        assert found["age"] == "name"


def test_a_characteristic_declared_as_binary_keeps_its_two_words(cases):
    words = cases.assign(Smoke_In_View=["present" if number % 3 else "absent" for number in range(CASES)])
    known = characteristics_of(parse(document(columns={"smoke_in_view": "yes_no", "grade": "number"})), words)
    [found] = [entry for entry in known if entry.name == "Smoke_In_View"]
    assert found.kind == "name"
    assert set(found.by_case) == {"present", "absent"}


def test_the_figure_of_groups_shows_ten_and_says_how_many_are_folded(cases):
    made = sources(cases)
    figure = exploring.group_ranks(made, ORDER, made.document["rankings"][0])
    assert sum(name.startswith("xaxis") for name in figure["layout"]) <= 10
    assert any("32 groups" in said and "22 that change less" in said for said in figure["remarks"])


def test_groups_that_are_too_small_are_counted(cases):
    some = cases.assign(site=[number if number < 30 else 1 for number in range(CASES)])
    small = cases.assign(site=["a"] * 78 + ["b"] * 78 + ["c"] * 4)
    assert "site" not in {grouping.title for grouping in sources(some).subgroups}
    [found] = [grouping for grouping in sources(small).subgroups if grouping.title == "site"]
    assert found.left_out == [f"Groups not ranked: 1 with fewer than {FEWEST_CASES} cases."]


def test_cases_that_do_not_count_are_in_no_group(cases):
    """Of six cases of a site two are excluded: four are too few for a group, and nothing ranks these as six."""
    known = cases.assign(site=["a"] * 77 + ["b"] * 77 + ["c"] * 6)
    excluded = {"cases": [{"case": case, "reason": "image_damaged"} for case in ("c154", "c155")]}
    [found] = [one for one in sources(known, exclusions=excluded).subgroups if one.title == "site"]
    assert list(found.documents) == ["a", "b"]
    assert found.left_out == [f"Groups not ranked: 1 with fewer than {FEWEST_CASES} cases."]


def test_yes_and_no_and_names_enter_strengths_and_what_was_looked_at_is_said(cases):
    some = cases.iloc[:64]
    made = sources(some.assign(vendor=["A", "B", "C", "D"] * 16))
    figure = exploring.hardness(made, ORDER, made.document["rankings"][0])
    said = " ".join(figure["remarks"])
    assert "4 characteristics with 6 effects were looked at" in said
    assert "Holm" in said
    assert "site is left out: it has 32 values" in said
    ticks = {text.split(" *")[0]: text for text in figure["layout"]["yaxis"]["ticktext"]}
    assert ticks["smoke"].endswith("***")
    assert ticks["age"] == "age"
    assert {"vendor: B", "vendor: C", "vendor: D"} <= set(ticks)
    relative = exploring.relative(made, ORDER, made.document["rankings"][0])
    assert "correlations are shown" in relative["remarks"][0]


def test_a_metric_that_counts_is_modelled_by_hits_in_trials_with_the_registered_units(tmp_path):
    from evaluation import problems
    from evaluation.scoring.classification_evidence import make_block
    from evaluation.scoring.evidence import make_evidence, recompute_values

    rng = np.random.default_rng(5)
    names = [f"c{number:03d}" for number in range(120)]
    hard = np.arange(120) % 2 == 0
    truth = (np.arange(120) // 2 % 2).astype(np.int64)
    assessment = parse(
        {
            "problem": "image_classification",
            "regions": [{"name": "benign"}, {"name": "malign"}],
            "metrics": [{"id": "accuracy"}],
            "aggregation": {"levels": ["case", "patient"], "operator": "mean"},
            "uncertainty": {"bootstrap": 10, "seed": 1},
        }
    )
    blocks = []
    for name, skill in (("a", 0.9), ("b", 0.8), ("c", 0.7)):
        right = rng.random(120) < np.where(hard, skill - 0.4, skill)
        decision = np.where(right, truth, 1 - truth)
        blocks.append(make_block(name, names, truth, decision=decision, scores=None, answered=np.ones(120, dtype=bool)))
    shared = {"classes": ["benign", "malign"], "regions": {"benign": ["benign"], "malign": ["malign"]}}
    evidence = make_evidence(assessment, blocks, parts={"accuracy": "answers"}, shared=shared)
    metric = assessment.metric("accuracy")
    rows = []
    for name in "abc":
        pieces = evidence.select("accuracy", name)
        hits, trials = problems.get("image_classification").evidence.hits_and_trials(metric, pieces)
        value = recompute_values(metric, pieces, np.ones((1, 120))).result().value
        assert hits.sum() / trials.sum() == pytest.approx(value)
        rows.append(
            {"algorithm": name, "case": "", "region": "", "metric": "accuracy", "value": value, "outcome": "ok"}
        )
    known = pd.DataFrame(
        {"case": names, "hard": np.where(hard, "yes", "no"), "patient": [f"p{number // 4}" for number in range(120)]}
    )
    results = pd.DataFrame(rows)
    made = Sources(
        document=rank(assessment, results, cases=known, evidence=evidence),
        assessment=assessment,
        results=results,
        cases=None,
        characteristics=known,
        read_evidence=lambda: evidence,
    )
    order = {"metric": "accuracy", "region": None, "task": None, "ranking": None, "key": "accuracy"}
    figure = exploring.hardness(made, order, made.document["rankings"][0])
    model = figure["remarks"][0]
    assert model.startswith("hits of trials ~ hard, random intercepts patient, case, algorithm, logit link")
    assert figure["layout"]["yaxis"]["ticktext"] == ["hard ***"]
    page = DocumentBuilder()
    hardness_section(page, made)
    assert any("hits of trials ~ hard, random intercepts patient" in str(block) for block in page.blocks)
