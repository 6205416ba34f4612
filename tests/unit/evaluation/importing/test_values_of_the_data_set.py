"""Values of a whole data set that were measured elsewhere: with replicates, with standard errors, or with nothing."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation import bundle
from evaluation.aggregation import ResultsError
from evaluation.assessment import AssessmentError, parse
from evaluation.bundle import Published, TeamResult, chunks, result_digest
from evaluation.cli import main
from evaluation.ranking import describe, digest, rank
from evaluation.ranking.reading import entries, overall
from evaluation.scoring import Row, read_results, score_folders
from evaluation.scoring.evidence import make_evidence, read_evidence, recompute, save_evidence
from evaluation.scoring.evidence_blocks import CaseEvidence
from evaluation.scoring.given_evidence import VERSION, Given, draws_of

FID = {"id": "fid", "direction": "lower", "range": [0, None], "level": "dataset", "policy": {"missing": 500}}
TRA = {"id": "tra", "direction": "higher", "range": [0, 1], "level": "dataset"}
TEAMS = ("alder", "birch", "cedar")
CASES = [f"c{number:02d}" for number in range(20)]
DRAWS = 400


def document(*metrics, **more):
    return {"schema": 1, "problem": "external", "metrics": list(metrics) or [FID], **more}


def drawn(seed=1, *, teams=TEAMS, draws=DRAWS, gap=12.0, spread=1.5, level=40.0):
    """The value of each team and its replicates: mostly what all have in common, as resamples of the same cases are."""
    random = np.random.default_rng(seed)
    common = random.normal(0, 6, draws)
    return {
        team: (level + gap * place, level + gap * place + common + random.normal(0, spread, draws))
        for place, team in enumerate(teams)
    }


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


class World:
    """Folders of the command line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write(folder / "references/cases.csv", ["case", "site"], [(case, "a") for case in CASES])

    def values(self, rows, header=("algorithm", "metric", "value")):
        write(self.folder / "measured/values.csv", header, rows)
        return self

    def replicates(self, made, metric="fid", *, rows=None):
        lines = rows or [
            (team, metric, number + 1, f"{value:.10g}")
            for team, (_, draws) in made.items()
            for number, value in enumerate(draws)
        ]
        write(self.folder / "measured/replicates.csv", ("algorithm", "metric", "replicate", "value"), lines)
        return self

    def scored(self, wanted):
        return score_folders(parse(wanted), self.folder / "references", {"measured": self.folder / "measured"})

    def ranked(self, wanted, **options):
        assessment, made = parse(wanted), self.scored(wanted)
        evidence = make_evidence(assessment, made.blocks, parts=made.parts, shared=made.shared)
        table = pd.DataFrame(
            [(*row[:5], str(row.outcome)) for row in made.rows],
            columns=["algorithm", "case", "region", "metric", "value", "outcome"],
        )
        return rank(assessment, table, evidence=evidence, **options), assessment, table, evidence


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def single(ranked):
    [entry] = entries(ranked)
    return entry


# The assessment ---------------------------------------------------------------------------------------------------------


def test_a_document_says_that_a_metric_is_of_the_whole_data_set():
    assessment = parse(document(FID, {**TRA, "without_uncertainty": True}, {**TRA, "id": "seg", "level": "case"}))
    assert parse(assessment.document) == assessment
    assert [metric.level for metric in assessment.metrics] == ["dataset", "dataset", "case"]
    assert [entry.get("without_uncertainty") for entry in assessment.document["metrics"]] == [None, True, None]


def test_a_metric_of_the_catalogue_is_named_as_that_and_has_its_direction_range_and_unit():
    [metric] = parse(
        document({"id": "hausdorff_distance", "as": "hausdorff_distance", "policy": {"missing": 90}})
    ).metrics
    assert (metric.direction, metric.worst, metric.best, metric.unit) == ("lower", None, 0, "mm")
    assert parse(parse(document({"id": "dsc", "as": "dsc"})).document).metrics[0].title == "DSC"


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ({**TRA, "level": "image"}, "metrics[0].level"),
        ({**TRA, "level": "case", "without_uncertainty": True}, "metrics[0].without_uncertainty"),
        ({"id": "dsc", "direction": "higher"}, "unless “as” says that it is that metric"),
        ({"id": "dsc", "as": "dsc", "direction": "lower"}, "higher, as dsc has it"),
        ({"id": "dsc", "as": "dsc", "range": [0, 100]}, "[0, 1], as dsc has it"),
        ({"id": "dsc", "as": "dsc", "unit": "mm"}, "nothing, as dsc has it"),
        ({"id": "own", "as": "no_such_metric"}, "an id of the catalogue of metrics"),
        ({"id": "own"}, "metrics[0].direction"),
    ],
)
def test_what_a_document_contradicts_is_refused(metric, message):
    with pytest.raises(AssessmentError) as caught:
        parse(document(metric))
    assert message in str(caught.value)


