"""Starter kit of a phase: sample data, programs and instructions, generated from its assessment.

The kit scores its sample data with `podium_client.Challenge`, which runs the registered assessment. The values are those
of the platform.
"""

from evaluation.starter.facts import KitFacts
from evaluation.starter.kits import NoKitError, kit_files, packed

__all__ = ["KitFacts", "NoKitError", "kit_files", "packed"]
