"""Images and weights on a machine that runs them: bounded, the least recently used given up first, never what is in use."""

import os

import pytest

from executions.models import Execution
from executions.services import caching, hosts, preparing, running
from tests.integration.executions.world import execution_of, run_all

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Files of images are cached and deleted. `test_archives.py` stores the same rows on both databases."
    ),
]


def sized(world, digit, size):
    """Return an image of `size` bytes whose parts do not exist.

    The engine already has the image, or reports that it loads it.
    """
    image = world.image(digit=digit)
    image.report = {"size": size, "layers": []}
    image.save()
    return image


@pytest.fixture
def loads(monkeypatch, engine):
    """Loaded images, in order."""
    loaded = []

    def load(own, image, size, _beat):
        if image.digest not in own.images():
            caching.make_room(own, size)
            own.held.append(image.digest)
            loaded.append(image.digest[7])

    monkeypatch.setattr(preparing, "_load", load)
    return loaded


def use(engine, image):
    with preparing.held(engine, image, lambda: None):
        assert image.digest in engine.images()


def test_what_was_not_used_for_the_longest_time_is_given_up_when_room_is_needed(world, engine, settings, loads):
    settings.PODIUM_RUN_CACHE_BYTES = 250
    images = {digit: sized(world, digit, 100) for digit in "abc"}
    for moment, digit in enumerate("aba"):
        use(engine, images[digit])
        for entry in caching.kept():
            if entry.digest == images[digit].digest:
                os.utime(entry.path, (moment, moment))

    use(engine, images["c"])

    assert [digest[7] for digest in engine.images()] == ["a", "c"]
    assert {entry.digest[7] for entry in caching.kept()} == {"a", "c"}
    use(engine, images["b"])
    assert loads == ["a", "b", "c", "b"]


def test_what_is_in_use_stays_whatever_room_is_needed(world, engine, settings, loads):
    settings.PODIUM_RUN_CACHE_BYTES = 150
    first, second = sized(world, "a", 100), sized(world, "b", 100)

    with preparing.held(engine, first, lambda: None):
        use(engine, second)
        assert [digest[7] for digest in engine.images()] == ["a", "b"]
    use(engine, sized(world, "c", 100))

    assert [digest[7] for digest in engine.images()] == ["c"]


def test_without_room_on_the_disk_nothing_is_loaded_and_nothing_counts_as_tried(world, engine, loads, monkeypatch):
    monkeypatch.setattr(caching, "_free", lambda: 200)
    submission = world.hand_in(sized(world, "a", 100))

    assert running.run_next_batch()

    assert loads == []
    batch = execution_of(submission).batches.order_by("index").first()
    assert (batch.state, batch.attempts) == ("waiting", 0)
    assert "of room" in batch.failure


def test_images_and_weights_that_nobody_used_for_days_are_collected(world, engine, settings, loads):
    use(engine, sized(world, "a", 100))
    use(engine, sized(world, "b", 100))
    weights = hosts.folder() / "models" / ("d" * 64)
    weights.mkdir(parents=True)
    with caching.in_use(caching.MODEL, f"sha256:{'d' * 64}", size=5):
        pass
    for entry in caching.kept():
        if entry.digest[7] in "ad":
            os.utime(entry.path, (1, 1))

    assert caching.collect(engine) == 2

    assert [digest[7] for digest in engine.images()] == ["b"]
    assert not weights.exists()


def test_an_image_that_lies_there_from_before_is_looked_after_too(world, engine, loads):
    engine.held.append(f"sha256:{'e' * 64}")
    caching.take_stock(engine)
    [entry] = caching.kept()
    os.utime(entry.path, (1, 1))

    caching.collect(engine)

    assert engine.images() == []


def test_a_process_notices_that_another_one_gave_an_image_up(world, engine, loads):
    image = sized(world, "a", 100)
    use(engine, image)
    [entry] = caching.kept()
    os.utime(entry.path, (1, 1))
    caching.collect(engine)

    world.hand_in(image)
    run_all()

    assert loads == ["a", "a"]
    assert Execution.objects.get().state == Execution.State.DONE
