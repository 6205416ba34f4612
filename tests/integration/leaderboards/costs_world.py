"""The challenge of `world` with phases that rank run costs.

The costs of single cases are numbers that appear nowhere else.
"""

import re

from accounts.models import User
from challenges.models import Organizer, Phase
from datastore.test_sets.models import TestCase
from evaluation.aggregation.summary import summarize
from evaluation.assessment import Assessment, parse
from evaluation.scoring import provenance
from executions.scoring.domain import results
from executions.scoring.domain.results import CaseRow
from submissions.models import Run
from submissions.queries import results_frame
from tests.integration.leaderboards import examples, world

TIME = {"id": "run_wall_time", "by": "run", "worst": 200}
COSTLY = {**examples.ASSESSMENT, "metrics": [*examples.ASSESSMENT["metrics"], TIME]}
# Far from every mean of them, in either half: whoever prints one of these prints what a single case took.
SECONDS = (4.125, 4.375, 4.625, 4.875, 5.25, 94.125, 94.375, 94.625, 94.875, 95.25)
MORE = {"Ada": 0.0, "Ben": 1 / 32, "again": 1 / 16}
"""Additional seconds per case, exactly representable in binary.

They apply to the second team and to the second submission of the first team.
"""
_TEXTS = {f"{own + more:.{digits}f}" for own in SECONDS for more in MORE.values() for digits in (2, 3, 4, 5)}
_SECRETS = re.compile(r"(?<![\d.])(?:" + "|".join(map(re.escape, sorted(_TEXTS))) + r")0*(?!\d)")


def tells_a_cost(text: str) -> bool:
    """Return whether a text contains the cost of a run on a single case, exactly or rounded."""
    return bool(_SECRETS.search(text))


def build(document: dict = COSTLY) -> world.World:
    """Build three phases, each with a ranking that also uses costs.

    The cases come from two sites. Two more people can view the challenge.
    """
    built = world.build(ranked=())
    assessment = parse(document)
    for phase in built.phases.values():
        phase.assessment_document, phase.assessment_digest = dict(assessment.document), assessment.digest
        phase.algorithms = {"case_seconds": 200, "start_seconds": 0, "exclusive": True}
        phase.results = Phase.Results.CASES
        phase.save()
        for index, case in enumerate(TestCase.objects.filter(test_set__phase=phase).order_by("name")):
            case.metadata = {"site": "north" if index < 5 else "south"}
            case.reference_sha256 = f"{phase.pk:032x}{index:032x}"
            case.save()
        for number, team in enumerate(built.teams.values()):
            add_run(built, phase, team, assessment, level=0.9 - 0.1 * number, more=MORE[team.name])
        world.rank(phase)
    built.people["root"] = User.objects.create_superuser("root", "root@example.org", "a long password")
    built.people["moderator"] = User.objects.create(username="mo", email="mo@example.org")
    Organizer.objects.create(challenge=built.challenge, user=built.people["moderator"], role=Organizer.Role.MODERATOR)
    return built


def add_run(
    built: world.World, phase: Phase, team: object, assessment: Assessment, *, level: float, more: float = 0.0
) -> Run:
    """A result whose cases took `SECONDS` and so much more."""
    run = world.scored_run(phase, team, built.people["member"], level=level)
    rows = [row for row in results.rows_of(results.read(run.result_file)) if row.metric != "Wall time"]
    rows += [
        CaseRow(case, "", "Wall time", own + more, "ok", None) for case, own in zip(world.CASES, SECONDS, strict=True)
    ]
    run.result_file = f"results/costs-{run.pk}.parquet"
    results.store(rows, run.result_file)
    run.result_digest, run.provenance = results.digest(rows), provenance(assessment)
    run.save()
    run.summary = summarize(assessment, results_frame(run), cases=world.CASES)
    run.save()
    return run
