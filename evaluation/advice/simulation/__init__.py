"""Simulation of a planned challenge: differences that its design can detect."""

from typing import Any

from evaluation.advice.simulation.model import MOST_SKEWNESS, SimulationError, Spread
from evaluation.advice.simulation.plots import figures
from evaluation.advice.simulation.result import CurvePoint, SelectivePoint, SimulationResult
from evaluation.advice.simulation.run import FEWEST_CASES, FEWEST_TEAMS, MAX_CASES, MAX_TEAMS, MOST_FAILURES, simulate
from evaluation.advice.simulation.words import sentences

__all__ = [
    "FEWEST_CASES",
    "FEWEST_TEAMS",
    "MAX_CASES",
    "MAX_TEAMS",
    "MOST_FAILURES",
    "MOST_SKEWNESS",
    "CurvePoint",
    "SelectivePoint",
    "SimulationError",
    "SimulationResult",
    "Spread",
    "figures",
    "report_of",
    "sentences",
    "simulate",
]


def report_of(result: SimulationResult) -> dict[str, Any]:
    """Return the numbers of a simulation with their sentences and figures, ready for JSON."""
    return {**result.document, "sentences": sentences(result), "figures": figures(result)}
