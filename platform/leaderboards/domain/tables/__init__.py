"""Output shaped: the ranking document as a stored table, the stored table as a page or a file."""

from leaderboards.domain.tables.files import csv_rows, harmless
from leaderboards.domain.tables.page import MARKS, Board, HardCase, Mark, Row, board, hard_case, marks_of
from leaderboards.domain.tables.stored import OVERALL, build, combined_rankings, metric_title
from leaderboards.domain.tables.verdict import Verdict, verdict

__all__ = [
    "MARKS",
    "OVERALL",
    "Board",
    "HardCase",
    "Mark",
    "Row",
    "Verdict",
    "board",
    "build",
    "combined_rankings",
    "csv_rows",
    "hard_case",
    "harmless",
    "marks_of",
    "metric_title",
    "verdict",
]