def test_values_of_all_cases_know_no_exclusion_of_some():
    exclusions = {"cases": [{"case": "c01", "reason": "duplicate"}]}
    with pytest.raises(AssessmentError, match="fid is one value of all cases"):
        parse(document(FID, exclusions=exclusions))
    assert parse(document({**TRA, "level": "case"}, exclusions=exclusions)).exclusions


def test_values_that_teams_report_of_themselves_are_not_ranked():
    with pytest.raises(AssessmentError, match="source"):
        parse(document(settings={"source": "participant"}))


# Replicates -------------------------------------------------------------------------------------------------------------


def test_ranges_are_those_of_the_replicates_that_were_sent(world):
    made = drawn()
    world.values([(team, "fid", value) for team, (value, _) in made.items()]).replicates(made)
    ranked, *_ = world.ranked(document())
    entry = single(ranked)
    assert ranked["bootstrap"] == DRAWS
    assert ranked["resampling"]["given"] == {"version": VERSION, "metrics": {"fid": "replicates"}}
    assert (entry["resampled"], entry["cases"], entry["sets"]["method"]) == (True, len(CASES), "draws")
    draws = np.stack([own for _, own in made.values()])
    for row in entry["algorithms"]:
        place = TEAMS.index(row["name"])
        assert row["score_interval"] == pytest.approx(np.quantile(draws[place], [0.025, 0.975]), rel=1e-9)
        assert row["share_first"] == pytest.approx((draws.argmin(axis=0) == place).mean())
    # The draws are paired: much wider ranges than the gaps, and still nobody doubts the order.
    assert [row["rank_set"] for row in entry["algorithms"]] == [[1, 1], [2, 2], [3, 3]]
    assert entry["winner"]["named"]


def test_without_pairing_nobody_could_have_told_them_apart(world):
    made = drawn()
    rows = [(team, "fid", value, f"{draws.std():.6f}") for team, (value, draws) in made.items()]
    ranked, *_ = world.values(rows, ("algorithm", "metric", "value", "se")).ranked(document())
    entry = single(ranked)
    assert ranked["resampling"]["given"]["metrics"] == {"fid": "standard_errors"}
    assert ranked["bootstrap"] == 1000
    assert not entry["winner"]["named"]
    assert entry["algorithms"][0]["rank_set"] == [1, 2]
    assert {"code": "given_standard_errors", "metric": "fid"} in entry["warnings"]


def test_no_more_draws_are_told_than_replicates_were_sent(world):
    made = drawn(draws=250)
    world.values([(team, "fid", value) for team, (value, _) in made.items()]).replicates(made)
    ranked, assessment, *_ = world.ranked(document())
    assert ranked["bootstrap"] == 250
    assert sum(single(ranked)["algorithms"][0]["rank_frequencies"]) == 250
    assert any("up to 1,000" in sentence for sentence in describe(assessment))
    fewer, *_ = world.ranked(document(), bootstrap=200)
    assert fewer["bootstrap"] == 200


def test_order_of_rows_changes_nothing(world):
    made = drawn()
    values = [(team, "fid", value) for team, (value, _) in made.items()]
    world.values(values).replicates(made)
    first, _, _, evidence = world.ranked(document())
    lines = [(team, "fid", n + 1, f"{v:.10g}") for team, (_, draws) in made.items() for n, v in enumerate(draws)]
    world.values(values[::-1]).replicates(made, rows=lines[::-1])
    again, _, _, shuffled = world.ranked(document())
    assert digest(first) == digest(again)
    for key, block in evidence.blocks.items():
        assert np.array_equal(block.values, shuffled.blocks[key].values)


