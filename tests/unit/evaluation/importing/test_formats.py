"""Results files of other platforms: made here with the published structure, read, and ranked as their values are.

For each format three files become a ranking, and two broken ones are refused for what they are.
"""

import csv
import io
import itertools
import json
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

from evaluation import rank
from evaluation.cli import main
from evaluation.importing import (
    TableError,
    analyse,
    arrange,
    assessment_of,
    guess_roles,
    read_choices,
    read_results_file,
    read_sheet,
    suggest_metrics,
)
from evaluation.importing.sheets import SheetLimits

METHODS = ("unet", "swin", "atlas")
CASES = tuple(f"hippocampus_{number:03d}" for number in range(1, 9))
RANDOM = np.random.default_rng(11)
VALUES = {
    (method, case, region): round(float(value), 5)
    for (method, case, region), value in zip(
        itertools.product(METHODS, CASES, ("1", "2")), RANDOM.beta(9, 2, 48), strict=True
    )
}


def one(method, case):
    return VALUES[method, case, "1"]


def mean(method):
    return math.fsum(one(method, case) for case in CASES) / len(CASES)


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, bytes) else content.encode())
    return stream.getvalue()


def table_text(rows, sign=","):
    stream = io.StringIO()
    csv.writer(stream, delimiter=sign, lineterminator="\r\n").writerows(rows)
    return stream.getvalue()


# nnU-Net --------------------------------------------------------------------------------------------------------------


def nnunet(method, *, regions=("1", "2")):
    cases = [
        {
            "metrics": {
                region: {
                    "Dice": VALUES[method, case, "1" if region.startswith("(") else region],
                    "FN": 12,
                    "FP": 9,
                    "IoU": 0.5,
                    "TN": 10_000,
                    "TP": 80,
                    "n_pred": 89,
                    "n_ref": 92,
                }
                for region in regions
            },
            "prediction_file": f"/data/results/{method}/validation/{case}.nii.gz",
            "reference_file": f"/data/raw/Dataset004_Hippocampus/labelsTr/{case}.nii.gz",
        }
        for case in CASES
    ]
    means = {region: {"Dice": 0.8, "IoU": 0.5} for region in regions}
    return json.dumps({"foreground_mean": {"Dice": 0.8}, "mean": means, "metric_per_case": cases}, indent=4)


def nnunet_of_version_1(method):
    entries = [
        {
            **{
                region: {"Dice": VALUES[method, case, region], "Precision": 0.9, "Total Positives Test": 91.0}
                for region in ("1", "2")
            },
            "reference": f"/raw/labelsTs/{case}.nii.gz",
            "test": f"C:\\runs\\{method}\\{case}.nii.gz",
        }
        for case in CASES
    ]
    head = {"author": "Fabian", "description": "", "id": "cd0b", "name": method, "task": "Task004", "timestamp": "2020"}
    return json.dumps(head | {"results": {"all": entries, "mean": {"1": {"Dice": 0.8}}}})


NNUNET = {
    "version 2": zipped({f"runs/{m}/validation/summary.json": nnunet(m) for m in METHODS}),
    "version 2 with regions": zipped({f"{m}.json": nnunet(m, regions=("(1, 2)",)) for m in METHODS}),
    "version 1": zipped({f"{m}/summary.json": nnunet_of_version_1(m) for m in METHODS}),
}


# Grand Challenge ------------------------------------------------------------------------------------------------------


def metrics_of_forge(method):
    results = [{"case": case, "metrics": {"Dice": one(method, case)}} for case in CASES]
    return {"results": results, "aggregates": {"Dice": mean(method)}}


def metrics_of_evalutils(method):
    columns = {
        "Dice": {str(index): one(method, case) for index, case in enumerate(CASES)},
        "fname": {str(index): f"{case}.mha" for index, case in enumerate(CASES)},
    }
    return {"case": columns, "aggregates": {"Dice": {"mean": mean(method), "std": 0.1, "25%": 0.6}}}


