"""Configurations of other platforms: made here with the published structure, and read as drafts of a design."""

import io
import json
import time
import zipfile

import pytest

from evaluation.cli import main
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json
from evaluation.importing import TableError
from evaluation.importing.configurations import read_configuration

CODABENCH = """
version: 2
title: Hippocampus segmentation
image: images/logo.png
terms: pages/terms.md
description: <p>Segment the <b>hippocampus</b> in MRI.</p>
contact_email: organizer@example.org
reward: $1000
pages:
  - title: Overview
    file: pages/overview.md
tasks:
  - index: 0
    name: Segmentation
    description: Label anterior and posterior.
    reference_data: reference/
    scoring_program: scoring.zip
phases:
  - index: 1
    name: Final phase
    start: 2027-03-02 00:00:00
    end: 2027-04-01 23:59:00
    max_submissions: 3
    max_submissions_per_day: 1
    accepts_only_result_submissions: True
    tasks: [0]
  - index: 0
    name: Development phase
    start: 2027-01-12 13:30:00
    end: 2027-03-01
    max_submissions: 100
    max_submissions_per_day: 5
    accepts_only_result_submissions: True
    tasks: [0]
leaderboards:
  - title: Results
    key: main
    columns:
      - {title: Dice, key: dice, index: 0, sorting: desc}
      - {title: HD95, key: hd95, index: 1, sorting: asc}
"""
CODALAB = """
title: Time series
description: Predict.
end_date: null
html: {terms: terms.txt}
phases:
  1:
    phasenumber: 1
    label: Development
    start_date: 2019-01-01
    max_submissions_per_day: 5
  2:
    phasenumber: 2
    label: Final
    start_date: 2019-09-30
    max_submissions_per_day: 5
leaderboard:
  leaderboards:
    Results: &RESULTS {label: RESULTS, rank: 1}
  columns:
    prediction_score: {leaderboard: *RESULTS, label: Prediction score, numeric_format: 4, rank: 1}
    Duration: {leaderboard: *RESULTS, label: Duration, numeric_format: 2, rank: 2}
"""
EVALAI = """
title: Nuclei
short_description: Find nuclei.
description: templates/description.html
evaluation_script: evaluation_script.zip
is_docker_based: false
start_date: 2027-01-01 00:00:00
end_date: 2027-06-01 00:00:00
tags: [microscopy, nuclei]
leaderboard:
  - id: 1
    schema: {"labels": ["PQ", "seconds"], "default_order_by": "PQ",
             "metadata": {"PQ": {"sort_ascending": false, "description": "Panoptic quality"},
                          "seconds": {"sort_ascending": true}}}
challenge_phases:
  - id: 1
    name: Test phase
    description: templates/phase.html
    codename: test
    start_date: 2027-01-01 00:00:00
    end_date: 2027-06-01 00:00:00
    test_annotation_file: annotations/test.json
    max_submissions_per_day: 2
    max_submissions: 10
dataset_splits:
  - {id: 1, name: Test split, codename: test}
challenge_phase_splits:
  - {challenge_phase_id: 1, leaderboard_id: 1, dataset_split_id: 1, visibility: 3,
     leaderboard_decimal_precision: 2, is_leaderboard_order_descending: true}
"""


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


GOOD = {
    "Codabench": ("competition.yaml", CODABENCH.encode(), "Hippocampus segmentation", 2),
    "Codabench bundle": (
        "bundle.zip",
        zipped({"hippo/competition.yaml": CODABENCH, "hippo/pages/terms.md": "x", "hippo/reference.zip": "y"}),
        "Hippocampus segmentation",
        2,
    ),
    "CodaLab 1.5": ("competition.yaml", CODALAB.encode(), "Time series", 2),
    "EvalAI": ("challenge_config.yaml", EVALAI.encode(), "Nuclei", 2),
    "EvalAI archive": ("challenge.zip", zipped({"zip_challenge.yaml": EVALAI, "logo.png": "x"}), "Nuclei", 2),
    "EvalAI, no order stated": (
        "challenge_config.yml",
        EVALAI.replace('"sort_ascending": false, ', "").replace('{"sort_ascending": true}', "{}").encode(),
        "Nuclei",
        2,
    ),
}
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(12)
)
BAD = {
    "Codabench without a title": (CODABENCH.replace("title: Hippocampus segmentation\n", "").encode(), "has no title"),
    "Codabench, phases as text": (
        b"title: x\nphases: soon\nleaderboards: []\n",
        "“phases” holds no list of entries",
    ),
    "EvalAI, an unknown leaderboard": (
        EVALAI.replace("leaderboard_id: 1", "leaderboard_id: 4").encode(),
        "split 1 refers to a phase or a leaderboard that does not exist",
    ),
    "EvalAI without labels": (EVALAI.replace('"labels"', '"names"').encode(), "no “labels” in its schema"),
    "another configuration": (b"name: x\non: [push]\n", "this is YAML with the keys 'name', "),
    "JSON": (b'{"title": "x"}', "this is JSON and no configuration in YAML"),
    "text": (b"Hello", "this YAML holds no named entries"),
    "broken YAML": (b"title: x\nphases: [1, 2\nleaderboards: 3", "this is no readable YAML"),
    "a program's object": (b"title: !!python/object/apply:os.system ['id']\nphases: 1", "this is no readable YAML"),
    "a billion values": (LAUGHS.encode(), "its aliases written out"),
    "an alias of itself": (b"title: x\nphases: &p [*p]\nleaderboards: 1\n", "refers to itself"),
    "a key twice": (b"title: x\ntitle: y\n", "line 2 names the key 'title' a second time"),
    "depth": (b"title: " + b"[" * 40 + b"]" * 40, "more than 30 levels"),
    "a large file": (b"title: " + b"x" * (2 << 20), "at most 1,048,576 are read"),
    "an archive without one": (zipped({"a.txt": "x"}), "without competition.yaml or challenge_config.yaml"),
    "two in an archive": (
        zipped({"a/competition.yaml": "x", "b/competition.yaml": "y"}),
        "the archive holds two configurations",
    ),
    "a damaged archive": (zipped({"competition.yaml": CODABENCH})[:70], "it is damaged"),
}


