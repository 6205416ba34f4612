"""What rankings add to the export of a challenge."""

from collections.abc import Iterator

from challenges.models import Challenge
from challenges.queries import phases_of
from leaderboards.domain.board_files import csv_rows
from leaderboards.models import RankingVersion, Standing
from leaderboards.queries.names import shown_names, substitute
from web.spreadsheets import csv_text

COLUMNS = (
    *("phase__task__slug", "phase__slug", "number", "created_at", "cases", "seed", "bootstrap"),
    *("assessment_digest", "inputs_digest", "digest"),
)

HEADS = ("task", "phase", *COLUMNS[2:])


def exported(challenge: Challenge) -> Iterator[tuple[str, str]]:
    """Every version of every ranking by its digests, when each of them stood, and the tables that stand now."""
    phases = phases_of(challenge)
    rows = RankingVersion.objects.filter(phase__in=phases).order_by(
        "phase__task__position", "phase__position", "number"
    )
    yield "rankings/versions.csv", csv_text(HEADS, rows.values_list(*COLUMNS))
    stood = Standing.objects.filter(phase__in=phases).order_by("since", "pk")
    columns = ("phase__task__slug", "phase__slug", "version__number", "since", "cause")
    yield "rankings/history.csv", csv_text(["task", "phase", "number", "since", "cause"], stood.values_list(*columns))
    for phase in phases:
        last = stood.filter(phase=phase).select_related("version").last()
        if last is not None:
            head, *lines = csv_rows(substitute(last.version.table, shown_names(phase)))
            yield f"rankings/{phase.task.slug}-{phase.slug}-v{last.version.number}.csv", csv_text(head, lines)
