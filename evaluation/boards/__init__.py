"""A ranking as a board: the ranking document as a stored table, and the stored table as a page, a picture and answers."""

from evaluation.boards.axis import Axis
from evaluation.boards.page import MARKS, Board, Mark, Row, board, marks_of
from evaluation.boards.stored import CERTAINTY, COLUMNS, EFFECTS, OVERALL, build
from evaluation.boards.words import VERDICTS, HardCase, hard_case, looks, spoken

__all__ = [
    "CERTAINTY",
    "COLUMNS",
    "EFFECTS",
    "MARKS",
    "OVERALL",
    "VERDICTS",
    "Axis",
    "Board",
    "HardCase",
    "Mark",
    "Row",
    "board",
    "build",
    "hard_case",
    "looks",
    "marks_of",
    "spoken",
]