def evaluation(number, creator, metrics, status="Succeeded"):
    phase = {"challenge": {"title": "Hippocampus", "short_name": "hippo"}, "title": "Final", "slug": "final"}
    interface = {"title": "Metrics JSON File", "slug": "metrics-json-file", "kind": "Anything", "pk": 8}
    return {
        "pk": f"e{number}",
        "method": "https://grand-challenge.org/api/v1/methods/1/",
        "submission": {
            "pk": f"s{number}",
            "phase": phase,
            "created": "2025-05-01T10:00:00Z",
            "creator": {"username": creator},
            "comment": "",
            "predictions_file": None,
            "supplementary_file": "",
            "publication_url": "",
        },
        "created": "2025-05-01T11:00:00Z",
        "published": True,
        "rank": number,
        "rank_score": 1.0,
        "outputs": [{"interface": interface, "value": metrics, "file": None, "image": None, "pk": 5}]
        if metrics
        else [],
        "rank_per_metric": {},
        "status": status,
    }


EXPORT = [
    *(evaluation(number, method, metrics_of_forge(method)) for number, method in enumerate(METHODS, start=1)),
    evaluation(4, "unet", None, status="Failed"),
]
GRAND_CHALLENGE = {
    "files of methods": zipped({f"{m}/metrics.json": json.dumps(metrics_of_forge(m)) for m in METHODS}),
    "data frames by method": json.dumps({m: metrics_of_evalutils(m) for m in METHODS}).encode(),
    "export of evaluations": json.dumps({"count": 4, "next": None, "previous": None, "results": EXPORT}).encode(),
}


# Values of the whole data set: Codabench, EvalAI, Kaggle --------------------------------------------------------------


def codabench_row(method, task="Segmentation(17)"):
    return {f"{task}-Dice": f"{mean(method):.10f}", f"{task}-Duration": "12.0000000000"}


def codabench_phase():
    columns = [
        {"id": 1, "title": "Dice", "key": "dice", "sorting": "desc", "index": 0, "computation": None, "hidden": False},
        {
            "id": 2,
            "title": "Seconds",
            "key": "time",
            "sorting": "asc",
            "index": 1,
            "computation": None,
            "hidden": False,
        },
    ]
    submissions = [
        {
            "id": 100 + number,
            "parent": None,
            "owner": method,
            "task": 17,
            "fact_sheet_answers": None,
            "scores": [
                {"id": 1, "index": 0, "score": f"{mean(method):.10f}", "column_key": "dice"},
                {"id": 2, "index": 1, "score": str(10 + number), "column_key": "time"},
            ],
        }
        for number, method in enumerate(METHODS)
    ]
    tasks = [{"id": 17, "name": "Segmentation"}]
    board = {"id": 9, "title": "Results", "key": "main"}
    phase = {"id": 3, "name": "Final", "leaderboard": board, "primary_index": 0}
    return phase | {"submissions": submissions, "tasks": tasks, "columns": columns}


CODABENCH_CSV = table_text(
    [
        ["Username", "fact_sheet_answers", *codabench_row("unet")],
        *([f"{m}-{100 + n}", "", *codabench_row(m).values()] for n, m in enumerate(METHODS)),
    ]
)
CODABENCH = {
    "CSV": CODABENCH_CSV.encode(),
    "JSON": json.dumps(
        {"Results - Final(3)": {f"{m}-{100 + n}": codabench_row(m) for n, m in enumerate(METHODS)}}
    ).encode(),
    "leaderboard of the interface": json.dumps(codabench_phase()).encode(),
}


def evalai_entry(number, method, *, labels=("dice", "seconds"), metadata=None):
    schema = {"labels": list(labels), "default_order_by": labels[0]}
    return {
        "id": number,
        "submission__participant_team": number,
        "submission__participant_team__team_name": method,
        "challenge_phase_split": 70,
        "result": [mean(method), 10.0 + number],
        "error": None,
        "filtering_score": mean(method),
        "filtering_error": 0,
        "submission__submitted_at": "2025-01-01T00:00:00Z",
        "leaderboard__schema": schema | ({"metadata": metadata} if metadata else {}),
    }


