"""Costs from the registered design to the ranking: declared in it, bounded by its limits, measured here, ranked on their own."""

from typing import Any

import numpy as np
import pytest

from challenges.models import Phase
from challenges.queries import projection_differences
from challenges.services import join_with_team, launch
from datastore.test_sets.services.sealing import create_test_set
from leaderboards.models import RankingVersion
from leaderboards.services import rankings
from tests.integration.challenges import world as designs
from tests.integration.executions.costs_world import run_with
from tests.integration.executions.world import Algorithms
from tests.integration.submissions.world import CASES, labels, nifti

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Costs are values of result files. `test_running.py` runs algorithms on both databases."),
]

TIME = {
    "cost": "run_wall_time",
    "name": {"other": "Wall time"},
    "orientation": "lower",
    "used_for_ranking": True,
    "cost_step": 0.5,
}
MEMORY = {
    "cost": "run_peak_memory",
    "name": {"other": "Peak memory"},
    "orientation": "lower",
    "used_for_ranking": False,
}
RUNNING = {
    "challenge": {
        "submission_method": ["docker_container"],
        "phase_settings": [{"phase": "Final phase", "leaderboard": "public"}],
    },
    "test_data_access": "hidden",
    "algorithm_execution": {
        "case_seconds": 20, "start_seconds": 10, "memory_mib": 64, "cpus": 1, "exclusive": True, "requires_dry_run": False,
    },
}  # fmt: skip


def rows() -> tuple[list[Any], list[Any]]:
    """Return metrics and rankings of the example with costs: its registered quality ranking and a speed ranking."""
    task = designs.document()["tasks"][0]
    speed = {
        "name": "Speed", "metrics": ["Wall time"], "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank",
        "region_aggregation": "with_metrics",
    }  # fmt: skip
    return [*task["metrics"], TIME, MEMORY], [*task["ranking_method"], speed]


def launched(folder: Any) -> tuple[Algorithms, designs.Registered]:
    metrics, ranking = rows()
    found = designs.registered(**RUNNING, metrics=metrics, ranking_method=ranking, ranking_type="multiple_rankings")
    challenge = launch(actor=found.owner, registration=found.registration)
    phase = Phase.objects.get(task__challenge=challenge, slug="final")
    places = {}
    for kind, shift in (("references", 0), ("images", 1)):
        places[kind] = folder / kind
        places[kind].mkdir(parents=True)
        for case in CASES:
            (places[kind] / f"{case}.nii.gz").write_bytes(nifti(labels(shift).astype(np.uint8)))
    create_test_set(phase=phase, references=places["references"], images=places["images"], cases=list(CASES))
    people = [designs.person(name) for name in ("ada", "bo")]
    teams = [
        join_with_team(user=user, challenge=challenge, team_name=name)
        for user, name in zip(people, ("Ada's", "Bo's"), strict=True)
    ]
    made = Algorithms(challenge, phase, phase.test_sets.get(), found.owner, *people, *teams)
    return made, found


def test_costs_are_registered_launched_run_and_ranked(engine, tmp_path):
    made, _ = launched(tmp_path)
    assessment = made.phase.assessment

    assert [(use.title, use.unit, use.worst) for use in assessment.by_run] == [
        ("Wall time", "s", 30),
        ("Peak memory", "MiB", 64),
    ]
    assert made.phase.algorithms["exclusive"] is True
    assert projection_differences(made.challenge) == []

    for seconds, team in ((9.25, made.adas), (3.75, made.bos)):
        run_with(made, engine, seconds, team=team)
    rankings.request_ranking(made.phase.pk, cause="request")
    rankings.rank_phase(phase_id=made.phase.pk)

    version = RankingVersion.objects.get(phase=made.phase)
    orders = {order["key"]: order for order in version.table["orders"]}
    assert version.table["teams"] == ["Ada's", "Bo's"]
    # In whole steps of half a second: a case of 9.25 s took 9.
    speed = orders["Speed/Wall time"]
    assert (speed["rank"], speed["score"], speed["unit"]) == ([2, 1], [10.5, 5.0], "s")
    assert (orders["overall/Mean rank"]["rank"], orders["overall/Speed"]["rank"]) == ([1, 1], [2, 1])
    assert [own["title"] for own in version.table["reported"]] == ["Peak memory"]
