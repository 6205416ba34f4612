"""The same world as that of the submissions."""

from tests.integration.submissions.conftest import (  # noqa: F401 (fixtures)
    broker_of_its_own,
    nobody_listens,
    private_files,
    workers,
    world,
)
