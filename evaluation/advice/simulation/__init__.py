"""Simulation of a planned challenge: differences that its design can detect."""

from evaluation.advice.simulation.model import SimulationError, Spread
from evaluation.advice.simulation.result import CurvePoint, SelectivePoint, SimulationResult
from evaluation.advice.simulation.run import simulate

__all__ = ["CurvePoint", "SelectivePoint", "SimulationError", "SimulationResult", "Spread", "simulate"]