EVALAI_HEAD = [
    *("id", "Team Name", "Team Members", "Team Members Email Id", "Team Members Affiliaton", "Challenge Phase"),
    *("Status", "Created By", "Execution Time(sec.)", "Submission Number", "Submitted File", "Stdout File"),
    *("Stderr File", "Environment Log File", "Submitted At", "Submission Result File", "Submission Metadata File"),
    *("Method Name", "Method Description", "Publication URL", "Project URL", "Submission Meta Attributes"),
]


def evalai_row(number, method, status="finished"):
    known = {
        "id": number,
        "Team Name": method,
        "Challenge Phase": "Test",
        "Status": status,
        "Submission Result File": f"https://example.org/media/submission_{number}/result_{number}.json",
    }
    return [known.get(column, "") for column in EVALAI_HEAD]


def evalai_files(*, as_python=False, results=True):
    rows = [evalai_row(number, method) for number, method in enumerate(METHODS, start=1)]
    files = {"all_submissions.csv": table_text([EVALAI_HEAD, *rows, evalai_row(9, "unet", "failed")])}
    for number, method in enumerate(METHODS, start=1):
        result = [{"test_split": {"dice": mean(method), "seconds": 10 + number}}]
        files[f"files/result_{number}.json"] = repr(result) if as_python else json.dumps(result)
    return files if results else {"all_submissions.csv": files["all_submissions.csv"]}


SORTED = {"dice": {"sort_ascending": False, "description": "Dice"}, "seconds": {"sort_ascending": True}}
EVALAI = {
    "leaderboard": json.dumps(
        {
            "count": 3,
            "next": None,
            "results": [evalai_entry(n, m, metadata=SORTED) for n, m in enumerate(METHODS, start=1)],
        }
    ).encode(),
    "submissions with result files": zipped(evalai_files()),
    "submissions with printed result files": zipped(evalai_files(as_python=True)),
}

RANKED = sorted(METHODS, key=mean, reverse=True)
KAGGLE_HEAD = ["Rank", "TeamId", "TeamName", "LastSubmissionDate", "Score", "SubmissionCount", "TeamMemberUserNames"]
KAGGLE_ROWS = [
    [rank_, 1000 + rank_, method, "2024-01-31 23:59:59", f"{mean(method):.5f}", 12, "ada,grace"]
    for rank_, method in enumerate(RANKED, start=1)
]
KAGGLE = {
    "of the page": ("\ufeff" + table_text([KAGGLE_HEAD, *KAGGLE_ROWS])).encode(),
    "of the command line": table_text(
        [
            ["teamId", "teamName", "submissionDate", "score"],
            *(row[1:5] for row in KAGGLE_ROWS),
        ]
    ).encode(),
    "in a ZIP archive": zipped(
        {"hippocampus-publicleaderboard-2024-01-31T235959.csv": table_text([KAGGLE_HEAD, *KAGGLE_ROWS])}
    ),
}


# Tables of cases: challengeR, MONAI, JSON lines -----------------------------------------------------------------------


def monai(method, *, classes=("class0", "class1"), sign=","):
    rows = [["filename", *classes, "mean"]]
    for case in CASES:
        values = [VALUES[method, case, str(number)] for number in range(1, len(classes) + 1)]
        shown = [*values, math.fsum(values) / len(values)]
        rows.append([f"/data/labels/{case}.nii.gz", *(f"{value:.5f}" for value in shown)])
    return table_text(rows, sign)


