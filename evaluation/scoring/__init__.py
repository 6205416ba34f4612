"""From files of a case to rows of a results table."""

from evaluation.problems.folders import find_cases
from evaluation.scoring.evidence import read_evidence, recompute, write_evidence
from evaluation.scoring.folders import ScoredFolders, score_folders
from evaluation.scoring.instances import PreparedInstances, prepare_instances, score_instances
from evaluation.scoring.objects import ObjectScores, objects_of_image, score_objects
from evaluation.scoring.provenance import provenance, write_provenance
from evaluation.scoring.rows import Row, ScoredCase
from evaluation.scoring.semantic import PreparedReference, allowed_labels, prepare_reference, score_case
from evaluation.scoring.table import COLUMNS, read_results, results_text, write_results

__all__ = [
    "COLUMNS",
    "ObjectScores",
    "PreparedInstances",
    "PreparedReference",
    "Row",
    "ScoredCase",
    "ScoredFolders",
    "allowed_labels",
    "find_cases",
    "objects_of_image",
    "prepare_instances",
    "prepare_reference",
    "provenance",
    "read_evidence",
    "read_results",
    "recompute",
    "results_text",
    "score_case",
    "score_folders",
    "score_instances",
    "score_objects",
    "write_evidence",
    "write_provenance",
    "write_results",
]
