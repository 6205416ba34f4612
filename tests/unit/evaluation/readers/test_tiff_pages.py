"""The chain of pages of a TIFF file, in every byte order and width, whole or broken."""

import struct

import numpy as np
import pytest

from evaluation.readers import ReadError, read_label_image
from tests.unit.evaluation.readers import files
from tests.unit.evaluation.readers.files import LABELS

LAYOUTS = [("<", False), (">", False), ("<", True), (">", True)]


def broken(path, order, *, big, first):
    """Let the header point to another first page."""
    content = bytearray(path.read_bytes())
    struct.pack_into(order + ("Q" if big else "I"), content, 8 if big else 4, first)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(("order", "big"), LAYOUTS)
def test_every_page_is_read_in_every_layout(tmp_path, order, big):
    path = files.tiff(tmp_path / "a.tif", LABELS.astype(np.uint16) * 300, byteorder=order, bigtiff=big)
    np.testing.assert_array_equal(read_label_image(path).labels, LABELS.astype(int) * 300)


@pytest.mark.parametrize(("order", "big"), LAYOUTS)
def test_a_first_page_outside_the_file_is_refused(tmp_path, order, big):
    path = files.tiff(tmp_path / "a.tif", byteorder=order, bigtiff=big)
    size = path.stat().st_size
    with pytest.raises(ReadError, match="outside the file") as caught:
        read_label_image(broken(path, order, big=big, first=size))
    assert caught.value.kind == "truncated"
    with pytest.raises(ReadError, match="breaks off"):
        read_label_image(broken(path, order, big=big, first=size - 1))


@pytest.mark.parametrize(("order", "big"), LAYOUTS)
def test_a_page_that_leads_back_to_itself_is_refused(tmp_path, order, big):
    path = files.tiff(tmp_path / "a.tif", LABELS[:, :, 0], byteorder=order, bigtiff=big)
    content = bytearray(path.read_bytes())
    place, number, entry = ("Q", "Q", 20) if big else ("I", "H", 12)
    (first,) = struct.unpack_from(order + place, content, 8 if big else 4)
    (entries,) = struct.unpack_from(order + number, content, first)
    struct.pack_into(order + place, content, first + struct.calcsize(order + number) + entry * entries, first)
    path.write_bytes(content)
    with pytest.raises(ReadError, match="or twice in it"):
        read_label_image(path)
