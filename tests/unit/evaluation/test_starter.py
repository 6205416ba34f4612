"""Starter kits: their programs run, and score the sample data as the platform does, for every kind of problem."""

import json
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest
from podium_client import Challenge

from evaluation.aggregation.summary import summarize
from evaluation.assessment import parse
from evaluation.assessment.columns import grouping_columns
from evaluation.problems import get, kind_of
from evaluation.problems.registered_examples import names_of_cases, write_characteristics
from evaluation.rehearsal.running import frame_of
from evaluation.rehearsal.sample_sets import score, seal, validate
from evaluation.starter import KitFacts, NoKitError, kit_files, packed
from tests.rehearsals.designs import KINDS
from tests.unit.evaluation.test_rehearsal import accepted

FACTS = KitFacts('Liver "and" tumour', "liver", "https://podium.example.org/challenges/liver/", "Final phase", "final")


def assessments():
    for kind in KINDS:
        yield pytest.param(lambda kind=kind: next(accepted(kind))[1], id=kind.id)
    for name in ("landmark_registration", "overlapping_instances"):
        yield pytest.param(lambda name=name: of_variant(name), id=name)


def of_variant(name):
    """The assessment that a kind writes its own small challenge for."""
    import tempfile
    from importlib import import_module
    from pathlib import Path

    problem = import_module(f"evaluation.problems.{name}").PROBLEM
    with tempfile.TemporaryDirectory() as folder:
        return parse(problem.samples.write_challenge(Path(folder)))


def unpacked(assessment, folder, facts=FACTS):
    zipfile.ZipFile(BytesIO(packed(kit_files(assessment, facts), "kit"))).extractall(folder)
    return folder / "kit"


@pytest.mark.parametrize("assessment_of", list(assessments()))
def test_the_kit_scores_its_sample_as_the_platform_does(assessment_of, tmp_path, monkeypatch):
    document = assessment_of().document
    assessment = parse({**document, "uncertainty": {**(document.get("uncertainty") or {}), "bootstrap": 5}})
    kit = unpacked(assessment, tmp_path)
    monkeypatch.chdir(kit)
    run(kit / "predict.py")
    scored = Challenge("assessment.json").score("predictions", "sample/references")

    number = kind_of(assessment).samples.cases_of(assessment)
    (tmp_path / "references").mkdir()
    facts = write_characteristics(assessment, tmp_path, number)
    test_set = seal(assessment, kit / "sample/references", names_of_cases(number), facts)
    validated = validate(test_set, kit / "predictions")
    assert validated.findings == []
    rows, _ = score(test_set, validated, "predictions")
    here = {(row.case, row.region, row.metric): (row.value, str(row.outcome)) for row in scored.folders.rows}
    there = {(row.case, row.region, row.metric): (row.value, str(row.outcome)) for row in rows}
    assert here == there
    frame, metadata = frame_of(rows), None
    if grouping_columns(assessment):
        import pandas as pd

        metadata = pd.DataFrame([{"case": case, **values} for case, values in facts.items()])
    assert scored.document["algorithms"][0]["values"] == summarize(assessment, frame, metadata)["values"]


def run(program, *arguments, cwd=None):
    environment = {"PYTHONPATH": ":".join(entry for entry in sys.path if entry), "PATH": ""}
    done = subprocess.run(
        [sys.executable, str(program), *map(str, arguments)],
        cwd=cwd or program.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SEGMENTATION = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "a", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
    "uncertainty": {"bootstrap": 5},
}


def test_the_program_and_the_notebook_print_the_same_value(tmp_path, monkeypatch, capsys):
    kit = unpacked(parse(SEGMENTATION), tmp_path)
    run(kit / "predict.py")
    printed = run(kit / "score.py")
    scored = Challenge(kit / "assessment.json").score(kit / "predictions", kit / "sample/references")
    assert f"dsc, a: {scored.document['algorithms'][0]['values'][0]['value']:.6g}" in printed
    notebook = json.loads((kit / "score.ipynb").read_text())
    code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert 'Challenge("assessment.json").score("predictions", "sample/references")' in code[1]
    monkeypatch.chdir(kit)
    exec(code[1], {})
    assert capsys.readouterr().out == printed


def test_the_instructions_name_format_rule_and_commands(tmp_path):
    text = (unpacked(parse(SEGMENTATION), tmp_path) / "README.md").read_text()
    assert text.startswith('# Starter kit: Liver "and" tumour\n')
    assert "https://podium.example.org/challenges/liver/" in text
    assert "podium submit liver final predictions/ --watch" in text
    assert "podium login https://podium.example.org\n" in text
    assert "named `<case>.nii.gz`" in text


def interface(**more):
    from evaluation.running.interface import LIMITS, Socket, interface_document

    image, prediction = Socket("image", "image", ".nii.gz"), Socket("segmentation", "label_image", ".nii.gz")
    return interface_document([image], [prediction], limits=dict.fromkeys(LIMITS, 1), cases=[], **more)


def test_the_container_writes_the_files_that_the_interface_names(tmp_path):
    document = interface()
    facts = KitFacts(FACTS.title, FACTS.slug, FACTS.address, FACTS.phase, FACTS.phase_slug, document)
    kit = unpacked(parse(SEGMENTATION), tmp_path, facts)
    assert "COPY . /opt/algorithm" in (kit / "Dockerfile").read_text()
    given, written = tmp_path / "input", tmp_path / "output"
    (given / "c1").mkdir(parents=True)
    (given / "interface.json").write_text(json.dumps(document | {"cases": [{"case": "c1", "inputs": {}}]}))
    program = (
        (kit / "run.py")
        .read_text()
        .replace('Path("/input"), Path("/output")', f"Path({str(given)!r}), Path({str(written)!r})")
    )
    (kit / "run.py").write_text(program)
    run(kit / "run.py")
    assert [path.name for path in (written / "c1").iterdir()] == ["segmentation.nii.gz"]


def test_the_same_assessment_gives_the_same_archive():
    files = {"b": b"2", "a": b"1"}
    assert packed(files, "kit") == packed(dict(reversed(files.items())), "kit")


def test_values_measured_outside_have_no_kit():
    document = {"problem": "external", "metrics": [{"id": "m", "direction": "higher"}]}
    assert not get("external").is_scored
    with pytest.raises(NoKitError, match="measured outside"):
        kit_files(parse(document), FACTS)