MONAI = {
    "two classes": zipped({f"{m}/mean_dice_raw.csv": monai(m) for m in METHODS}),
    "one class": zipped({f"runs/{m}/out/mean_dice_raw.csv": monai(m, classes=("class0",)) for m in METHODS}),
    "tabs": zipped({f"{m}.v1/mean_dice_raw.csv": monai(m, sign="\t") for m in METHODS}),
}
CHALLENGER = {
    "as challengeR writes it": table_text(
        [
            ["", "task", "alg_name", "value", "case"],
            *([n, "c_ideal", m, one(m, c), c] for n, (m, c) in enumerate(itertools.product(METHODS, CASES), start=1)),
        ]
    ).encode(),
    "without an index": table_text(
        [
            ["task", "alg_name", "case", "value"],
            *(["hippocampus", m, c, one(m, c)] for m, c in itertools.product(METHODS, CASES)),
        ]
    ).encode(),
    "semicolons": table_text(
        [
            ["alg_name", "case", "value"],
            *([m, c, str(one(m, c)).replace(".", ",")] for m, c in itertools.product(METHODS, CASES)),
        ],
        ";",
    ).encode(),
}
ENTRIES = [{"algorithm": m, "case": c, "dice": one(m, c)} for m, c in itertools.product(METHODS, CASES)]
JSON_LINES = {
    "one object per line": "\n".join(map(json.dumps, ENTRIES)).encode(),
    "nested metrics": "\n".join(
        json.dumps({"model": e["algorithm"], "image_id": e["case"], "metrics": {"dice": e["dice"]}}) for e in ENTRIES
    ).encode(),
    "a list of objects": json.dumps(ENTRIES).encode(),
}
SINGLE_CASES = {
    "nnU-Net": NNUNET,
    "Grand Challenge": GRAND_CHALLENGE,
    "MONAI": MONAI,
    "challengeR": CHALLENGER,
    "JSON lines": JSON_LINES,
}
WHOLE = {"Codabench": CODABENCH, "EvalAI": EVALAI, "Kaggle": KAGGLE}
BAD = {
    "nnU-Net, means alone": (
        "summary.json",
        json.dumps({"foreground_mean": {"Dice": 0.9}, "metric_per_case": []}),
        "this is nnU-Net's summary.json, and it holds means",
    ),
    "nnU-Net, cut off": ("summary.json", nnunet("unet")[:300], "this is JSON, and it cannot be read"),
    "Grand Challenge, one page of two": (
        "evaluations.json",
        json.dumps({"count": 45, "next": "https://…", "results": EXPORT}),
        "4 of 45 evaluations",
    ),
    "Grand Challenge, cases without names": (
        "metrics.json",
        json.dumps([{"results": [{"Dice": 0.5}, {"Dice": 0.6}], "aggregates": {}} for _ in METHODS]),
        "does not name its case",
    ),
    "Codabench, a bundle": (
        "bundle.zip",
        zipped({"competition.yaml": "title: x", "a/scores.json": "{}"}),
        "this is a Codabench bundle",
    ),
    "Codabench, other columns": (
        "leaderboard.csv",
        table_text([["Username", "fact_sheet_answers", "Dice"], ["ada-1", "", "0.5"]]),
        "not named “task(number)-column”",
    ),
    "EvalAI, no result files": (
        "all_submissions.csv",
        evalai_files()["all_submissions.csv"],
        "links to result files and no scores",
    ),
    "EvalAI, other labels": (
        "leaderboard.json",
        json.dumps([evalai_entry(1, "unet", labels=("dice",)), evalai_entry(2, "swin", labels=("dice",))]),
        "2 values, and its schema has 1 labels",
    ),
    "Kaggle, a score that is no number": (
        "leaderboard.csv",
        table_text([KAGGLE_HEAD, [1, 7, "ada", "", "high", 1, "ada"], [2, 8, "bob", "", "0.5", 1, "bob"]]),
        "row 2 has the score 'high'",
    ),
    "Kaggle, one team": ("leaderboard.csv", table_text([KAGGLE_HEAD, KAGGLE_ROWS[0]]), "there is one algorithm"),
    "challengeR, an empty name": (
        "t.csv",
        "task,alg_name,case,value\nt,,1,0.5\nt,b,1,0.6\n",
        "row 2 has an empty cell",
    ),
    "challengeR, twice": (
        "t.csv",
        "alg_name,case,value\na,1,0.5\na,1,0.6\nb,1,0.6\n",
        "rows 2 and 3 both give the value",
    ),
    "MONAI, a summary": (
        "dice_summary.csv",
        "class,mean,median,max,notnans\nclass0,0.8,0.8,0.9,8\nmean,0.8,0.8,0.9,8\n",
        "this is a summary of MONAI",
    ),
    "MONAI, or algorithms": (
        "table.csv",
        "filename,a,b,mean\nc1,0.5,0.7,0.6\nc2,0.4,0.6,0.5\n",
        "either classes with their mean",
    ),
    "JSON lines, a broken line": (
        "t.jsonl",
        '{"case": 1, "dice": 0.5}\n{"case": 2, "dice": \n',
        "line 2 cannot be read",
    ),
    "JSON lines, a list": ("t.jsonl", '{"case": 1, "dice": [0.5]}\n{"case": 2, "dice": [0.6]}\n', "holds a list under"),
}
OTHER_FILES = {
    "a web page": (b"<!DOCTYPE html><html><body>404</body></html>", "this is an HTML page"),
    "XML": (b"<?xml version='1.0'?><a/>", "this is XML"),
    "unknown JSON": (b'{"a": 1, "b": 2}', "this is JSON with the keys 'a', 'b'"),
    "a number": (b"[1, 2, 3]", "this is JSON, and no known form"),
    "a key twice": (b'{"metric_per_case": [], "metric_per_case": []}', "names the key 'metric_per_case' twice"),
    "PDF": (b"%PDF-1.7 ...", "this is a PDF document"),
    "gzip": (b"\x1f\x8b\x08\x00abc", "this is a gzip archive"),
    "pickle": (b"\x80\x04\x95abc", "a Python pickle, which is never opened"),
    "an Office document": (zipped({"[Content_Types].xml": "<a/>", "word/x.xml": "<a/>"}), "this is an Office document"),
    "images": (zipped({"a.png": b"\x89PNG", "b.nii.gz": b"x"}), "without a CSV or JSON file"),
    "a mixture": (zipped({"a/summary.json": nnunet("unet"), "b.csv": "case,a\n1,2\n"}), "the archive mixes nnU-Net"),
    "a damaged archive": (zipped({"a.csv": "case,a,b\n1,2,3\n"})[:60], "this is a ZIP archive, and it is damaged"),
    "a bomb": (zipped({"a.csv": b"0" * (20 << 20)}), "bytes unpacked"),
    "depth": (b"[" * 60 + b"]" * 60, "more than 30 levels"),
    "great depth": (b"[" * 200_000, "this is JSON"),
}


