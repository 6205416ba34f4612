"""Simulating a challenge before it exists: what can its design tell apart?"""

from evaluation.advice.simulation.model import SimulationError, Spread
from evaluation.advice.simulation.result import CurvePoint, SelectivePoint, SimulationResult
from evaluation.advice.simulation.run import simulate

__all__ = ["CurvePoint", "SelectivePoint", "SimulationError", "SimulationResult", "Spread", "simulate"]
