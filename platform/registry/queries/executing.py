"""The statements of a registered design that the platform executes, and those that are only stated."""

from dataclasses import dataclass

from django.core.cache import cache

from evaluation.designs.catalogue.states import Execution
from evaluation.designs.document import Document
from evaluation.designs.executing import (
    ExecutionCounts,
    Statement,
    counted,
    is_evaluated_elsewhere,
    is_ranked_from_outside,
    statements,
)
from registry.domain.public_documents import parsed
from registry.models import RegistrationVersion

CACHE_SECONDS = 300


@dataclass(frozen=True)
class ExecutionFacts:
    """Execution of a design, as shown in a record, a challenge page and the exposure report.

    Attributes
    ----------
    counts
        Numbers of statements of the design that are executed, stated and refused.
    stated
        Statements that are not executed, each listed once for all tasks.
    is_elsewhere
        Whether the design is registered here and evaluated elsewhere.
    is_outside
        Whether the platform ranks values that are measured externally, as the design describes them.
    """

    counts: ExecutionCounts
    stated: tuple[Statement, ...]
    is_elsewhere: bool
    is_outside: bool


def execution_facts(version: RegistrationVersion) -> ExecutionFacts:
    """Of a version, from its public document; kept a while, since the design is compiled for it."""
    key = f"registry.executing.2.{version.digest}"
    facts: ExecutionFacts | None = cache.get(key)
    if facts is None:
        facts = execution_facts_of(parsed(version.document))
        cache.set(key, facts, CACHE_SECONDS)
    return facts


def execution_facts_of(document: Document) -> ExecutionFacts:
    """Of a document."""
    document_statements = statements(document)
    stated = {
        (entry.parameter, entry.choice, entry.note): entry
        for entry in document_statements
        if entry.execution is not Execution.EXECUTED
    }
    return ExecutionFacts(
        counted(document_statements),
        tuple(stated.values()),
        is_evaluated_elsewhere(document),
        is_ranked_from_outside(document),
    )
