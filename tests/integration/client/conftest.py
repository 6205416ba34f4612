"""The command against a running server, in the world of the submissions' tests."""

import pytest

from accounts.services import issue_token
from tests.integration.submissions.conftest import (
    broker_of_its_own,
    nobody_listens,
    private_files,
    workers,
    world,
)

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers", "world"]


@pytest.fixture
def podium(live_server, world, workers, tmp_path, monkeypatch, capsys):
    """Run the command as Ada, signed in; returns exit code, standard output and standard error."""
    from podium_client.cli import main

    _, secret = issue_token(user=world.ada, name="test", scopes=["read", "submit"], days=1)
    monkeypatch.setenv("PODIUM_CONFIG", str(tmp_path / "config" / "client.json"))
    monkeypatch.setenv("PODIUM_TOKEN", secret)
    assert main(["login", live_server.url]) == 0
    monkeypatch.delenv("PODIUM_TOKEN")
    capsys.readouterr()

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    run.secret = secret
    return run


@pytest.fixture
def folder(tmp_path):
    """A folder of four right predictions, which are not all identical."""
    from tests.integration.submissions.world import labels, nifti, predictions

    place = tmp_path / "predictions"
    place.mkdir()
    for number, (name, content) in enumerate(predictions().items()):
        (place / name).write_bytes(content if number else nifti(labels(0)))
    return place
