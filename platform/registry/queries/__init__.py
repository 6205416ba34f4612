"""Reads worth naming."""

from registry.queries.executing import ExecutionFacts, execution_facts, execution_facts_of
from registry.queries.links import stated_links
from registry.queries.records import answered_checks, record_facts, record_parts, shown_document
from registry.queries.registrations import (
    announced_registration,
    comments_of,
    current_version,
    embargoed_versions,
    facet_options,
    listed,
    listing_of,
    newest_listings,
    newest_versions,
    opened_values,
    registration_of,
    registration_or_404,
    sealed_places,
    search,
    standing_of,
    takes_comments,
    version_or_404,
    waiting_for,
)
from registry.queries.reviewing import ReviewSummary, review_summary

__all__ = [
    "ExecutionFacts",
    "ReviewSummary",
    "announced_registration",
    "answered_checks",
    "comments_of",
    "current_version",
    "embargoed_versions",
    "execution_facts",
    "execution_facts_of",
    "facet_options",
    "listed",
    "listing_of",
    "newest_listings",
    "newest_versions",
    "opened_values",
    "record_facts",
    "record_parts",
    "registration_of",
    "registration_or_404",
    "review_summary",
    "sealed_places",
    "search",
    "shown_document",
    "standing_of",
    "stated_links",
    "takes_comments",
    "version_or_404",
    "waiting_for",
]
