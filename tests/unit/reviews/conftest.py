from tests.unit.reviews.fixtures import base, world

__all__ = ["base", "world"]
