"""Headers of pictures are read without decoding a pixel, also of files that nobody's program wrote."""

import io
import random
from contextlib import suppress

import pytest
from PIL import Image

from challenges.domain.pictures import MOST_BYTES, PictureHeader, picture_header


def written(width, height, **options):
    """A file as Pillow writes it."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), (10, 90, 120)).save(buffer, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("size", [(1, 1), (64, 32), (300, 4000)])
@pytest.mark.parametrize(
    ("media_type", "options"),
    [
        ("image/png", {"format": "PNG"}),
        ("image/jpeg", {"format": "JPEG"}),
        ("image/jpeg", {"format": "JPEG", "progressive": True, "exif": bytes(500)}),
    ],
)
def test_sizes_agree_with_pillow(size, media_type, options):
    assert picture_header(written(*size, **options)) == PictureHeader(media_type, *size)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "neither PNG nor JPEG"),
        (b"<svg onload='alert(1)'/>", "neither PNG nor JPEG"),
        (b"GIF89a" + bytes(50), "neither PNG nor JPEG"),
        (written(8, 8, format="PNG")[:20], "not complete"),
        (written(8, 8, format="JPEG")[:30], "no frame"),
        (b"\xff\xd8\xff" + b"\xff" * 1000, "no frame"),
        (b"\xff\xd8\xff\xe0\x00\x00" * 100, "no frame"),
        (written(4001, 1, format="PNG"), "4001 × 1 pixels"),
        (written(8, 8, format="PNG")[:16] + bytes(30), "0 × 0 pixels"),
        (b"\x89PNG\r\n\x1a\n" + bytes(MOST_BYTES), "At most 524,288"),
    ],
)
def test_other_files_are_refused_with_a_reason(content, reason):
    with pytest.raises(ValueError, match=reason):
        picture_header(content)


def test_damaged_files_have_a_header_or_are_refused():
    chance = random.Random(4)
    for original in (written(20, 30, format="PNG"), written(20, 30, format="JPEG")):
        for _ in range(300):
            damaged = bytearray(original[: chance.randrange(4, len(original))])
            damaged[chance.randrange(3, len(damaged))] = chance.randrange(256)
            with suppress(ValueError):
                assert 0 < picture_header(bytes(damaged)).width <= 4000
