"""`podium data get` over real HTTP: resumes after broken connections and restarts, and verifies the files."""

import hashlib
import os

import pytest
from podium_client import cli, downloading
from podium_client.connection import Connection

from accounts.services import issue_token
from datastore.datasets.models import Download
from tests.integration.datasets.conftest import hosted
from tests.integration.datasets.cutting import cutting

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "The client downloads files over HTTP. `test_getting.py` executes the queries on both databases."
    ),
]
SIZE = 20_000_000


@pytest.fixture
def large(released, world, tmp_path):
    """20 MB, as version 1 of a data set; the full size is `make bench` with `data`."""
    path = tmp_path / "large.zip"
    path.write_bytes(os.urandom(SIZE))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    hosted(world, path, name="Large")
    return digest


def token_of(person):
    return issue_token(user=person, name="test", scopes=["read"], days=1)[1]


def get(url, person, folder, **more):
    return downloading.get_data(
        Connection(url, token_of(person)),
        challenge="blocks",
        wanted=["large"],
        folder=folder,
        progress=lambda *_: None,
        sleep=lambda _: None,
        **more,
    )


def test_a_download_that_breaks_twice_arrives_whole_and_without_sending_anything_twice(
    live_server, large, world, tmp_path
):
    with cutting(live_server.url, [4_000_000, 9_000_000]) as line:
        [got] = get(line.url, world.ada, tmp_path / "data")
    assert len(line.broken) == 2
    assert (got.sha256, got.size) == (large, SIZE)
    assert hashlib.sha256(got.path.read_bytes()).hexdigest() == large
    assert [path.name for path in got.path.parent.iterdir()] == ["large.zip"]
    assert Download.objects.get().requests == 3


def test_a_command_that_was_killed_goes_on_with_what_had_arrived(live_server, large, world, tmp_path):
    class Killed(BaseException):
        """Exception that ends the command like a signal."""

    def until_half(_name, arrived, _size):
        if arrived > SIZE / 2:
            raise Killed

    connection = Connection(live_server.url, token_of(world.ada))
    asked = {"challenge": "blocks", "wanted": ["large"], "folder": tmp_path / "data", "sleep": lambda _: None}
    with pytest.raises(Killed):
        downloading.get_data(connection, progress=until_half, **asked)
    part = tmp_path / "data" / "large" / "large.zip.part"
    before = part.stat().st_size
    assert SIZE / 2 < before < SIZE
    [got] = downloading.get_data(connection, progress=lambda *_: None, **asked)
    assert got.sha256 == large
    assert not part.exists()


def test_a_damaged_part_is_thrown_away_and_said(live_server, large, world, tmp_path):
    folder = tmp_path / "data" / "large"
    folder.mkdir(parents=True)
    (folder / "large.zip.part").write_bytes(b"\0" * 1_000_000)
    with pytest.raises(downloading.ClientError, match="arrived damaged"):
        get(live_server.url, world.ada, tmp_path / "data")
    assert get(live_server.url, world.ada, tmp_path / "data")[0].sha256 == large


def test_without_the_agreement_the_command_says_where_to_agree_and_gets_nothing(
    live_server, large, world, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("PODIUM_CONFIG", str(tmp_path / "client.json"))
    monkeypatch.setenv("PODIUM_URL", live_server.url)
    monkeypatch.setenv("PODIUM_TOKEN", token_of(world.bo))
    assert cli.main(["data", "get", "blocks", "--to", str(tmp_path / "data")]) == 2
    said = capsys.readouterr().err
    assert "Agree to the data usage agreement" in said
    assert "/challenges/blocks/join/" in said
    assert not Download.objects.exists()
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("PODIUM_TOKEN", token_of(world.ada))
    assert cli.main(["data", "list", "blocks"]) == 0
    assert "large" in capsys.readouterr().out
    assert cli.main(["data", "get", "blocks", "large", "--to", str(tmp_path / "data")]) == 0
    assert large in capsys.readouterr().out
