"""Pitfalls of metrics: looked for in the design and the data, shown with a small example, and with what to do."""

from evaluation.advice.pitfalls.catalogue import Pitfall, about, pitfalls
from evaluation.advice.pitfalls.check import Finding, check
from evaluation.advice.pitfalls.demonstrations import Demonstration, demonstrations, demonstrations_of
from evaluation.advice.pitfalls.facts import DesignFacts, Facts
from evaluation.advice.pitfalls.pictures import picture
from evaluation.advice.pitfalls.scan import (
    PredictionScan,
    ReferenceScan,
    RegionScan,
    scan_predictions,
    scan_references,
)
from evaluation.advice.pitfalls.scan_tables import scan_labels, scan_objects

__all__ = [
    "Demonstration",
    "DesignFacts",
    "Facts",
    "Finding",
    "Pitfall",
    "PredictionScan",
    "ReferenceScan",
    "RegionScan",
    "about",
    "check",
    "demonstrations",
    "demonstrations_of",
    "picture",
    "pitfalls",
    "scan_labels",
    "scan_objects",
    "scan_predictions",
    "scan_references",
]
