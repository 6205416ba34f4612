"""Plan of the paper: the guideline items of each paragraph, and the redundant parts of their tables."""

from typing import Final

Paragraphs = tuple[tuple[str, ...], ...]

INTRODUCTION: Final[Paragraphs] = (("4a",), ("4b",), ("4c",))
METHODS: Final[tuple[tuple[str, Paragraphs], ...]] = (
    (
        "Organization",
        (
            ("5a", "5b", "6", "8a", "8b", "8c", "7"),
            ("10a", "10b"),
            ("9a", "9b", "9c", "9d"),
            ("9e", "9f", "11"),
            ("12", "13", "14a", "14b"),
            ("15", "16"),
        ),
    ),
    ("Mission", (("17", "18", "20", "19a", "19b"), ("22a", "22b", "21a", "21b", "21c", "23"))),
    (
        "Data",
        (
            ("24a", "24b", "24c", "24d"),
            ("25a", "25b", "25c", "25d"),
            ("26a", "26b", "26c", "26d"),
            ("27", "28a", "28b"),
        ),
    ),
    ("Assessment", (("29a", "29b"), ("30a", "30b", "30c"), ("31a", "31b"))),
)
TEAMS: Final = ("32a", "32b", "32c", "33b")
DISCUSSION: Final[Paragraphs] = (("37",), ("39a",), ("39b",), ("39c",), ("38a",), ("38b",), ("41",))
LIMITATIONS: Final = ("40",)
CONCLUSION: Final = ("42",)

RESULTS: Final = frozenset({"33a", "34", "35a", "35b"})
"""Items whose numbers and figures appear in the results.

The results have separate sentences and exhibits.
"""
AS_TABLES: Final = frozenset({"metrics_executed", "methods", "hard_cases"})
"""Exhibits that remain tables, however short they are."""
LEFT_OUT: Final = frozenset(
    {
        # Executed are the metrics of the other table, by the method that the sentences tell.
        "metrics",
        "ranking_method",
        "procedure",
        "policies",
        # In the table of the ranking.
        "teams",
    }
)
JOINED: Final = 900
"""Paragraphs of one item that have fewer characters together are one."""
SHORTENED: Final = frozenset({"hard_cases"})
"""Tables of which the paper shows the first rows."""
MOST_ROWS: Final = 8
"""Maximum number of rows for which a table of the design becomes a sentence.

A table with more rows remains a table.
"""