def read(tmp_path, content, name="results.bin", limits=None):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_results_file(path, **({"limits": limits} if limits else {}))


def read_and_arrange(tmp_path, content, name):
    sheet = read(tmp_path, content, name)
    return arrange(sheet, guess_roles(sheet))


def files(groups):
    return [
        pytest.param(content, id=f"{group}, {name}")
        for group, forms in groups.items()
        for name, content in forms.items()
    ]


def ranked(sheet):
    arranged = arrange(sheet, guess_roles(sheet))
    given = [{"name": name, "direction": "higher", "missing": 0} for name in arranged.metrics]
    choices = read_choices(arranged, given)
    done = analyse(sheet, arranged, assessment_of(arranged, choices, bootstrap=50))
    boards = list(done.document["rankings"])
    return arranged, boards


@pytest.mark.parametrize("content", files(SINGLE_CASES))
def test_values_of_single_cases_are_those_of_the_file(tmp_path, content):
    sheet = read(tmp_path, content)
    arranged = arrange(sheet, guess_roles(sheet))
    assert set(arranged.algorithms) <= {*METHODS, *(f"{m}.v1" for m in METHODS)}
    assert arranged.cases == len(CASES)
    dice = next(metric for metric in arranged.metrics if metric.casefold().endswith(("dice", "value")))
    rows = arranged.results[arranged.results["metric"] == dice]
    first = rows["region"].isin(["", "1", "class0", "1, 2"])
    values = {
        (algorithm.removesuffix(".v1"), case.removesuffix(".mha")): value
        for algorithm, case, value in rows[first][["algorithm", "case", "value"]].itertuples(index=False)
    }
    assert values == pytest.approx({(m, c): one(m, c) for m, c in itertools.product(METHODS, CASES)}, abs=1e-5)