def test_several_metrics_with_the_same_replicates_are_combined(world):
    one, two = drawn(1), drawn(2, gap=-0.1, spread=0.2, level=0.8)
    two = {team: (value, np.clip(value + (draws - value) / 100, 0, 1)) for team, (value, draws) in two.items()}
    values = [(team, metric, made[team][0]) for metric, made in (("fid", one), ("tra", two)) for team in TEAMS]
    lines = [
        (team, metric, n + 1, f"{v:.10g}")
        for metric, made in (("fid", one), ("tra", two))
        for team in TEAMS
        for n, v in enumerate(made[team][1])
    ]
    world.values(values).replicates({}, rows=lines)
    combine = {"combine": {"over": ["metric"], "operator": "mean", "rerank": True}}
    ranked, *_ = world.ranked(document(FID, TRA, ranking=combine))
    [whole] = overall(ranked)
    assert whole["resampled"]
    assert whole["sets"]["reason"] is None
    assert whole["winner"]["algorithm"] == "alder"


def test_what_was_drawn_in_two_places_is_combined_without_a_word_on_certainty(world):
    made = drawn()
    values = [(team, "", "fid", value) for team, (value, _) in made.items()]
    values += [(team, case, "seg", 0.9 - 0.1 * place) for place, team in enumerate(TEAMS) for case in CASES]
    world.values(values, ("algorithm", "case", "metric", "value")).replicates(made)
    combine = {"combine": {"over": ["metric"], "operator": "mean", "rerank": True}}
    wanted = document(FID, {**TRA, "id": "seg", "level": "case"}, ranking=combine)
    ranked, assessment, *_ = world.ranked(wanted)
    assert all(entry["resampled"] for entry in entries(ranked))
    [whole] = overall(ranked)
    assert (whole["resampled"], whole["sets"]["reason"]) == (False, "drawn_apart")
    assert {row["rank_set"] for row in whole["algorithms"]} == {None}
    assert {row["share_first"] for row in whole["algorithms"]} == {None}
    assert any(
        "single cases are resampled here, and values of the whole data set elsewhere" in s for s in describe(assessment)
    )


# Standard errors --------------------------------------------------------------------------------------------------------


def draws(algorithm, *, metric=None, value=40.0, error=2.0, seed=1, number=20_000):
    use = parse(document(metric or FID)).metrics[0]
    block = Given(value, standard_error=error).block(use.name, algorithm, "")
    shared = {"given": {"cases": CASES}}
    return draws_of(use, CaseEvidence("external", "", block, shared), algorithm=algorithm, number=number, seed=seed)


def test_draws_of_a_standard_error_are_normal_and_independent_from_team_to_team():
    alder, birch = draws("alder"), draws("birch")
    assert alder[0] == birch[0] == 40.0
    assert alder[1:].mean() == pytest.approx(40.0, abs=0.05)
    assert alder[1:].std() == pytest.approx(2.0, rel=0.02)
    inside = (np.abs(alder[1:] - 40) < 1.959964 * 2).mean()
    assert inside == pytest.approx(0.95, abs=0.005)
    assert abs(np.corrcoef(alder[1:], birch[1:])[0, 1]) < 0.02
    assert np.array_equal(alder, draws("alder"))
    assert not np.array_equal(alder, draws("alder", seed=2))


def test_all_metrics_of_one_team_go_up_and_down_together():
    """Quality falls in both metrics, regardless of their direction.

    Therefore a combination of them does not appear more certain than it is.
    """
    lower, higher = draws("alder"), draws("alder", metric=TRA, value=0.8, error=0.01)
    assert np.corrcoef(-lower[1:], higher[1:])[0, 1] == pytest.approx(1.0)


# Without uncertainty ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranking", [None, {"combine": {"over": ["metric"], "operator": "mean", "rerank": True}}])
def test_a_rank_of_which_nothing_is_known_is_never_shown_as_sure(world, ranking):
    metrics = [{**FID, "without_uncertainty": True}, {**TRA, "without_uncertainty": True}]
    world.values([(team, metric, 0.1 + 0.2 * place) for place, team in enumerate(TEAMS) for metric in ("fid", "tra")])
    ranked, assessment, *_ = world.ranked(document(*metrics, **({"ranking": ranking} if ranking else {})))
    for entry in [*entries(ranked), *overall(ranked)]:
        assert (entry["resampled"], entry["verdict"], entry["leave_one_out"]) == (False, None, None)
        assert entry["sets"]["reason"] == entry["winner"]["reason"] == "not_given"
        assert not entry["winner"]["named"]
        for key in ("winner_stays", "others_first", "kendall_tau", "first_again"):
            assert entry[key] is None
        for row in entry["algorithms"]:
            for key in ("rank_set", "rank_interval", "score_interval", "share_first", "rank_frequencies"):
                assert row[key] is None
            assert not row["within_reach"]
    said = " ".join(describe(assessment))
    assert "The uncertainty of fid and tra is unknown: no rank by them is sure." in said
    assert "No winner can be named: the uncertainty of fid and tra is unknown." in said
    assert "drawn with replacement" not in said


