"""A small challenge whose submission was scored, with files of its own."""

from tests.integration.submissions.conftest import broker_of_its_own, nobody_listens, private_files, workers, world

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers", "world"]
