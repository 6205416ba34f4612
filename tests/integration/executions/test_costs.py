"""Run costs as values of a result: joined per case and ranked together with the other values.

Failed cases count with the registered limit.
"""

import json

import pytest

from evaluation.assessment import parse
from evaluation.bundle import verify
from executions.scoring.domain import results
from leaderboards.models import RankingVersion
from leaderboards.services import bundles, computing
from submissions.models import Submission
from submissions.services import states
from tests.integration.executions.costs_world import OWN_RANKINGS, costly, judge, run_with
from tests.integration.submissions.world import ASSESSMENT, CASES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Costs are values of result files. `test_running.py` runs algorithms on both databases."),
]


def rows_of(submission, metric):
    run = submission.runs.get(counts=True)
    table = results.read(run.result_file)
    own = table[table["metric"] == metric]
    return {row.case: (row.region, row.value, row.outcome) for row in own.itertuples()}


def ranked(phase):
    version = computing.compute(computing.collect(phase))
    version.number = 1
    return version


def fails_on_the_first(work):
    seen = getattr(fails_on_the_first, "seen", 0)
    fails_on_the_first.seen = seen + 1
    if seen:
        for case in work.cases:
            work.copy(case)
    else:
        work.exit(1)


def test_every_case_of_a_result_has_its_cost_in_the_unit_of_the_metric(world, engine, tmp_path):
    costly(world, tmp_path)
    submission = run_with(world, engine, 3.0)

    assert submission.state == Submission.State.SCORED
    assert rows_of(submission, "Wall time") == {case: ("", 3.0 + n, "ok") for n, case in enumerate(CASES)}
    assert rows_of(submission, "Peak memory") == {case: ("", 30.0 + n, "ok") for n, case in enumerate(CASES)}
    summary = submission.runs.get(counts=True).summary
    values = {value["metric"]: value["value"] for value in summary["values"]}
    assert (values["Wall time"], values["Peak memory"]) == (4.5, 31.5)
    assert summary["missing_cases"] == 0


def test_a_case_that_failed_has_no_cost_and_counts_as_the_limit(world, engine, tmp_path):
    costly(world, tmp_path)
    fails_on_the_first.seen = 0
    submission = run_with(world, engine, 3.0, script=fails_on_the_first)

    outcomes = [outcome for _, _, outcome in rows_of(submission, "Wall time").values()]
    assert sorted(outcomes) == ["missing", "ok", "ok", "ok"]
    run = submission.runs.get(counts=True)
    value = next(own["value"] for own in run.summary["values"] if own["metric"] == "Wall time")
    finished = [number for _, number, outcome in rows_of(submission, "Wall time").values() if outcome == "ok"]
    assert value == pytest.approx((sum(finished) + 20) / 4)
    assert run.summary["missing_cases"] == 1


def test_scoring_again_takes_what_was_measured_and_runs_nothing(world, engine, tmp_path):
    costly(world, tmp_path)
    submission = run_with(world, engine, 3.0)
    before, starts = rows_of(submission, "Wall time"), len(engine.starts)

    states.repeat(submission=submission, actor=world.organizer)
    judge(submission)

    assert submission.runs.count() == 2
    assert rows_of(submission, "Wall time") == before
    assert len(engine.starts) == starts


@pytest.mark.parametrize(
    ("metric", "is_exclusive", "why"),
    [
        (
            {"id": "run_wall_time", "by": "run", "worst": 20},
            False,
            "Wall time was taken where other algorithms could run",
        ),
        ({"id": "run_gpu_time", "by": "run", "worst": 20}, True, "GPU time of 4 cases was not measured"),
    ],
)
def test_what_was_not_measured_as_it_is_registered_by_now_is_no_value_and_no_failed_case(
    world, engine, metric, is_exclusive, why
):
    phase = world.phase
    world.set_plan(exclusive=is_exclusive)
    submission = run_with(world, engine, 3.0)
    document = {**ASSESSMENT, "metrics": [{"id": "dsc"}, metric]}
    phase.assessment_document, phase.assessment_digest = document, parse(document).digest
    phase.save()

    states.repeat(submission=submission, actor=world.organizer)
    judge(submission)

    run = submission.runs.latest("number")
    assert run.state == "failed"
    assert why in run.message
    assert "the team must submit the algorithm again. The earlier result remains valid." in run.message
    assert submission.runs.get(counts=True).number == 1


def test_costs_decide_between_algorithms_of_one_quality(world, engine, tmp_path):
    phase = costly(world, tmp_path)
    run_with(world, engine, 3.0)
    run_with(world, engine, 5.0, team=world.bos)

    version = ranked(phase)

    orders = {order["key"]: order for order in version.table["orders"]}
    assert version.table["teams"] == ["Ada's", "Bo's"]
    time = orders["Wall time"]
    assert (time["title"], time["unit"], time["higher"], time["region"]) == ("Wall time", "s", False, None)
    assert (time["rank"], time["score"]) == ([1, 2], [4.5, 6.5])
    assert orders["overall"]["rank"] == [1, 2]


def test_a_ranking_of_its_own_leaves_quality_alone(world, engine, tmp_path):
    phase = costly(world, tmp_path, assessment=OWN_RANKINGS)
    run_with(world, engine, 5.0)
    run_with(world, engine, 3.0, team=world.bos)

    version = ranked(phase)

    orders = {order["key"]: order for order in version.table["orders"]}
    assert orders["speed/Wall time"]["rank"] == [2, 1]
    assert orders["overall/quality"]["rank"] == [1, 1]


def test_the_bundle_verifies_and_says_what_was_measured_and_not_computed_again(world, engine, tmp_path):
    from leaderboards.services import rankings

    phase = costly(world, tmp_path)
    run_with(world, engine, 3.0)
    run_with(world, engine, 5.0, team=world.bos)
    rankings.request_ranking(phase.pk, cause="request")
    rankings.rank_phase(phase_id=phase.pk)
    version = RankingVersion.objects.select_related("phase__task__challenge").get(phase=phase)
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"".join(bundles.chunks(version, key="costly")))

    verdict = verify(path, digest=version.digest)

    assert verdict.same, verdict.sentence
    assert (
        "The values of Wall time and Peak memory were measured while the algorithms ran. They are used as measured and were "
        "not computed again."
    ) in verdict.notes
    assert json.dumps(version.inputs)


def test_organizers_read_beside_the_figure_how_far_runs_of_one_algorithm_lie_apart(world, engine, tmp_path, client):
    from leaderboards.services import analyses, rankings

    phase = costly(world, tmp_path, leaderboard="public")
    image = world.image(digit="9")
    for seconds in (3.0, 4.0):
        run_with(world, engine, seconds, image=image)
    run_with(world, engine, 6.0, team=world.bos)
    rankings.request_ranking(phase.pk, cause="request")
    version = rankings.rank_phase(phase_id=phase.pk)
    analyses.analyse_version(version_id=version.pk)
    address = "/challenges/blocks/leaderboard/costly/?view=costs"

    pages = {}
    for person in (world.organizer, world.ada, world.bo):
        client.force_login(person)
        pages[person.username] = client.get(address).content.decode()

    # Four cases of 3, 4, 5, 6 s and 4, 5, 6, 7 s: means of 4.5 and 5.5, whose median is 5.
    assert "Variation between repeated runs" in pages["olga"]
    assert "20.0%" in pages["olga"]
    assert "1 of 1" in pages["olga"]
    assert "Variation between repeated runs" not in pages["ada"] + pages["bo"]
    assert "quality-and-wall-time.json" in pages["ada"]
