"""Time of the report of a large challenge: 200 teams, 500 cases, 5 metrics, 3 regions, 1,000 submissions.

The result is the processor time of the process that creates it, from the stored ranking to all files. The ranking
itself exists before. `PODIUM_BENCH_TEAMS` and `PODIUM_BENCH_CASES` make it smaller.
"""

import time
from collections.abc import Iterator

from tests.performance.bench_leaderboard import CASES, TEAMS, Timing, build, surroundings

LIMIT = 60.0


def benchmarks() -> Iterator[Timing]:
    """Measure the full report for the organizers, with every format."""
    with surroundings():
        phase = build()
        from accounts.models import User
        from leaderboards.services import rankings
        from reports.exposure.queries.facts import Audience
        from reports.services import reports

        rankings.request_ranking(phase.pk)
        if rankings.rank_phase(phase_id=phase.pk) is None:
            raise RuntimeError("the ranking failed")
        report = reports.request_report(
            actor=User.objects.get(username="bench"), challenge=phase.challenge, audience=Audience.ORGANIZERS
        )
        started = time.process_time()
        made = reports.make_report(report_id=report.pk)
        seconds = time.process_time() - started
        if made is None or not made.is_done:
            raise RuntimeError(made.failure if made else "the report was left alone")
        yield Timing(f"full report, {TEAMS} teams × {CASES} cases", seconds, LIMIT, "– (none)", seconds)
