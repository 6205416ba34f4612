"""Output shaped: the ranking document as a stored table, the stored table as a page or a file."""

from leaderboards.domain.tables.axis import Axis
from leaderboards.domain.tables.certainty import looks, spoken
from leaderboards.domain.tables.files import REPORTED, csv_rows
from leaderboards.domain.tables.hard_cases import HardCase, hard_case
from leaderboards.domain.tables.page import MARKS, Board, Mark, Row, board, marks_of
from leaderboards.domain.tables.stored import CERTAINTY, COLUMNS, OVERALL, build
from web.spreadsheets import harmless

__all__ = [
    "CERTAINTY",
    "COLUMNS",
    "MARKS",
    "OVERALL",
    "REPORTED",
    "Axis",
    "Board",
    "HardCase",
    "Mark",
    "Row",
    "board",
    "build",
    "csv_rows",
    "hard_case",
    "harmless",
    "looks",
    "marks_of",
    "spoken",
]