def test_one_value_without_uncertainty_leaves_all_of_its_metric_without(world):
    wanted = document({**FID, "without_uncertainty": True})
    rows = [(team, "fid", 40 + place, 1.5) for place, team in enumerate(TEAMS)]
    world.values(rows, ("algorithm", "metric", "value", "se"))
    ranked, *_ = world.ranked(wanted)
    assert single(ranked)["sets"]["reason"] == "not_given"


def test_evidence_that_is_not_there_is_not_taken_for_certainty(world):
    made = drawn()
    world.values([(team, "fid", value) for team, (value, _) in made.items()]).replicates(made)
    _, assessment, table, _ = world.ranked(document())
    entry = single(rank(assessment, table))
    assert (entry["resampled"], entry["sets"]["reason"]) == (False, "not_resampled")
    assert {row["rank_set"] for row in entry["algorithms"]} == {None}


def test_who_has_no_value_gets_that_of_the_policy(world):
    made = drawn()
    rows = [(team, "fid", value, 2.0) for team, (value, _) in made.items()]
    rows[1] = ("birch", "fid", "", "")
    ranked, *_ = world.values(rows, ("algorithm", "metric", "value", "se")).ranked(document())
    last = single(ranked)["algorithms"][-1]
    assert (last["name"], last["score"], last["missing"]) == ("birch", 500, single(ranked)["cases"])


def test_nobody_recomputes_what_was_measured_elsewhere(world):
    made = drawn()
    world.values([(team, "fid", value) for team, (value, _) in made.items()]).replicates(made)
    _, assessment, _, evidence = world.ranked(document())
    with pytest.raises(ValueError, match="what its value is made of is not known"):
        recompute(assessment.metrics[0], evidence.select("fid", "alder", ""), np.ones((1, 1)))


# On the command line, and in a bundle -----------------------------------------------------------------------------------


def test_from_the_tables_to_a_report_on_the_command_line(world, tmp_path, capsys):
    made = drawn()
    world.values([(team, "fid", value) for team, (value, _) in made.items()]).replicates(made)
    (tmp_path / "a.json").write_text(json.dumps(document()))
    names = {
        name: str(tmp_path / name) for name in ("a.json", "results.csv", "e.parquet", "ranking.json", "report.html")
    }
    folders = ["--references", str(tmp_path / "references"), "--predictions", str(tmp_path / "measured")]
    results = ["--results", names["results.csv"], "--evidence", names["e.parquet"]]
    score = ["score", names["a.json"], *folders, "--output", names["results.csv"], "--evidence", names["e.parquet"]]
    assert main(score) == 0
    assert main(["rank", names["a.json"], *results, "--output", names["ranking.json"]]) == 0
    assert main(["report", names["a.json"], *results, "--output", names["report.html"]]) == 0
    table = read_results(names["results.csv"])
    assert table[["algorithm", "case", "metric"]].to_numpy().tolist() == [[team, "", "fid"] for team in TEAMS]
    ranking = json.loads((tmp_path / "ranking.json").read_text())
    assert single(ranking)["winner"]["algorithm"] == "alder"
    report = (tmp_path / "report.html").read_text()
    assert "The uncertainty of fid was submitted with its values, as replicates." in report
    assert "computed again in 400 draws from submitted replicates" in report
    assert "cases are drawn" not in report
    capsys.readouterr()


def test_a_folder_an_algorithm_is_read_too(tmp_path):
    world = World(tmp_path)
    for team, (value, draws_of_team) in drawn().items():
        write(tmp_path / "each" / team / "values.csv", ["metric", "value"], [("fid", value)])
        lines = [(number, f"{draw:.8g}") for number, draw in enumerate(draws_of_team)]
        write(tmp_path / "each" / team / "replicates.csv", ["replicate", "value"], lines)
    made = score_folders(
        parse(document()), world.folder / "references", {team: tmp_path / "each" / team for team in TEAMS}
    )
    assert [(row.algorithm, row.value) for row in made.rows] == [(team, value) for team, (value, _) in drawn().items()]
    assert {int(block.counts[0]) for block in made.blocks} == {DRAWS}
    assert len({block.counts.tobytes() for block in made.blocks}) == 1


