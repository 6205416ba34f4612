"""Scoring and ranking of biomedical image analysis challenges: pure Python, usable without the platform."""

__version__ = "0.1.0"
