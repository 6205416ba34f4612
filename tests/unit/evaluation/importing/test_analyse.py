"""Tables of finished challenges: recognised, ranked as `rank` ranks them, and refused in one line where they are malformed."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from evaluation import rank, verify
from evaluation.cli import main
from evaluation.importing import (
    TableError,
    analyse,
    arrange,
    assessment_of,
    guess_roles,
    read_choices,
    read_sheet,
    suggest_metrics,
)
from evaluation.importing.sheets import SheetLimits

ALGORITHMS = ("alder", "birch", "cedar")
CASES = tuple(f"case-{number:02d}" for number in range(12))
RANDOM = np.random.default_rng(5)
VALUES = {
    (a, c): round(float(v), 4)
    for (a, c), v in zip(itertools.product(ALGORITHMS, CASES), RANDOM.beta(8, 2, 36), strict=True)
}
VALUES["birch", "case-03"] = None
HEAD = "algorithm,case,value"


def written(value):
    return "" if value is None else str(value)


def long_lines(head=HEAD, prefix=""):
    return [head, *(f"{prefix}{a},{c},{written(v)}" for (a, c), v in VALUES.items())]


FORMS = {
    "challengeR": long_lines("task,alg_name,case,value", "liver,"),
    "ours": [
        "algorithm,case,region,metric,value,outcome,image_diagonal",
        *(f"{a},{c},liver,dsc,{written(v)},{'ok' if v is not None else 'missing'},200" for (a, c), v in VALUES.items()),
    ],
    "algorithms in columns": [
        "," + ",".join(ALGORITHMS),
        *(f"{c}," + ",".join(written(VALUES[a, c]) for a in ALGORITHMS) for c in CASES),
    ],
    "cases in columns": [
        "team," + ",".join(CASES),
        *(f"{a}," + ",".join(written(VALUES[a, c]) for c in CASES) for a in ALGORITHMS),
    ],
    "metrics in columns": [
        "Team;Subject ID;Dice;Site",
        *(f"{a};{c};{written(v).replace('.', ',')};north" for (a, c), v in VALUES.items()),
    ],
    "rows without a value left out": [line for line in long_lines() if not line.endswith(",")],
}


def read(tmp_path, lines, name="table.csv"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_sheet(path)


def arranged(tmp_path, lines):
    sheet = read(tmp_path, lines)
    return sheet, arrange(sheet, guess_roles(sheet))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_gives_the_ranking_of_its_values(tmp_path, form):
    sheet, found = arranged(tmp_path, FORMS[form])
    assert (sorted(found.algorithms), found.cases, found.missing) == (list(ALGORITHMS), 12, 1)
    choices = read_choices(found, [{"name": metric, "direction": "higher", "missing": 0} for metric in found.metrics])
    done = analyse(sheet, found, assessment_of(found, choices, bootstrap=100))
    table = pd.DataFrame([(a, c, v) for (a, c), v in VALUES.items()], columns=["algorithm", "case", "value"])
    document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}]}
    expected = rank(document, table, bootstrap=100)["rankings"][0]["algorithms"]
    entries = done.document["rankings"][0]["algorithms"]
    keys = ("name", "rank", "score", "rank_interval", "rank_set")
    assert [[entry[key] for key in keys] for entry in entries] == [[entry[key] for key in keys] for entry in expected]


def test_the_bundle_is_verified_and_says_that_values_are_from_outside(tmp_path):
    sheet, found = arranged(tmp_path, FORMS["ours"])
    choices = read_choices(found, [choice.document for choice in suggest_metrics(found)])
    done = analyse(sheet, found, assessment_of(found, choices, bootstrap=100, origin=sheet.sha256))
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"".join(done.bundle()))
    assert verify(path, digest=done.digest).same
    assert not verify(path, digest="0" * 64).same
    assert "measured outside Podium" in done.report()


def test_several_tasks_and_regions_become_one_ranking(tmp_path):
    lines = ["task,algorithm,case,region,metric,value"]
    for task, region, metric in itertools.product(("t1", "t2"), ("left", "right"), ("Dice", "HD95")):
        lines += [f"{task},{a},{task}-{c},{region},{metric},{written(v)}" for (a, c), v in VALUES.items()]
    sheet, found = arranged(tmp_path, lines)
    choices = suggest_metrics(found)
    assert [(choice.name, choice.direction) for choice in choices] == [("Dice", "higher"), ("HD95", "lower")]
    done = analyse(sheet, found, assessment_of(found, choices, bootstrap=50))
    assert len(done.document["rankings"]) == 8
    assert [entry["name"] for entry in done.document["overall"]["algorithms"]]
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"".join(done.bundle()))
    assert verify(path, digest=done.digest).same


MALFORMED = {
    "empty": ("", "the file is empty"),
    "a damaged archive": (b"PK\x03\x04rest", "this is a ZIP archive, and it is damaged"),
    "no text": (b"algorithm,case,value\n\0\0", "no text"),
    "not UTF-8": (b"algorithm,case,value\na,b,\xff\n", "row 2 is not in UTF-8"),
    "only a header": (HEAD, "no row below it"),
    "a row too short": (f"{HEAD}\na,1,0.5\nb,1", "row 3 has 2 cells"),
    "a column twice": ("algorithm,case,value,value\na,1,2,3", "the column 'value' twice"),
    "no number": (f"{HEAD}\na,1,0.5\nb,1,good", "row 3 has 'good' in the column 'value'"),
    "a thousand or one": (f'{HEAD}\na,1,0.5\nb,1,"1,000"', "row 3 has '1,000'"),
    "infinite": (f"{HEAD}\na,1,0.5\nb,1,inf", "row 3 has 'inf'"),
    "a value twice": (f"{HEAD}\na,1,0.5\nb,1,0.4\na,1,0.6", "rows 2 and 4 both give"),
    "one algorithm": (f"{HEAD}\na,1,0.5\na,2,0.4", "there is one algorithm, 'a'"),
    "one case": (f"{HEAD}\na,1,0.5\nb,1,0.4", "there is one case, '1'"),
    "summary values": ("team,dice,hd95\na,0.5,3\nb,0.4,2", "one summary value an algorithm"),
    "no name": (f"{HEAD}\na,1,0.5\n,1,0.4", "row 3 has an empty cell as the algorithm"),
    "an open quotation": (f'{HEAD}\na,1,"0.5\nb,1,0.4', "cannot be separated"),
    "text turned around": (f"{HEAD}\na,1,0.5\nb\u202e,1,0.4", "row 3 has a cell that cannot be shown"),
    "an unknown outcome": ("algorithm,case,value,outcome\na,1,0.5,fine\nb,1,0.4,ok", "row 2 has the outcome 'fine'"),
    "a value that is missing": (
        "algorithm,case,value,outcome\na,1,0.5,missing\nb,1,0.4,ok",
        "row 2 has the outcome missing and a value",
    ),
    "a region in some rows": (
        "algorithm,case,region,value\na,1,x,0.5\nb,1,,0.4\na,2,x,1\nb,2,x,1",
        "row 3 names no region",
    ),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_table_gets_one_line_that_names_file_place_and_remedy(tmp_path, capsys, kind):
    content, expected = MALFORMED[kind]
    path = tmp_path / "broken.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["analyse", str(path), "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("analyse: broken.csv: ")
    assert expected in said
    assert said.rstrip().endswith(".")


def test_bounds_hold_before_anything_is_computed(tmp_path):
    lines = long_lines()
    for limits in (
        SheetLimits(rows=10),
        SheetLimits(columns=2),
        SheetLimits(file_bytes=50),
        SheetLimits(cell_characters=5),
    ):
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        with pytest.raises(TableError):
            read_sheet(path, limits=limits)
    sheet = read(tmp_path, lines)
    for limits in (SheetLimits(algorithms=2), SheetLimits(cases=11), SheetLimits(values=35)):
        with pytest.raises(TableError, match="at most"):
            arrange(sheet, guess_roles(sheet), limits=limits)


def test_names_stay_text(tmp_path):
    _, found = arranged(tmp_path, [HEAD, "b,007,0.5", "007,007,0.4", "b,7,0.1", "007,7,0.2"])
    assert found.algorithms == ("b", "007")
    assert set(found.results["case"]) == {"007", "7"}


@pytest.mark.parametrize("start", "=+-@")
def test_a_name_that_a_spreadsheet_would_compute_is_refused_wherever_it_stands(tmp_path, start):
    name = f"{start}cmd|' /C calc'!A0"
    for lines in (
        [HEAD, f"{name},1,0.5", "b,1,0.4", f"{name},2,0.1", "b,2,0.2"],
        [f"case,a,{name}", "1,0.5,0.4", "2,0.3,0.1"],
        [f"algorithm,case,x,{name}", "a,1,1,1", "b,1,2,2", "a,2,1,1", "b,2,2,2"],
    ):
        with pytest.raises(TableError, match="takes for a formula"):
            arranged(tmp_path, lines)


def test_the_command_writes_what_verify_accepts(tmp_path, capsys):
    table, folder = tmp_path / "results.csv", tmp_path / "out"
    table.write_text("\n".join(long_lines("algorithm,case,alpha")), encoding="utf-8")
    assert main(["analyse", str(table)]) == 0
    assert "direction unknown" in capsys.readouterr().out
    assert main(["analyse", str(table), "--output", str(folder)]) == 2
    assert "which direction of 'alpha' is better" in capsys.readouterr().err
    arguments = ["--direction", "higher", "--missing", "alpha=0", "--bootstrap", "50", "--output", str(folder)]
    assert main(["analyse", str(table), *arguments]) == 0
    digest = capsys.readouterr().out.splitlines()[-1].split()[0]
    assert verify(folder / "bundle.zip", digest=digest).same
    assert {path.name for path in folder.iterdir()} == {
        *("assessment.json", "ranking.json", "gaming.json", "results.csv", "report.html", "bundle.zip"),
    }
    assert json.loads((folder / "gaming.json").read_text())[0]["algorithms"]


def test_spaces_at_the_ends_of_names_are_no_part_of_them(tmp_path):
    lines = [line.replace(",", " ,", 1) if place % 2 else line for place, line in enumerate(long_lines()) if place]
    _, found = arranged(tmp_path, [HEAD, *lines])
    assert (sorted(found.algorithms), found.questions) == (list(ALGORITHMS), ())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["algorithm,case,dice", "a,1,72", "a,2,81", "b,1,66.5", "b,2,70"], "Are the values of dice in per cent? They are from 66.5"),
        (["algorithm,case,dice", "a,1,0.7", "a,2,81", "b,1,0.5", "b,2,0.6"], "Is 81 of dice correct (algorithm 'a', case '2')?"),
        (["algorithm,case,DSC_ET", "a,1,0.7", "a,2,1.7", "b,1,0.5", "b,2,0.6"], "Is 1.7 of DSC_ET correct (algorithm 'a', case '2')? 1 value is outside"),
        (["algorithm,case,dsc", "a,1,0.7", "a,2,-0.2", "b,1,0.5", "b,2,0.6"], "Is -0.2 of dsc correct"),
        (["algorithm,case,dsc", "UNet,1,0.7", "unet,2,0.2", "b,1,0.5", "b,2,0.6"], "Are these the same algorithm? 'UNet' and 'unet'."),
        (["algorithm,case,dsc", "a,p1,0.7", "a,p2,0.2", "b,P1,0.5", "b,p2,0.6"], "Are these the same case? 'P1' and 'p1'."),
    ],
)  # fmt: skip
def test_a_doubtful_table_is_analysed_only_after_confirmation(tmp_path, capsys, lines, words):
    path, folder = tmp_path / "table.csv", tmp_path / "out"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["analyse", str(path)]) == 0
    assert f"question: {words}" in capsys.readouterr().out
    assert main(["analyse", str(path), "--output", str(folder)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "--confirm" in error
    assert not folder.exists()
    assert main(["analyse", str(path), "--output", str(folder), "--confirm", "--bootstrap", "20"]) == 0
    assert words.partition("?")[0] in (folder / "report.html").read_text(encoding="utf-8").replace("&#x27;", "'")


def test_a_missing_value_never_counts_as_the_worst_of_another_algorithm(tmp_path, capsys):
    path, folder = tmp_path / "table.csv", tmp_path / "out"
    path.write_text("algorithm,case,hd95\na,1,3.5\na,2,\nb,1,2.5\nb,2,9\n", encoding="utf-8")
    assert main(["analyse", str(path), "--output", str(folder)]) == 2
    assert "what does a missing value of 'hd95' count as? Give --missing 'hd95'=NUMBER" in capsys.readouterr().err
    assert main(["analyse", str(path), "--output", str(folder), "--missing", "hd95=50", "--bootstrap", "20"]) == 0
    path.write_text("algorithm,case,hd95\na,1,3.5\na,2,4\nb,1,2.5\nb,2,9\n", encoding="utf-8")
    assert main(["analyse", str(path), "--output", str(folder), "--bootstrap", "20"]) == 0
    assert "no value is missing" in capsys.readouterr().out