def test_replicates_that_are_not_the_same_resamples_are_not_compared(tmp_path, world):
    made = drawn()
    for shift, (team, (value, own)) in enumerate(made.items()):
        write(tmp_path / "each" / team / "values.csv", ["metric", "value"], [("fid", value)])
        lines = [(number + shift, f"{draw:.8g}") for number, draw in enumerate(own)]
        write(tmp_path / "each" / team / "replicates.csv", ["replicate", "value"], lines)
    assessment = parse(document())
    found = score_folders(assessment, tmp_path / "references", {team: tmp_path / "each" / team for team in TEAMS})
    evidence = make_evidence(assessment, found.blocks, parts=found.parts, shared=found.shared)
    table = pd.DataFrame(found.rows, columns=Row._fields).assign(outcome="ok", flag="")
    with pytest.raises(ResultsError, match="send the same resamples for all"):
        rank(assessment, table, evidence=evidence)


def packed(world, tmp_path):
    made = drawn()
    world.values([(team, "fid", value) for team, (value, _) in made.items()]).replicates(made)
    ranked, assessment, table, evidence = world.ranked(document())
    teams = []
    for team in TEAMS:
        own = table[table["algorithm"] == team].drop(columns="algorithm").reset_index(drop=True)
        own = own.assign(image_diagonal=float("nan"), flag="")
        blocks = [block for block in evidence.blocks.values() if block.algorithm == team]
        alone = make_evidence(assessment, blocks, parts={"fid": "fid"}, shared=evidence.header["shared"])
        path = tmp_path / f"{team}.parquet"
        save_evidence(str(path), alone)
        teams.append(TeamResult(team, result_digest(own, read_evidence(path)), own, path.read_bytes()))
    published = Published(digest=digest(ranked), document=ranked, facts={"title": "t"})
    target = tmp_path / "bundle.zip"
    target.write_bytes(b"".join(chunks(published, assessment, teams)))
    return target, published


def test_a_bundle_with_replicates_is_computed_again(world, tmp_path):
    target, published = packed(world, tmp_path)
    verdict = bundle.verify(target, digest=published.digest)
    assert verdict.same, verdict.places
    assert verdict.cases == len(CASES)


# Tables that cannot be taken --------------------------------------------------------------------------------------------


def lines_of(made, change):
    return change([[team, "fid", str(n + 1), f"{v:.6g}"] for team, (_, own) in made.items() for n, v in enumerate(own)])


def dropped(lines):
    return lines[:-1]


