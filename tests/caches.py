"""The cache of one test process: every test begins with an empty one, and no clock empties it in between."""

from typing import Any

from django.core.cache import caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache


class Patient:
    """Mixin that multiplies time-outs by 60, so that seconds become minutes.

    On a busy machine, a test can take longer than the seconds.
    """

    def get_backend_timeout(self, timeout: Any = DEFAULT_TIMEOUT) -> float | None:
        if timeout is DEFAULT_TIMEOUT:
            timeout = self.default_timeout
        return super().get_backend_timeout(timeout * 60 if timeout else timeout)


class OwnMemoryCache(Patient, LocMemCache):
    """The embedded default, patiently."""


class OwnRedisCache(Patient, RedisCache):
    """A Redis cache that clears its own keys only.

    Django's empties the whole database of the server: also the cache that another process of the same run has just
    filled to count its queries, and the jobs of a broker.
    """

    def clear(self) -> bool:
        empty(f"{self.key_prefix}:")
        return True


def of_tests(backend: str) -> str:
    """The class that takes the place of a backend of the settings."""
    own = {"RedisCache": OwnRedisCache, "LocMemCache": OwnMemoryCache}.get(backend.rsplit(".", 1)[1])
    return backend if own is None else f"{__name__}.{own.__name__}"


def empty(prefix: str) -> None:
    """Delete all keys of the cache's server that begin so."""
    client = caches["default"]._cache.get_client(None, write=True)
    if keys := list(client.scan_iter(match=f"{prefix}*", count=1000)):
        client.unlink(*keys)
