"""A small challenge with a scored submission and separate files."""

from tests.integration.submissions.conftest import broker_of_its_own, nobody_listens, private_files, workers, world

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers", "world"]
