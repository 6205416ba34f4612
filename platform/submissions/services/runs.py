"""Starting runs."""

import math
from collections.abc import Sequence

from django.db.models import Max

from accounts.models import User
from judging.services import judging
from scoring.domain.report import Report, Status
from submissions.models import Chunk, Run, Submission
from submissions.queries.work import SCORING
from test_sets.queries.expectation import ExpectedCase, expectation
from test_sets.queries.test_sets import active_test_set
from work.clock import shared_now
from work.jobs import enqueue

# A chunk should take about a third of a second: long against its overhead, short against everything that can go wrong.
CHUNK_CASES = 20
CHUNK_VOXELS = 2_000_000
# Every chunk of a table reads the table: so few chunks, however many cases there are.
TABLE_CHUNKS = 16
TABLE_CHUNK_CASES = 50


def start_run(*, submission: Submission, trigger: str, actor: User | None = None) -> Run:
    """Cut the valid cases of a submission into chunks and ask as many workers; call it in the deciding transaction.

    The database refuses a second unfinished run of a submission.
    """
    phase = submission.phase
    test_set = active_test_set(phase)
    wanted = expectation(test_set, phase.assessment)
    findings = Report.of(submission.report).findings
    valid = [case for case in wanted.cases if case.name in findings and findings[case.name].status == Status.VALID]
    run = Run.objects.create(
        submission=submission,
        number=(submission.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        trigger=trigger,
        triggered_by=actor,
        test_set=test_set,
        assessment_digest=phase.assessment_digest,
        cases_total=len(wanted.cases),
        case_notes={name: finding.message for name, finding in findings.items() if finding.status != Status.VALID},
    )
    now = shared_now()
    chunks = [
        Chunk(run=run, index=index, cases=names, cases_total=len(names), asked_at=now)
        for index, names in enumerate(cut(valid))
    ]
    Chunk.objects.bulk_create(chunks)
    for _ in chunks:
        enqueue(SCORING.task)
    if phase.assessment.scorer:
        _ask_scorer(run, submission, valid)
    if not chunks:
        # An algorithm that answered no case: nothing is to be scored, and every case is missing.
        enqueue("submissions.tasks.finish", str(run.pk))
    return run


def _ask_scorer(run: Run, submission: Submission, valid: Sequence[ExpectedCase]) -> None:
    """Have the organizers' scoring image asked for the same cases; decoys have no reference to be shown."""
    decoys = set(run.test_set.cases.filter(is_decoy=True).values_list("name", flat=True))
    report = Report.of(submission.report)
    judging.ask(
        run=run.pk,
        phase=submission.phase,
        team=submission.team,
        test_set=run.test_set,
        predictions_file=submission.predictions_file,
        members=report.members,
        beside=report.table,
        groups=cut([case for case in valid if case.name not in decoys]),
    )


def cut(cases: Sequence[ExpectedCase]) -> list[list[str]]:
    """Cut cases into chunks of at most `CHUNK_CASES` cases and about `CHUNK_VOXELS` voxels; cases of a table by their number.

    Examples
    --------
    >>> small, large = 40 * 50 * 30, 512 * 512 * 300
    >>> cut([ExpectedCase(name, byte_limit=1, cost=cost) for name, cost in (("a", small), ("b", small), ("c", large))])
    [['a', 'b'], ['c']]
    >>> [len(chunk) for chunk in cut([ExpectedCase(str(number)) for number in range(120)])]
    [50, 50, 20]
    """
    if cases and not cases[0].byte_limit:
        size = max(TABLE_CHUNK_CASES, math.ceil(len(cases) / TABLE_CHUNKS))
        names = [case.name for case in cases]
        return [names[start : start + size] for start in range(0, len(names), size)]
    chunks: list[list[str]] = []
    voxels = 0
    for case in cases:
        if not chunks or len(chunks[-1]) >= CHUNK_CASES or voxels + case.cost > CHUNK_VOXELS:
            chunks.append([])
            voxels = 0
        chunks[-1].append(case.name)
        voxels += case.cost
    return chunks
