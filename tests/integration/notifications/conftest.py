import pytest
from celery import current_app

from accounts.models import User
from accounts.notifications import kinds


@pytest.fixture(autouse=True)
def example_kinds(monkeypatch):
    """Kinds of these tests alone."""
    monkeypatch.setattr(kinds.KINDS, "_kinds", {})
    kinds.register("news", "Something is new")
    kinds.register("chatter", "Somebody wrote", default="daily")


@pytest.fixture
def people(db) -> list[User]:
    return [User.objects.create_user(name, f"{name}@example.org", "a long password") for name in ("ada", "bo", "cy")]


@pytest.fixture
def workers():
    """Jobs that are sent run at once, in this process, as a worker would run them."""
    current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
    yield
    current_app.conf.update(task_always_eager=False, task_eager_propagates=False)
