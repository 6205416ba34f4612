"""Two states of a design compared: by word for text, by row for tables, by unit for numbers (REG-6)."""

from evaluation.designs.differences.comparing import Difference, compare, compare_entries
from evaluation.designs.differences.parts import (
    Cell,
    NumberChange,
    RowChange,
    Run,
    number_change,
    row_changes,
    word_runs,
)

__all__ = [
    "Cell",
    "Difference",
    "NumberChange",
    "RowChange",
    "Run",
    "compare",
    "compare_entries",
    "number_change",
    "row_changes",
    "word_runs",
]