@pytest.mark.parametrize("case", GOOD)
def test_a_configuration_becomes_a_draft_that_can_be_imported(case):
    name, content, title, columns = GOOD[case]
    draft = read_configuration(name, content)
    document, problems = from_json(draft.document(), catalogue=shipped())
    assert not problems
    assert document.challenge["challenge_name"].value == title
    [task] = document.each_task()
    assert len(task.rows("metrics")) == columns
    assert task.rows("metrics")[0]["name"]["other"] in {"Dice", "Prediction score", "PQ"}
    assert draft.questions


def test_phases_limits_and_directions_are_those_of_the_file():
    draft = read_configuration("competition.yaml", CODABENCH.encode())
    document = draft.document()
    assert document["challenge"]["challenge_schedule"] == [
        {"event": "submission_open", "date": "2027-01-12", "time": "13:30 UTC", "phase": "Development phase"},
        {"event": "submission_deadline", "date": "2027-03-01", "phase": "Development phase"},
        {"event": "submission_open", "date": "2027-03-02", "time": "00:00 UTC", "phase": "Final phase"},
        {"event": "submission_deadline", "date": "2027-04-01", "time": "23:59 UTC", "phase": "Final phase"},
    ]
    assert document["challenge"]["challenge_abstract"] == "Segment the hippocampus in MRI."
    assert "max_submissions" not in document["challenge"]
    assert any("How many submissions count" in question for question in draft.questions)
    assert [row["orientation"] for row in document["tasks"][0]["metrics"]] == ["higher", "lower"]
    evalai = read_configuration("challenge_config.yaml", EVALAI.encode()).document()
    assert evalai["challenge"]["max_submissions"] == 10
    assert evalai["challenge"]["challenge_keywords"] == ["microscopy", "nuclei"]


def test_what_is_not_stated_is_asked():
    name, content, _, _ = GOOD["EvalAI, no order stated"]
    draft = read_configuration(name, content)
    rows = draft.document()["tasks"][0]["metrics"]
    # The order of the leaderboard is that of its default column; nothing is known of the other.
    assert [row.get("orientation") for row in rows] == ["higher", None]
    assert any("Which values of seconds are better" in question for question in draft.questions)
    ambiguous = read_configuration("c.yaml", CODABENCH.replace("2027-01-12 13:30:00", "8-7-2027").encode())
    assert any("“8-7-2027”" in question for question in ambiguous.questions)


@pytest.mark.parametrize("case", BAD)
def test_anything_else_is_refused_for_what_it_is(case):
    content, reason = BAD[case]
    start = time.monotonic()
    with pytest.raises(TableError) as refusal:
        read_configuration("file.yaml", content)
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert time.monotonic() - start < 20


def test_the_command_writes_a_design_that_it_can_check(tmp_path, capsys):
    source, target = tmp_path / "competition.yaml", tmp_path / "design.json"
    source.write_text(CODABENCH, encoding="utf-8")
    assert main(["design", "import", str(source), "--output", str(target)]) == 0
    assert "open: Which metric of the catalogue" in capsys.readouterr().err
    assert json.loads(target.read_text())["challenge"]["challenge_name"] == "Hippocampus segmentation"
    assert main(["design", "check", str(target)]) == 1
    assert "Essential parameters filled" in capsys.readouterr().out
