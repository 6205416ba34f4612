"""Suspect references: planted faults come first, copies of an algorithm count once, and the commands list cases."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evaluation.cli import main
from evaluation.test_set_quality.agreement import dice, disagreements, make_panel, vote_share
from evaluation.test_set_quality.suspects import Case, Study, chances
from tests.performance.generated_organs import predictions, slices
from tests.performance.reference_faults import DEVELOPMENT, HELD_OUT, cut


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [Case(f"case{n:02}", labels, predictions(image), image) for n, (image, labels) in enumerate(slices(30, 11))]


@pytest.fixture(scope="module")
def study(cases: list[Case]) -> Study:
    return Study(cases, {"organ": (1,)})


def test_planted_faults_come_first(study: Study, cases: list[Case]) -> None:
    rng = np.random.default_rng(5)
    spoiled = {name: cut(case.reference, 0.5, rng) for case in cases if (name := case.name) in {"case03", "case17"}}
    report = study.suspects(spoiled)
    assert {item.case for item in report.cases[:2]} == set(spoiled)
    assert set(spoiled) <= {item.case for item in report.suspects}
    for item in report.cases[:2]:
        place, reference = item.spot.index, spoiled[item.case]
        assert item.spot.excess < 0
        assert not reference[place]
        assert dict(zip([case.name for case in cases], cases, strict=True))[item.case].reference[place]


def test_without_faults_few_are_listed(study: Study) -> None:
    report = study.suspects()
    assert len(report.suspects) <= 0.1 * len(report.cases)
    assert report.expected_false <= 0.1


def test_without_images_an_empty_reference_is_first(cases: list[Case]) -> None:
    plain = [Case(case.name, case.reference, case.predictions) for case in cases]
    report = Study(plain, {"organ": (1,)}).suspects({"case09": np.zeros_like(cases[9].reference)})
    assert report.cases[0].case == "case09"


def test_near_identical_algorithms_count_once(cases: list[Case]) -> None:
    voted = []
    for case in cases:
        copy = case.predictions["Otsu"].copy()
        copy[0, 0] = 1
        voted.append({**case.predictions, "copy": copy, "third": case.predictions["Otsu"]})
    names = sorted(voted[0])
    pairs = np.array([disagreements({name: [mask == 1] for name, mask in one.items()}, names) for one in voted])
    panel = make_panel(names, pairs)
    group = dict(zip(panel.names, panel.groups, strict=True))
    weight = dict(zip(panel.names, panel.weights, strict=True))
    assert group["copy"] == group["third"] == group["Otsu"]
    assert weight["copy"] == pytest.approx(weight["Otsu"])
    assert sum(panel.weights) == pytest.approx(1)
    assert panel.independent < len(names) - 1
    share = vote_share({name: mask == 1 for name, mask in voted[0].items()}, panel)
    assert share.min() >= 0
    assert share.max() <= 1 + 1e-9


def test_one_algorithm_and_its_copy_are_refused() -> None:
    pairs = np.zeros((5, 2, 2))
    with pytest.raises(ValueError, match="near-identical"):
        make_panel(["a", "b"], pairs)
    with pytest.raises(ValueError, match="at least 2"):
        make_panel(["a"], pairs[:, :1, :1])


def test_few_cases_are_refused(cases: list[Case]) -> None:
    with pytest.raises(ValueError, match="at least 20 cases"):
        Study(cases[:19], {"organ": (1,)})


def test_chances_of_exponential_scores_are_their_tail() -> None:
    """Scores with a known tail get the shares that the tail has."""
    scores = np.random.default_rng(6).exponential(size=20_000)
    chance = chances(scores)
    high = scores > 3
    assert chance[high] == pytest.approx(np.exp(-scores[high]), rel=0.35)


def test_kinds_of_faults_change_labels_and_are_told_apart(cases: list[Case]) -> None:
    rng = np.random.default_rng(7)
    assert not set(DEVELOPMENT) & set(HELD_OUT)
    reference = cases[0].reference
    for name, fault in {**DEVELOPMENT, **HELD_OUT}.items():
        if name != "swapped":  # needs two labels
            assert dice(fault(reference, 0.6, rng) > 0, reference > 0) < 0.98, name


def test_the_command_writes_all_cases(tmp_path: Path, cases: list[Case], capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(8)
    for number, case in enumerate(cases):
        labels = cut(case.reference, 0.6, rng) if number == 7 else case.reference
        image = np.clip(255 * case.image, 0, 255).astype(np.uint8)
        for folder, values in {
            "references": labels,
            "images": image,
            **{f"predictions/{name}": mask for name, mask in case.predictions.items()},
        }.items():
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            Image.fromarray(values).save(tmp_path / folder / f"{case.name}.png")
    places = [f"--{name}={tmp_path / name}" for name in ("references", "predictions", "images")]
    assert main(["suspects", *places, "--output", str(tmp_path / "suspects.json")]) == 0
    document = json.loads((tmp_path / "suspects.json").read_text())
    assert len(document["cases"]) == 30
    first = [case["case"] for case in document["cases"][:3]]
    assert "case07" in first
    assert "case07, 1: " in capsys.readouterr().out
