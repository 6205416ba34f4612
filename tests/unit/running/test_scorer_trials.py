"""The checks of scorers: a program that keeps to the rules passes, and each that breaks one is refused for it.

The programs run without containers here; tests/containers/test_scorers.py runs them in containers.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluation.problems.shown import worse_labels
from evaluation.readers import read_label_image
from evaluation.running.scorer_rows import ScorerError
from evaluation.running.scorer_trials import Answer, Presented, SelfTest, TrialCase, self_test
from tests.containers import own_scorer, scorers


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[TrialCase]:
    return scorers.trial_cases(tmp_path_factory.mktemp("trials"))


def tried(folder: Path, cases: list[TrialCase], mode: str = "") -> SelfTest:
    broken = folder / "broken"
    broken.write_bytes(b"")
    limits = dict.fromkeys(
        (
            "case_seconds",
            "start_seconds",
            "memory_bytes",
            "cpus",
            "gpus",
            "gpu_memory_bytes",
            "output_bytes",
            "scratch_bytes",
            "pids",
        ),
        1,
    )

    def start(presented: Sequence[Presented]) -> Answer:
        root = folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        for own in presented:
            for part, files in (("reference", own.reference), ("prediction", own.prediction)):
                (root / "input" / own.name / part).mkdir(parents=True)
                for name, path in files.items():
                    shutil.copy(path, root / "input" / own.name / part / name)
        (root / "output").mkdir()
        (root / "input" / "interface.json").write_text(json.dumps(scorers.document(limits)))
        if mode.startswith("hangs"):
            environment = {**os.environ, "ROOT": str(root), "MODE": mode}
            try:
                subprocess.run([sys.executable, str(scorers.PROGRAM)], check=True, env=environment, timeout=4)
            except subprocess.TimeoutExpired:
                return Answer(None, "It was ended at its time limit.", is_over_limits=True)
        else:
            own_scorer.ROOT, own_scorer.MODE = root, mode
            try:
                own_scorer.main()
            except SystemExit as ended:
                return Answer(None, f"It ended with exit status {ended.code}.")
        return Answer((root / "output" / "rows.jsonl").read_bytes())

    return self_test(scorers.declared([]), cases, start, broken=broken)


def test_a_scorer_that_keeps_to_the_rules_passes_all_checks(tmp_path: Path, cases: list[TrialCase]) -> None:
    test = tried(tmp_path, cases)

    assert test.said == {}
    assert [check["passed"] for check in test.document()["checks"]] == [True] * 9
    assert test.digest.startswith("sha256:")


@pytest.mark.parametrize("mode", scorers.BROKEN)
def test_each_broken_rule_is_refused_with_its_reason(tmp_path: Path, cases: list[TrialCase], mode: str) -> None:
    number, words = scorers.BROKEN[mode]

    test = tried(tmp_path, cases, mode)

    assert not test.is_passed
    assert words in test.said[number]


def test_too_few_cases_say_nothing(tmp_path: Path, cases: list[TrialCase]) -> None:
    with pytest.raises(ScorerError, match="at least 3 cases"):
        tried(tmp_path, cases[:2])


def test_predictions_for_trials_lie_on_the_grid_of_the_reference(tmp_path: Path) -> None:
    reference = scorers.EXAMPLE / "references" / f"{scorers.case_names(1)[0]}.nii.gz"

    paths = worse_labels(reference, tmp_path)

    grid = read_label_image(reference).geometry
    images = {name: read_label_image(path, expected=grid).labels for name, path in paths.items()}
    assert images["empty"].max() == 0
    assert images["all foreground"].min() == 1
    assert set(images["noise"].flat) == {0, 1, 2}
    assert len({image.tobytes() for image in images.values()}) == 4


def test_a_check_for_which_there_was_nothing_to_look_at_is_not_said_to_be_passed(
    tmp_path: Path, cases: list[TrialCase]
) -> None:
    verdicts = {own["number"]: own for own in tried(tmp_path, cases, "percent").document()["checks"]}

    assert (verdicts[4]["passed"], verdicts[4]["looked_at"]) == (False, True)
    assert (verdicts[2]["passed"], verdicts[2]["looked_at"]) == (False, False)
    assert (verdicts[3]["passed"], verdicts[3]["looked_at"]) == (True, True)
    assert all(own["passed"] for own in tried(tmp_path, cases).document()["checks"])
