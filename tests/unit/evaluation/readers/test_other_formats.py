"""FreeSurfer volumes, one-bit TIFF files, PNG files with a palette and OME-TIFF stacks, written by their libraries."""

import gzip

import nibabel
import numpy as np
import pytest
import tifffile
from PIL import Image

from evaluation.readers import Limits, ReadError, read_label_image
from evaluation.readers.intensities import read_intensities
from tests.unit.evaluation.readers.files import AFFINE, LABELS


def kind_of(path, **options):
    with pytest.raises(ReadError) as caught:
        read_label_image(path, **options)
    assert path.name in caught.value.message
    assert "\n" not in str(caught.value)
    return caught.value.kind


def volume(path, labels=LABELS, affine=AFFINE):
    nibabel.save(nibabel.MGHImage(labels, affine), path)
    return path


# FreeSurfer -----------------------------------------------------------------------------------------------------------

TURNED = AFFINE @ np.array([[0, -1, 0, 3], [0, 0, 1, 2], [-1, 0, 0, 1], [0, 0, 0, 1.0]])


@pytest.mark.parametrize("ending", [".mgz", ".mgh"])
@pytest.mark.parametrize("kind", ["uint8", "int16", "int32", "float32"])
@pytest.mark.parametrize("affine", [AFFINE, TURNED], ids=["plain", "turned"])
def test_a_volume_is_read_as_nibabel_reads_it(tmp_path, ending, kind, affine):
    path = volume(tmp_path / f"a{ending}", LABELS.astype(kind), affine)
    content = path.read_bytes()
    theirs = nibabel.MGHImage.from_bytes(gzip.decompress(content) if ending == ".mgz" else content)
    image = read_label_image(path)
    np.testing.assert_array_equal(image.labels, np.asarray(theirs.dataobj))
    np.testing.assert_allclose(image.geometry.affine, theirs.affine, atol=1e-6)
    np.testing.assert_allclose(image.geometry.spacing, theirs.header.get_zooms(), rtol=1e-6)


def test_intensities_of_a_volume(tmp_path):
    values = np.random.default_rng(1).normal(size=(4, 5, 6)).astype(np.float32)
    np.testing.assert_array_equal(read_intensities(volume(tmp_path / "a.mgz", values)).values, values)


def rewritten(path, change):
    content = bytearray(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(bytes(change(content) or content)))
    return path


def putting(place, value):
    def change(content):
        content[place : place + len(value)] = value

    return change


HOSTILE = {
    "another version": (putting(0, b"\0\0\0\2"), "magic"),
    "a size of 0": (putting(4, b"\0\0\0\0"), "header"),
    "a negative size": (putting(4, b"\xff\xff\xff\xff"), "header"),
    "a huge size": (putting(4, b"\0\0\xff\xff" * 3), "too_large"),
    "more than the file holds": (putting(4, b"\0\0\x10\0" * 2), "truncated"),
    "two volumes": (putting(16, b"\0\0\0\2"), "dimensions"),
    "an unknown type": (putting(20, b"\0\0\0\x63"), "header"),
    "no spacing": (putting(30, b"\0" * 12), "header"),
    "spacing that is no number": (putting(30, b"\x7f\xc0\0\0" * 3), "header"),
    "flat axes": (putting(42, b"\0" * 36), "header"),
    "a position that is infinite": (putting(78, b"\x7f\x80\0\0"), "header"),
    "half a header": (lambda content: content[:100], "truncated"),
    "half the voxels": (lambda content: content[:300], "truncated"),
    "a bomb after the voxels": (lambda content: content + bytes(50_000_000), "trailing_data"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_volume_that_is_wrong_is_refused(tmp_path, name):
    change, kind = HOSTILE[name]
    assert kind_of(rewritten(volume(tmp_path / "a.mgz"), change)) == kind


def test_damaged_compression_and_wrong_endings_are_refused(tmp_path):
    path = volume(tmp_path / "a.mgz")
    content = path.read_bytes()
    (tmp_path / "b.mgz").write_bytes(content[:-20])
    assert kind_of(tmp_path / "b.mgz") == "truncated"
    damaged = bytearray(content)
    damaged[-5] ^= 255
    (tmp_path / "c.mgz").write_bytes(bytes(damaged))
    assert kind_of(tmp_path / "c.mgz") == "checksum"
    (tmp_path / "d.mgh").write_bytes(content)
    assert kind_of(tmp_path / "d.mgh") == "magic"
    (tmp_path / "e.mgz").write_bytes(gzip.decompress(content))
    assert kind_of(tmp_path / "e.mgz") == "magic"
    (tmp_path / "f.mgz").write_bytes(b"")
    assert kind_of(tmp_path / "f.mgz") == "empty_file"
    assert kind_of(path, limits=Limits(decoded_bytes=100)) == "too_large"
    plain = volume(tmp_path / "g.mgh")
    plain.write_bytes(plain.read_bytes()[:300])
    assert kind_of(plain) == "truncated"


# Pictures -------------------------------------------------------------------------------------------------------------

MASK = (np.arange(7 * 5).reshape(7, 5) % 3 == 0).astype(np.uint8)


@pytest.mark.parametrize("compression", [None, "group4", "packbits", "tiff_lzw"])
def test_a_tiff_of_one_bit_is_a_mask(tmp_path, compression):
    Image.fromarray(np.ascontiguousarray(MASK.T) * 255).convert("1").save(tmp_path / "a.tif", compression=compression)
    image = read_label_image(tmp_path / "a.tif")
    np.testing.assert_array_equal(image.labels, MASK)


def test_a_stack_of_tiffs_of_one_bit(tmp_path):
    pages = [Image.fromarray(np.ascontiguousarray(mask.T) * 255).convert("1") for mask in (MASK, 1 - MASK, MASK)]
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.tif").labels, np.stack([MASK, 1 - MASK, MASK], axis=2))


def test_one_bit_of_tifffile(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", np.ascontiguousarray(MASK.T).astype(bool), photometric="minisblack")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.tif").labels, MASK)


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_a_png_with_a_palette_has_the_numbers_of_its_colours(tmp_path, bits):
    labels = (np.arange(7 * 5).reshape(7, 5) % min(2**bits, 17)).astype(np.uint8)
    picture = Image.fromarray(np.ascontiguousarray(labels.T), mode="P")
    picture.putpalette([colour for number in range(2**bits) for colour in (255 - number, number, 7)])
    picture.save(tmp_path / "a.png", bits=bits)
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.png").labels, labels)


@pytest.mark.parametrize("axes", ["ZYX", "TYX"])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_an_ome_tiff_is_a_stack_of_its_pages(tmp_path, axes, compression):
    path = tmp_path / "a.ome.tif"
    tifffile.imwrite(
        path,
        np.ascontiguousarray(LABELS.T),
        metadata={"axes": axes},
        compression=compression,
        ome=True,
        photometric="minisblack",
    )
    np.testing.assert_array_equal(read_label_image(path).labels, LABELS)


def test_a_pyramid_of_an_ome_tiff_counts_only_with_its_largest_level(tmp_path):
    labels = np.ascontiguousarray(np.kron(MASK, np.ones((4, 4), dtype=np.uint8)).T)
    with tifffile.TiffWriter(tmp_path / "a.ome.tif", ome=True) as writer:
        writer.write(labels, subifds=1, metadata={"axes": "YX"}, photometric="minisblack")
        writer.write(labels[::2, ::2], subfiletype=1, photometric="minisblack")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.ome.tif").labels, labels.T)
