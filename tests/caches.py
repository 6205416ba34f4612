"""The cache of one test process, where several share a Redis."""

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache


class OwnRedisCache(RedisCache):
    """A Redis cache that clears its own keys only.

    Django's empties the whole database of the server: also the cache that another process of the same run has just
    filled to count its queries, and the jobs of a broker.
    """

    def clear(self) -> bool:
        empty(f"{self.key_prefix}:")
        return True


def empty(prefix: str) -> None:
    """Delete all keys of the cache's server that begin so."""
    client = caches["default"]._cache.get_client(None, write=True)
    if keys := list(client.scan_iter(match=f"{prefix}*", count=1000)):
        client.unlink(*keys)
