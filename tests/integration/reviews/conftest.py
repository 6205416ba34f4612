import pytest

from tests.unit.reviews.fixtures import base, world
from tests.unit.reviews.world import person

__all__ = ["ROLES", "base", "people", "world"]

ROLES = (
    "anonymous",
    "stranger",
    "owner",
    "editor",
    "reviewer",
    "other reviewer",
    "chair",
    "other chair",
    "administrator",
)


@pytest.fixture
def people():
    """Accounts by role, for the world that `made` gives."""

    def of(world):
        second = person("second_chair", first_name="Sefa", last_name="Second")
        world.call.chairs.create(user=second)
        other = person("foreign_chair")
        from tests.unit.reviews.world import make_call

        make_call(other)
        return {
            "anonymous": None,
            "stranger": person("stella"),
            "owner": world.owner,
            "editor": world.editor,
            "reviewer": world.panel["r1"].user,
            "other reviewer": world.panel["r3"].user,
            "chair": second,
            "other chair": other,
            "administrator": person("root", is_staff=True, is_superuser=True),
        }

    return of
