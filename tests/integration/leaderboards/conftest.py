import pytest

from tests.integration.leaderboards import world


@pytest.fixture(scope="session")
def storage_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("leaderboards")


@pytest.fixture(autouse=True)
def surroundings(settings, storage_folder):
    """Store results and rankings in a separate folder, serve static files from the source, use plain HTTP."""
    settings.STORAGES = settings.STORAGES | storages_in(storage_folder)
    settings.SECURE_SSL_REDIRECT = False


def storages_in(folder) -> dict:
    return {
        "private": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": folder, "allow_overwrite": True},
        },
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def jobs(monkeypatch):
    """Messages for the broker as (task, arguments); none of them is delivered."""
    sent = []
    monkeypatch.setattr(
        "core.work.services.send", lambda task, args, countdown=None: sent.append((task, list(args))) or True
    )
    return sent


@pytest.fixture
def unranked(db):
    """A challenge in which nothing was ranked yet."""
    return world.build(ranked=())


@pytest.fixture
def scored(unranked):
    """Its open phase, in which each team has a result."""
    phase = unranked.phases["open"]
    for level, team in zip((0.9, 0.8), unranked.teams.values(), strict=True):
        world.scored_run(phase, team, unranked.people["member"], level=level)
    return phase
