"""Rankings in the export of a challenge."""

from collections.abc import Iterator

from challenges.models import Challenge
from challenges.queries import phases_of
from leaderboards.domain.board_files import csv_rows
from leaderboards.models import RankingVersion
from leaderboards.queries.current import current_standing, standings_of
from leaderboards.queries.names import shown_names, substitute
from web.spreadsheets import csv_text

COLUMNS = (
    *("phase__task__slug", "phase__slug", "number", "created_at", "cases", "seed", "bootstrap"),
    *("assessment_digest", "inputs_digest", "digest"),
)

HEADS = ("task", "phase", *COLUMNS[2:])


def exported(challenge: Challenge) -> Iterator[tuple[str, str]]:
    """Yield every version of every ranking by its digests, the history of rankings, and the tables of the current ones."""
    phases = phases_of(challenge)
    rows = RankingVersion.objects.filter(phase__in=phases).order_by(
        "phase__task__position", "phase__position", "number"
    )
    yield "rankings/versions.csv", csv_text(HEADS, rows.values_list(*COLUMNS))
    columns = ("phase__task__slug", "phase__slug", "version__number", "since", "cause")
    history = [row for phase in phases for row in standings_of(phase).values_list(*columns, "pk")]
    history.sort(key=lambda row: (row[3], row[5]))
    yield "rankings/history.csv", csv_text(["task", "phase", "number", "since", "cause"], [row[:5] for row in history])
    for phase in phases:
        current = current_standing(phase)
        if current is not None:
            head, *lines = csv_rows(substitute(current.version.table, shown_names(phase)))
            yield f"rankings/{phase.task.slug}-{phase.slug}-v{current.version.number}.csv", csv_text(head, lines)
