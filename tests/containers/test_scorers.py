"""A scorer of one's own in real containers: the rows of the built-in metric, and broken ones refused."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from confinement.containers import making
from confinement.containers.limits import RunLimits
from confinement.containers.removing import remove_tree
from confinement.containers.scoring import ScorerCase, run_scorer
from confinement.limits import MIB
from evaluation import problems, rank
from evaluation.assessment import parse
from evaluation.running.scorer_declared import declared_of, expected, interface_of
from evaluation.running.scorer_rows import Declared, DeclaredMetric, Row, read_rows
from evaluation.running.scorer_trials import Answer, Presented, self_test
from evaluation.scoring import read_results, score_folders, write_results
from tests.containers import scorers
from tests.containers.machine import Machine

pytestmark = pytest.mark.engine

LIMITS = RunLimits(case_seconds=2, start_seconds=3, memory_bytes=256 * MIB, cpus=2, pids=64, output_bytes=16 * MIB)
ALGORITHMS = ("mean-atlas", "multi-atlas-25", "boosted-trees")
CASES = 6


@pytest.fixture(scope="module")
def base() -> making.Layer:
    return making.python()


def image(machine: Machine, base: making.Layer, mode: str = "") -> str:
    program = making.layer([making.Entry("opt/scorer.py", scorers.PROGRAM.read_bytes(), 0o755)])
    return machine.load(
        making.image(
            [base, program],
            entrypoint=["/usr/bin/python3", "/opt/scorer.py"],
            env=["PATH=/usr/bin:/bin", f"MODE={mode}"],
            labels={"org.podium.interface": "podium-score-1"},
        )
    )


def rows_of(machine: Machine, image_id: str, algorithm: str, cases: list[str]) -> list[Row]:
    """Rows of an algorithm, all digits kept."""
    machine.started += 1
    lease = f"score-{machine.started}"
    answer = run_scorer(
        machine.engine,
        machine.folder / lease,
        batch=lease,
        lease=lease,
        image_id=image_id,
        cases=[
            ScorerCase(
                name,
                {scorers.FILE: scorers.EXAMPLE / "references" / f"{name}.nii.gz"},
                {scorers.FILE: scorers.EXAMPLE / "predictions" / algorithm / f"{name}.nii.gz"},
            )
            for name in cases
        ],
        interface=scorers.document(LIMITS.described()),
        limits=LIMITS,
    )
    assert answer.rows is not None, answer.failure + answer.report.log.text()
    remove_tree(machine.folder / lease)
    declared = Declared([DeclaredMetric.read(scorers.METRIC)], [own["name"] for own in scorers.REGIONS], cases)
    return read_rows(answer.rows, declared, digits=None)


def test_dice_of_a_scorer_gives_the_rows_and_the_ranking_of_the_built_in_metric(
    machine: Machine, base: making.Layer, tmp_path: Path
) -> None:
    own, cases = image(machine, base), scorers.case_names(CASES)
    references = tmp_path / "references"
    references.mkdir()
    for name in cases:
        (references / f"{name}.nii.gz").symlink_to(scorers.EXAMPLE / "references" / f"{name}.nii.gz")
    folders = {name: scorers.EXAMPLE / "predictions" / name for name in ALGORITHMS}
    built_in = score_folders(parse(scorers.assessment()), references, folders).rows
    rows = {(name, row.case, row.region): row for name in ALGORITHMS for row in rows_of(machine, own, name, cases)}

    assert len(built_in) == len(rows) == len(ALGORITHMS) * CASES * 2
    for row in built_in:
        other = rows[row.algorithm, row.case, row.region]
        assert other.outcome == row.outcome
        assert other.value == pytest.approx(row.value, abs=1e-12)

    write_results(built_in, tmp_path / "built-in.csv")
    table = read_results(tmp_path / "built-in.csv")
    lines = ["algorithm,case,region,metric,value,outcome,image_diagonal"]
    lines += [f"{name},{case},{region},own-dice,{row.value!r},ok," for (name, case, region), row in rows.items()]
    (tmp_path / "own.csv").write_text("\n".join(lines).replace("own-dice", "own_dice") + "\n")
    policy = {"missing": 0}
    declared = {
        "id": "own_dice",
        "label": "own_dice",
        "direction": "higher",
        "range": [0, 1],
        "policy": policy,
    }
    assessment = scorers.assessment() | {"metrics": [declared], "problem": "external", "settings": {"source": "scorer"}}
    assessment["regions"] = [{"name": own["name"]} for own in scorers.REGIONS]
    first = rank(scorers.assessment(), table, bootstrap=100, seed=1)
    second = rank(assessment, read_results(tmp_path / "own.csv"), bootstrap=100, seed=1)

    assert _what_counts(first) == _what_counts(second)


def _what_counts(document: dict) -> list:
    """Scores, ranks, sets and winner."""
    own = json.loads(json.dumps(document))
    found = [
        [(one["name"], round(one["score"], 10), one["rank"], one["rank_interval"]) for one in entry["algorithms"]]
        for entry in own["rankings"]
    ]
    return [*found, [(one["name"], one["rank"], one["rank_interval"]) for one in own["overall"]["algorithms"]]]


@pytest.mark.parametrize("kind", ["object_detection", "image_to_image", "image_classification"])
def test_other_kinds_of_problem_in_containers(machine: Machine, base: making.Layer, tmp_path: Path, kind: str) -> None:
    scorer, assessment = image(machine, base), scorers.example(kind, tmp_path / "example")
    declared = declared_of(assessment)
    broken = tmp_path / "broken"
    broken.write_bytes(b"")

    def start(presented: Sequence[Presented]) -> Answer:
        files = sorted({name for one in presented for name in (*one.reference, *one.prediction)})
        document = interface_of(
            declared,
            [one.name for one in presented],
            stems_and_kinds=problems.get(kind).scorer_files.stems_and_kinds,
            files=files,
            limits=LIMITS.described(),
        )
        return answer_of(machine, scorer, presented, document)

    cases = scorers.cases_of(assessment, tmp_path / "example", tmp_path / "made")
    assert self_test(expected(declared, []), cases, start, broken=broken).said == {}


def answer_of(machine: Machine, image_id: str, presented: Sequence[Presented], document: dict) -> Answer:
    """Start the image on the presented cases and return its answer."""
    machine.started += 1
    lease = f"trial-{machine.started}"
    answer = run_scorer(
        machine.engine,
        machine.folder / lease,
        batch=lease,
        lease=lease,
        image_id=image_id,
        cases=[ScorerCase(one.name, one.reference, one.prediction) for one in presented],
        interface=document,
        limits=LIMITS,
    )
    assert answer.report.fault == ""
    remove_tree(machine.folder / lease)
    return Answer(answer.rows, answer.failure, answer.report.timed or answer.report.out_of_memory)


@pytest.mark.parametrize("mode", ["", "hangs at noise"])
def test_self_test_in_containers(machine: Machine, base: making.Layer, tmp_path: Path, mode: str) -> None:
    own = image(machine, base, mode)
    broken = tmp_path / "broken"
    broken.write_bytes(b"")

    def start(presented: Sequence[Presented]) -> Answer:
        return answer_of(machine, own, presented, scorers.document(LIMITS.described()))

    test = self_test(scorers.declared([]), scorers.trial_cases(tmp_path / "made"), start, broken=broken)

    if not mode:
        assert test.said == {}
    else:
        number, words = scorers.BROKEN[mode]
        assert words in test.said[number]
