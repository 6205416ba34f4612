"""Automatic checks: rules of the catalogue, custom code beyond these rules, and answers of organizers."""

from evaluation.designs.checks.registry import Subject, open_customs, register, registered
from evaluation.designs.checks.running import CheckAnswer, Finding, StoredDesign, check_description, findings, reads

from evaluation.designs.checks import custom  # isort: skip (registers what the document alone decides)

__all__ = [
    "CheckAnswer",
    "Finding",
    "StoredDesign",
    "Subject",
    "check_description",
    "custom",
    "findings",
    "open_customs",
    "reads",
    "register",
    "registered",
]