@pytest.mark.parametrize("content", files(SINGLE_CASES))
def test_a_file_with_cases_is_ranked_as_its_values_are(tmp_path, content):
    sheet = read(tmp_path, content)
    arranged = arrange(sheet, guess_roles(sheet))
    given = [{"name": name, "direction": "higher", "missing": 0} for name in arranged.metrics]
    assessment = assessment_of(arranged, read_choices(arranged, given), bootstrap=50)
    done = analyse(sheet, arranged, assessment)
    names = [entry["name"] for entry in done.document["rankings"][0]["algorithms"]]
    assert sorted(name.removesuffix(".v1") for name in names) == sorted(METHODS)
    if len(arranged.metrics) == 1 and not arranged.regions:
        table = arranged.results[["algorithm", "case", "value"]]
        document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}]}
        board = rank(document, table, bootstrap=50)["rankings"][0]["algorithms"]
        keys = ("name", "rank", "score", "rank_set", "rank_interval")
        entries = done.document["rankings"][0]["algorithms"]
        assert [[entry[key] for key in keys] for entry in entries] == [[entry[key] for key in keys] for entry in board]


@pytest.mark.parametrize("content", files(WHOLE))
def test_a_leaderboard_is_ranked_without_a_claim_of_certainty(tmp_path, content):
    arranged, boards = ranked(read(tmp_path, content))
    assert (arranged.is_summary, arranged.cases) == (True, 0)
    scores = next(
        entries
        for board in boards
        if (entries := {entry["name"].split("-")[0]: entry for entry in board["algorithms"]})
    )
    assert {entry["rank_set"] for entry in scores.values()} == {None}
    values = arranged.results[arranged.results["metric"].str.casefold().isin(["dice", "score"])]
    read_values = {name.split("-")[0]: value for name, value in values[["algorithm", "value"]].itertuples(index=False)}
    assert read_values == pytest.approx({m: mean(m) for m in METHODS}, abs=1e-5)
    assert any("how certain the ranks are cannot be stated" in note for note in arranged.notes)


@pytest.mark.parametrize("case", BAD)
def test_broken_files_are_refused_with_the_reason(tmp_path, case):
    name, content, reason = BAD[case]
    with pytest.raises(TableError) as refusal:
        read_and_arrange(tmp_path, content, name)
    assert reason in str(refusal.value)
    assert "quotation" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("case", OTHER_FILES)
def test_a_file_of_another_kind_is_named_for_what_it_is(tmp_path, case):
    content, reason = OTHER_FILES[case]
    with pytest.raises(TableError, match=r".") as refusal:
        read(tmp_path, content)
    assert reason in str(refusal.value)


def test_the_results_of_one_method_are_no_ranking_and_the_remedy_is_named(tmp_path):
    for content in (nnunet("unet"), json.dumps(metrics_of_forge("unet"))):
        sheet = read(tmp_path, content)
        with pytest.raises(TableError, match=r"the results of one method.*ZIP archive"):
            arrange(sheet, guess_roles(sheet))


def test_which_of_several_evaluations_counts_is_asked(tmp_path):
    twice = [*EXPORT[:3], evaluation(7, "unet", metrics_of_forge("unet"))]
    sheet = read(tmp_path, json.dumps(twice))
    with pytest.raises(TableError, match=r"'unet' has several evaluations.*submission"):
        arrange(sheet, guess_roles(sheet))
    arranged = arrange(sheet, guess_roles(sheet) | {"submission": "algorithm"})
    assert sorted(arranged.algorithms) == ["s1", "s2", "s3", "s7"]


