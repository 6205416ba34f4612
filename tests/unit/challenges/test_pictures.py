"""Headers of pictures are read without decoding a pixel, also those of damaged files."""

import io
import random
from contextlib import suppress

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from challenges.domain.pictures import MOST_BYTES, PictureHeader, picture_header, without_metadata

SECRET = b"Rue Secrete 7"


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


def noise(size=(40, 30)):
    """A picture whose compressed data contains many bytes 0xFF."""
    return Image.frombytes("RGB", size, random.Random(1).randbytes(3 * size[0] * size[1]))


def saved(**options):
    buffer = io.BytesIO()
    noise().save(buffer, **options)
    return buffer.getvalue()


def located(orientation):
    """Exif data with a location, a comment and an orientation."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = SECRET.decode()
    exif.get_ifd(0x8825).update({1: "N", 2: (50.0, 44.0, 12.0)})
    return exif


def pixels(content):
    return Image.open(io.BytesIO(content)).convert("RGB").tobytes()


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("orientation", [1, 6])
def test_a_jpeg_file_keeps_pixels_colours_and_orientation_alone(orientation, progressive):
    given = saved(
        format="JPEG",
        progressive=progressive,
        exif=located(orientation),
        comment=SECRET,
        icc_profile=b"a profile",
        dpi=(72, 72),
    )
    xmp = b"http://ns.adobe.com/xap/1.0/\0" + SECRET
    given = given[:2] + b"\xff\xe1" + (len(xmp) + 2).to_bytes(2) + xmp + given[2:] + b"PK\x03\x04" + SECRET
    stored = without_metadata(given)
    assert given.count(SECRET) == 4
    assert SECRET not in stored
    shown = Image.open(io.BytesIO(stored))
    assert pixels(stored) == pixels(given)
    assert dict(shown.getexif()) == ({} if orientation == 1 else {0x0112: orientation})
    assert shown.info["icc_profile"] == b"a profile"
    assert shown.info["dpi"] == (72, 72)
    assert without_metadata(stored) == stored


def test_a_jpeg_file_loses_its_thumbnail():
    given = saved(format="JPEG")
    assert given[2:4] == b"\xff\xe0"
    thumbnail = given[:4] + (16 + 3 * len(SECRET)).to_bytes(2) + given[6:18] + bytes([len(SECRET), 1]) + SECRET * 3
    stored = without_metadata(thumbnail + given[20:])
    assert stored == given


def test_a_png_file_keeps_pixels_and_transparency_alone():
    text = PngInfo()
    text.add_text("Author", SECRET.decode())
    text.add_itxt("XML:com.adobe.xmp", SECRET.decode())
    buffer = io.BytesIO()
    image = noise().quantize(16)
    image.save(buffer, format="PNG", pnginfo=text, exif=located(1), transparency=3, icc_profile=b"a profile")
    given = buffer.getvalue() + b"<script>" + SECRET
    stored = without_metadata(given)
    assert given.count(SECRET) == 4
    assert SECRET not in stored
    assert b"<script>" not in stored
    shown = Image.open(io.BytesIO(stored))
    assert (shown.info["transparency"], shown.info["icc_profile"]) == (3, b"a profile")
    assert pixels(stored) == pixels(given)


@pytest.mark.parametrize("options", [{"format": "PNG"}, {"format": "JPEG"}])
def test_a_file_that_is_cut_off_is_refused(options):
    given = saved(**options)
    for length in range(len(given) - 1, 40, -97):
        with pytest.raises(ValueError, match=r"cut off|no frame"):
            without_metadata(given[:length])


def test_damaged_files_lose_their_metadata_or_are_refused():
    chance = random.Random(5)
    for original in (saved(format="PNG"), saved(format="JPEG", exif=located(6), progressive=True)):
        for _ in range(300):
            damaged = bytearray(original)
            for _ in range(3):
                damaged[chance.randrange(3, 700)] = chance.randrange(256)
            with suppress(ValueError):
                stored = without_metadata(bytes(damaged))
                assert without_metadata(stored) == stored
