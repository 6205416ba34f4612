"""Number of messages without a valid signature, counted in the cache and never stored."""

from django.core.cache import cache

from federation.models import Federation


def key_of(federation: Federation) -> str:
    """Return the cache key of the count."""
    return f"federation-unsigned-{federation.pk}"


def unsigned_messages(federation: Federation) -> int:
    """Return how many unsigned or forged messages were refused recently; the count expires within a day."""
    return int(cache.get(key_of(federation)) or 0)
