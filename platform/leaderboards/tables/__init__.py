"""Output shaped: the ranking document as a stored table, the stored table as a page or a file."""

from leaderboards.tables.files import csv_rows, harmless
from leaderboards.tables.page import Board, HardCase, Row, board, hard_case
from leaderboards.tables.stored import OVERALL, build, combined_rankings, metric_title
from leaderboards.tables.verdict import Verdict, verdict

__all__ = [
    "OVERALL",
    "Board",
    "HardCase",
    "Row",
    "Verdict",
    "board",
    "build",
    "combined_rankings",
    "csv_rows",
    "hard_case",
    "harmless",
    "metric_title",
    "verdict",
]