def test_directions_that_a_leaderboard_states_are_suggested_and_others_are_asked(tmp_path):
    for content, known in ((CODABENCH["leaderboard of the interface"], True), (EVALAI["leaderboard"], True)):
        sheet = read(tmp_path, content)
        suggested = {
            choice.name.casefold(): choice.direction for choice in suggest_metrics(arrange(sheet, guess_roles(sheet)))
        }
        assert suggested == {"dice": "higher", "seconds": "lower"}, known
    page, program = (read(tmp_path, KAGGLE[name]) for name in ("of the page", "of the command line"))
    assert [choice.direction for choice in suggest_metrics(arrange(page, guess_roles(page)))] == ["higher"]
    assert [choice.direction for choice in suggest_metrics(arrange(program, guess_roles(program)))] == [""]


def test_teams_of_the_same_name_are_distinguished_by_their_number(tmp_path):
    rows = [[1, 7, "ada", "", "0.9", 1, "a"], [2, 8, "ada", "", "0.5", 1, "b"]]
    sheet = read(tmp_path, table_text([KAGGLE_HEAD, *rows]), "l.csv")
    arranged = arrange(sheet, guess_roles(sheet))
    assert arranged.algorithms == ("ada (7)", "ada (8)")


def test_nan_of_nnunet_is_a_missing_value_and_counts_are_no_metrics(tmp_path):
    absent = json.loads(nnunet("swin"))
    absent["metric_per_case"][0]["metrics"]["1"]["Dice"] = float("nan")
    sheet = read(tmp_path, zipped({"unet/summary.json": nnunet("unet"), "swin/summary.json": json.dumps(absent)}))
    arranged = arrange(sheet, guess_roles(sheet))
    assert (arranged.metrics, arranged.missing) == (("Dice", "IoU"), 1)


def test_a_last_row_of_means_is_no_case(tmp_path):
    rows = [["case", *METHODS], *([c, *(one(m, c) for m in METHODS)] for c in CASES)]
    means = ["mean", *(round(mean(m), 3) for m in METHODS)]
    sheet = read(tmp_path, table_text([*rows, means]), "t.csv")
    arranged = arrange(sheet, guess_roles(sheet))
    assert arranged.cases == len(CASES)
    assert any("mean" in note for note in arranged.notes)
    with pytest.raises(TableError, match="row 10 is named 'mean', and its values are not the mean"):
        read(tmp_path, table_text([*rows, ["mean", 0.1, 0.2, 0.3]]), "t.csv")


def test_a_workbook_is_read_as_a_table():
    path = Path(__file__).resolve().parents[3] / "data" / "reports" / "workbooks" / "openpyxl.xlsx"
    assert read_results_file(path).columns == read_sheet(path).columns


def test_limits_apply_to_the_content_of_archives(tmp_path):
    with pytest.raises(TableError, match="rows"):
        read(tmp_path, NNUNET["version 2"], limits=SheetLimits(rows=10))
    with pytest.raises(TableError, match="bytes unpacked"):
        read(tmp_path, zipped({"a.json": nnunet("unet") * 1}), limits=SheetLimits(file_bytes=2_000))
    with pytest.raises(TableError, match="at most 500"):
        read(tmp_path, zipped({f"{n}.csv": "a,b\n" for n in range(501)}))


def test_the_command_ranks_an_archive(tmp_path, capsys):
    path = tmp_path / "runs.zip"
    path.write_bytes(NNUNET["version 2"])
    assert main(["analyse", str(path), "--output", str(tmp_path / "out"), "--bootstrap", "20"]) == 0
    assert "3 algorithms, 8 cases" in capsys.readouterr().out
    assert main(["analyse", str(tmp_path / "out" / "ranking.json")]) == 2
    assert "this is JSON with the keys" in capsys.readouterr().err