@pytest.mark.parametrize(
    ("values", "header", "change", "message"),
    [
        (None, None, None, "fid of alder and of 2 more comes without uncertainty. Send replicates, or a column “se”"),
        (None, None, dropped, "the replicate '400' is there for fid of alder and not for fid of cedar"),
        (None, None, lambda lines: [row for row in lines if int(row[2]) < 200], "there are 199 replicates, and 200 are the least"),
        (None, None, lambda lines: [*lines, lines[0]], "row 1202, column replicate: '1' a second time for 'alder', 'fid'"),
        (None, None, lambda lines: [["alder", "fid", "1", "nan"], *lines[1:]], "row 2, column value: 'nan' is no number"),
        (None, None, lambda lines: [["alder", "fid", "1", "-4"], *lines[1:]], "'-4' lies outside the declared range"),
        (None, None, lambda lines: [["dogwood", *row[1:]] if row[0] == "cedar" else row for row in lines], "'dogwood' is none of the teams"),
        (None, None, lambda lines: [[row[0], "tra", *row[2:]] for row in lines], "'tra' is no metric of the whole data set"),
        (None, None, lambda lines: [[*row[:2], "", row[3]] if row[2] == "7" else row for row in lines], "column replicate: the cell is empty"),
        ([("alder", "c01", "fid", 4)], ("algorithm", "case", "metric", "value"), None, "'c01' beside fid, which is one value of the whole data set"),
        ([("alder", "fid", 4, 0)], ("algorithm", "metric", "value", "se"), None, "'0' is no standard error"),
        ([("alder", "fid", 4, "x")], ("algorithm", "metric", "value", "se"), None, "'x' is no standard error"),
        ([("alder", "fid", "", 3)], ("algorithm", "metric", "value", "se"), None, "a standard error and no value"),
        ([("alder", "fid", 4, 1), ("birch", "fid", 4, "")], ("algorithm", "metric", "value", "se"), None, "fid of birch comes without uncertainty"),
        ([("alder", "fid", 4), ("alder", "fid", 5)], None, None, "a second value of 'alder', 'fid'. The first stands in row 2."),
        ([("alder", "fid", "4.0", "5")], ("algorithm", "metric", "value", "other"), None, "there are several columns of values ('value', 'other')"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_taken_is_told_in_one_line(world, values, header, change, message, capsys, tmp_path):
    made = drawn()
    rows = values or [(team, "fid", value) for team, (value, _) in made.items()]
    world.values(rows, header or ("algorithm", "metric", "value"))
    if change is not None:
        world.replicates(made, rows=lines_of(made, change))
    (tmp_path / "a.json").write_text(json.dumps(document()))
    folders = ["--references", str(tmp_path / "references"), "--predictions", str(tmp_path / "measured")]
    assert main(["score", str(tmp_path / "a.json"), *folders]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_replicates_and_standard_errors_are_not_mixed(world):
    made = drawn()
    rows = [("alder", "fid", 40, ""), ("birch", "fid", 45, 1.5), ("cedar", "fid", 50, 1.5)]
    world.values(rows, ("algorithm", "metric", "value", "se"))
    world.replicates(made, rows=lines_of({"alder": made["alder"]}, list))
    with pytest.raises(ValueError, match="fid of alder has replicates, and that of birch a standard error"):
        world.scored(document())
    world.replicates(made, rows=lines_of(made, list))
    with pytest.raises(ValueError, match=r"fid of birch has replicates and a standard error\. Send one of them"):
        world.scored(document())


def test_replicates_of_single_cases_are_refused(world):
    world.values([("alder", case, 0.5) for case in CASES], ("algorithm", "case", "value"))
    world.replicates(drawn())
    with pytest.raises(ValueError, match="no metric of this phase is one value of the whole data set"):
        world.scored(document({**TRA, "level": "case"}))


def test_the_list_of_cases_is_complete_and_names_each_once(world, tmp_path):
    world.values([("alder", "fid", 4, 1)], ("algorithm", "metric", "value", "se"))
    (tmp_path / "references/cases.csv").write_text("case\nc01\nc01\n")
    with pytest.raises(ValueError, match="a second row for the case c01"):
        world.scored(document())
    (tmp_path / "references/cases.csv").unlink()
    with pytest.raises(ValueError, match=r"cases\.csv"):
        world.scored(document())


# The worst value of a case ----------------------------------------------------------------------------------------------

TIME = {"id": "runtime", "direction": "lower", "range": [0, None], "unit": "s", "policy": {"missing": "worst"}}


def test_a_missing_value_counts_as_the_worst_of_its_case(world, tmp_path):
    rows = [(team, case, 10 + place, 600) for place, team in enumerate(TEAMS) for case in CASES]
    rows[0] = ("alder", "c00", "", 900)
    rows[20] = ("birch", "c00", 11, 900)
    rows[40] = ("cedar", "c00", 12, 900)
    made = world.values(rows, ("algorithm", "case", "value", "worst")).scored(document(TIME))
    assert {row.worst for row in made.rows if row.case == "c00"} == {900.0}
    table = pd.DataFrame(
        [(*row[:5], str(row.outcome), row.worst) for row in made.rows],
        columns=["algorithm", "case", "region", "metric", "value", "outcome", "worst"],
    )
    ranked = rank(parse(document(TIME)), table)
    scores = {row["name"]: row["score"] for row in single(ranked)["algorithms"]}
    assert scores["alder"] == pytest.approx((19 * 10 + 900) / 20)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: (*row[:3], "") if row[1] == "c00" else row, "no row says the worst value of c00, runtime, and a missing one counts as that"),
        (lambda row: (*row[:3], 700) if row[:2] == ("birch", "c01") else row, "'700' as the worst runtime of c01, and 600 above"),
        (lambda row: (*row[:3], "inf") if row[1] == "c02" else row, "'inf' is no number. Write the worst runtime of the case"),
    ],
)  # fmt: skip
def test_a_worst_value_that_is_none_is_told(world, change, message):
    rows = [(team, case, 10 + place, 600) for place, team in enumerate(TEAMS) for case in CASES]
    rows[0] = ("alder", "c00", "", 600)
    world.values([change(row) for row in rows], ("algorithm", "case", "value", "worst"))
    with pytest.raises(ValueError) as caught:
        world.scored(document(TIME))
    assert message in str(caught.value)
