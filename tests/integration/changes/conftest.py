"""The registry's storage of the tests' own."""

from tests.integration.registry.conftest import own_storage

__all__ = ["own_storage"]
