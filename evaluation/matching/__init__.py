"""Objects of a reference and of a prediction: which hits which, and who is matched to whom."""

from evaluation.matching.assignment import ASSIGNMENTS, Matching, Rule, match_objects
from evaluation.matching.criteria import CRITERIA, Pairs
from evaluation.matching.objects import Objects, from_label_map

__all__ = [
    "ASSIGNMENTS",
    "CRITERIA",
    "Matching",
    "Objects",
    "Pairs",
    "Rule",
    "from_label_map",
    "match_objects",
]
