"""What of a registered design the platform executes, and what is only stated."""

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
    """What a record, a challenge page and the exposure report say about it.

    Attributes
    ----------
    counts
        How many statements of the design are executed, stated and refused.
    stated
        Those that are not executed, each once, however many tasks say it.
    is_elsewhere
        Whether the design is registered here and evaluated elsewhere.
    is_outside
        Whether the platform ranks values that somebody measures outside, as the design describes them.
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
