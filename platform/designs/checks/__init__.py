"""Machine checks: rules of the catalogue, code for what rules cannot say, answers of the organizers."""

from designs.checks.registry import Subject, open_customs, register, registered
from designs.checks.running import Finding, findings, reads

__all__ = ["Finding", "Subject", "findings", "open_customs", "reads", "register", "registered"]
