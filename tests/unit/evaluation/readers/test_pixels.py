"""PNG and TIFF: header contents, pages as slices, and decoders that fail silently."""

import logging
import struct

import numpy as np
import pytest
import tifffile
from PIL import Image

from evaluation.readers import ReadError, raster, read_geometry, read_label_image
from evaluation.readers.intensities import read_intensities
from evaluation.readers.limits import DEFAULT, Limits
from tests.unit.evaluation.readers import files

LARGE = (np.arange(20).reshape(4, 5) * 3000).astype(np.uint16)
"""Labels beyond 8 bits, columns first."""


def refused(read, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read(*arguments, **options)
    return error.value.kind, error.value.found


def png_header(path, *, width=4, height=5, depth=8, colour=0, length=40):
    """Write the first bytes of a PNG file, which contain everything that is read from its header."""
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBB", 13, b"IHDR", width, height, depth, colour)
    path.write_bytes((start + bytes(40))[:length])
    return path


def tiff_header(path, *, width=4, length=5, bits=16, compression=1, file_bytes=1000, numbers=1, depth=None, kind=1):
    """A little-endian TIFF file of one page that has a directory and otherwise zeros, of a given size."""
    tags = [(256, width), (257, length), (258, bits), (259, compression), (262, 1), (273, 400), (277, numbers)]
    tags += [(278, length), (279, 40), (339, kind)] + ([] if depth is None else [(32997, depth)])
    content = struct.pack("<2sHIH", b"II", 42, 8, len(tags))
    for tag, value in tags:
        content += struct.pack("<HHII", tag, 4 if tag not in (258, 259, 262, 277, 339) else 3, 1, value)
    path.write_bytes((content + bytes(file_bytes))[:file_bytes])
    return path


class TestPng:
    def test_width_comes_before_height(self, tmp_path):
        assert read_geometry(png_header(tmp_path / "a.png", width=7, height=300)).shape == (7, 300)

    @pytest.mark.parametrize("colour", [0, 3])
    @pytest.mark.parametrize(("depth", "size"), [(1, 20), (8, 20), (16, 40)])
    def test_a_pixel_has_two_bytes_if_it_has_sixteen_bits_and_else_one(self, tmp_path, depth, size, colour):
        path = png_header(tmp_path / "a.png", depth=depth, colour=colour)
        assert read_geometry(path, limits=Limits(decoded_bytes=size)).shape == (4, 5)
        refusal = refused(read_geometry, path, limits=Limits(decoded_bytes=size - 1))
        assert refusal == ("too_large", f"{size} bytes of voxels")

    @pytest.mark.parametrize(
        ("colour", "words"),
        [(2, "RGB"), (4, "grey with transparency"), (6, "RGB with transparency"), (5, "unknown"), (1, "unknown")],
    )
    def test_colours_are_named(self, tmp_path, colour, words):
        path = png_header(tmp_path / "a.png", colour=colour)
        assert refused(read_geometry, path) == ("dimensions", f"{words} pixels")
        if colour != 2:
            assert refused(read_intensities, path) == ("dimensions", f"{words} pixels")

    def test_three_channels_of_an_image_that_may_have_them_take_three_times_the_bytes(self, tmp_path):
        path = png_header(tmp_path / "a.png", colour=2)
        header = raster.read_png_header(path, Limits(decoded_bytes=60), colours=True)
        assert (header.channels, header.geometry.shape) == (3, (4, 5))
        refusal = refused(raster.read_png_header, path, Limits(decoded_bytes=59), colours=True)
        assert refusal == ("too_large", "60 bytes of voxels")
        grey = raster.read_png_header(png_header(tmp_path / "b.png"), Limits(decoded_bytes=20), colours=True)
        assert grey.channels == 1

    def test_a_header_that_breaks_off(self, tmp_path):
        assert refused(read_geometry, png_header(tmp_path / "a.png", length=28)) == ("truncated", "28 bytes")
        assert read_geometry(png_header(tmp_path / "a.png", length=29)).shape == (4, 5)
        path = png_header(tmp_path / "b.png")
        path.write_bytes(path.read_bytes().replace(b"IHDR", b"IDAT"))
        assert refused(read_geometry, path)[0] == "truncated"
        path.write_bytes(path.read_bytes().replace(b"PNG", b"png"))
        assert refused(read_geometry, path) == ("magic", "no PNG header")

    def test_labels_of_sixteen_bits_and_of_one(self, tmp_path):
        assert read_label_image(files.png(tmp_path / "a.png", LARGE)).labels.tolist() == LARGE.tolist()
        mask = LARGE > 9000
        Image.fromarray(np.ascontiguousarray(mask.T)).save(tmp_path / "b.png")
        assert read_label_image(tmp_path / "b.png").labels.tolist() == mask.astype(int).tolist()

    def test_pixels_that_do_not_fit_the_header_are_refused(self, tmp_path):
        # The file is read anew for its pixels: meanwhile another stands there.
        header = raster.read_png_header(files.png(tmp_path / "a.png", LARGE), DEFAULT)
        files.png(tmp_path / "a.png", LARGE[:, :4])
        assert refused(header.load) == ("header", "pixels that do not fit the header")


class TestTiff:
    def test_width_comes_before_length_and_a_page_may_be_deep(self, tmp_path):
        assert read_geometry(tiff_header(tmp_path / "a.tif")).shape == (4, 5)
        assert read_geometry(tiff_header(tmp_path / "b.tif", depth=1)).shape == (4, 5)
        assert read_geometry(tiff_header(tmp_path / "c.tif", depth=3)).shape == (4, 5, 3)

    @pytest.mark.parametrize(
        ("width", "length", "depth", "bits"), [(50, 10, 1, 16), (10, 50, 1, 16), (5, 10, 10, 16), (25, 10, 1, 32)]
    )
    def test_uncompressed_pixels_have_at_most_the_size_of_the_file(self, tmp_path, width, length, depth, bits):
        size = {"width": width, "length": length, "depth": depth, "bits": bits}
        path = tiff_header(tmp_path / "a.tif", **size)
        assert read_geometry(path).shape == ((width, length, depth) if depth > 1 else (width, length))
        path = tiff_header(tmp_path / "b.tif", **size, file_bytes=999)
        assert refused(read_geometry, path) == ("truncated", "fewer bytes than its pages need")

    def test_compressed_ones_have_at_most_four_thousand_times_that(self, tmp_path):
        # 2048 × 1000 pixels of two bytes are 4096 bytes for each of 1000.
        path = tiff_header(tmp_path / "a.tif", width=2048, length=1000, compression=8)
        assert read_geometry(path).shape == (2048, 1000)
        # 20,483 × 100 pixels are 4096.6 bytes for each.
        path = tiff_header(tmp_path / "b.tif", width=20_483, length=100, compression=8)
        assert refused(read_geometry, path) == ("truncated", "fewer bytes than its pages need")

    @pytest.mark.parametrize(("bits", "kind", "dtype"), [(8, 1, "u1"), (16, 2, "i2"), (32, 3, "f4")])
    def test_bytes_a_pixel_count_for_the_limit(self, tmp_path, bits, kind, dtype):
        path = tiff_header(tmp_path / "a.tif", bits=bits, kind=kind)
        size = 20 * np.dtype(dtype).itemsize
        assert read_geometry(path, limits=Limits(decoded_bytes=size)).shape == (4, 5)
        assert refused(read_geometry, path, limits=Limits(decoded_bytes=size - 1))[0] == "too_large"

    def test_numbers_a_pixel(self, tmp_path):
        for numbers in (2, 3, 4):
            path = tiff_header(tmp_path / "a.tif", numbers=numbers)
            assert refused(read_geometry, path) == ("dimensions", f"{numbers} numbers a pixel")
            if numbers != 3:
                assert refused(read_intensities, path) == ("dimensions", f"{numbers} numbers a pixel")
        pixels = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)
        tifffile.imwrite(tmp_path / "b.tif", pixels, photometric="rgb", planarconfig="separate")
        assert refused(read_intensities, tmp_path / "b.tif") == ("dimensions", "3 numbers a pixel")

    def test_three_channels_take_three_times_the_bytes(self, tmp_path):
        pixels = np.arange(60, dtype=np.uint8).reshape(5, 4, 3)
        tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb")
        header = raster.read_tiff_header(tmp_path / "a.tif", Limits(decoded_bytes=60), colours=True)
        assert (header.channels, header.load().tolist()) == (3, pixels.transpose(1, 0, 2).tolist())
        refusal = refused(raster.read_tiff_header, tmp_path / "a.tif", Limits(decoded_bytes=59), colours=True)
        assert refusal == ("too_large", "60 bytes of voxels")
        grey = tiff_header(tmp_path / "b.tif", width=100, length=10, bits=8, file_bytes=2999)
        assert raster.read_tiff_header(grey, DEFAULT, colours=True).channels == 1
        size = {"width": 100, "length": 10, "bits": 8, "numbers": 3}
        whole = tiff_header(tmp_path / "c.tif", **size, file_bytes=3000)
        assert raster.read_tiff_header(whole, DEFAULT, colours=True).channels == 3
        short = tiff_header(tmp_path / "d.tif", **size, file_bytes=2999)
        refusal = refused(raster.read_tiff_header, short, DEFAULT, colours=True)
        assert refusal == ("truncated", "fewer bytes than its pages need")

    @pytest.mark.parametrize("pages", [1, 2, 3])
    @pytest.mark.parametrize("compression", [None, "tiff_lzw"])
    def test_any_number_of_pages_is_read(self, tmp_path, pages, compression):
        volume = np.arange(20 * pages).reshape(4, 5, pages).astype(np.uint16) * 900
        first, *others = [Image.fromarray(np.ascontiguousarray(page)) for page in volume.T]
        first.save(tmp_path / "a.tif", save_all=True, append_images=others, compression=compression)
        expected = volume if pages > 1 else volume[:, :, 0]
        assert read_label_image(tmp_path / "a.tif").labels.tolist() == expected.tolist()

    def test_a_deep_page_is_a_volume(self, tmp_path):
        volume = np.arange(60, dtype=np.uint8).reshape(3, 5, 4)
        tifffile.imwrite(tmp_path / "a.tif", volume, photometric="minisblack", volumetric=True, tile=(16, 16, 16))
        assert read_label_image(tmp_path / "a.tif").labels.tolist() == volume.T.tolist()

    def test_pages_of_one_shape_but_two_types_are_refused(self, tmp_path):
        with tifffile.TiffWriter(tmp_path / "a.tif") as writer:
            writer.write(LARGE, photometric="minisblack")
            writer.write(LARGE.astype(np.uint8), photometric="minisblack")
        assert refused(read_geometry, tmp_path / "a.tif") == ("dimensions", "pages of different shape or type")

    def test_numbers_that_a_decoder_would_widen_are_refused(self, tmp_path):
        # Pillow reads whole numbers of 16 bits that have a sign (sample format 2) as such of 32.
        Image.fromarray(LARGE).save(tmp_path / "a.tif", compression="tiff_lzw", tiffinfo={339: 2})
        refusal = refused(read_label_image, tmp_path / "a.tif")
        assert refusal == ("datatype", "compressed pixels of type int16")

    def test_pixels_of_one_bit_are_a_mask(self, tmp_path):
        Image.fromarray(LARGE > 9000).save(tmp_path / "a.tif")
        np.testing.assert_array_equal(read_label_image(tmp_path / "a.tif").labels, (LARGE > 9000).T)

    @pytest.mark.parametrize("start", [b"II*\1", b"MM*\0", b"II\0*", b"MM\0,", b"IM*\0"])
    def test_another_mark_is_none(self, tmp_path, start):
        (tmp_path / "a.tif").write_bytes(start + bytes(100))
        assert refused(read_geometry, tmp_path / "a.tif") == ("magic", "no TIFF header")


class TestChainOfPages:
    """A page without entries is the number 0 and the place of the next page."""

    def chain(self, path, pages, *, end=0):
        places = [8 + 6 * page for page in range(pages)]
        directories = b"".join(struct.pack("<HI", 0, position) for position in [*places[1:], end])
        path.write_bytes(struct.pack("<2sHI", b"II", 42, 8) + directories)
        return path

    def test_it_has_ten_thousand_at_most(self, tmp_path):
        raster._check_pages(self.chain(tmp_path / "a.tif", 10_000))
        refusal = refused(raster._check_pages, self.chain(tmp_path / "a.tif", 10_001))
        assert refusal == ("too_large", "more than 10,000 pages")

    def test_a_next_page_lies_within_the_file_and_not_before_in_the_chain(self, tmp_path):
        for end in (8, 14, 26, 27):
            refusal = refused(raster._check_pages, self.chain(tmp_path / "a.tif", 3, end=end))
            assert refusal == ("truncated", "a page that lies outside the file, or twice in it")

    def test_where_the_first_page_stands_does_not_make_a_large_file_of_it(self, tmp_path):
        # The plus sign of large files has the number 43, which the place of a page may have, too.
        (tmp_path / "a.tif").write_bytes(struct.pack("<2sHI", b"II", 42, 43) + bytes(35 + 2 + 4))
        raster._check_pages(tmp_path / "a.tif")

    def test_it_breaks_off_with_its_last_byte(self, tmp_path):
        path = self.chain(tmp_path / "a.tif", 3)
        raster._check_pages(path)
        for lost in (1, 4, 5):
            path.write_bytes(self.chain(tmp_path / "a.tif", 3).read_bytes()[:-lost])
            assert refused(raster._check_pages, path) == ("truncated", "the list of pages breaks off")


class TestDecoders:
    def test_what_a_decoder_gives_is_given_back_and_what_it_logs_or_warns_is_dropped(self, caplog):
        log = logging.getLogger("tifffile")

        def decode():
            log.error("an odd tag")
            raster.warnings.warn("an odd value", UserWarning, stacklevel=1)
            return 7

        for silent in (False, True):
            log.disabled = silent
            assert raster._decoded(decode, "a.tif") == 7
            assert log.disabled == silent
        log.disabled = False
        assert caplog.records == []

    @pytest.mark.parametrize(
        ("error", "kind", "found"),
        [
            (ReadError("datatype", "a.tif", "odd"), "datatype", "odd"),
            (MemoryError("all of it"), "too_large", "more pixels than memory holds"),
            (ValueError("x" * 150), "truncated", f"the pixels cannot be decoded ({'x' * 120})"),
            (RuntimeError("first\nsecond"), "truncated", "the pixels cannot be decoded (first)"),
            (KeyError(), "truncated", "the pixels cannot be decoded (KeyError)"),
        ],
    )
    def test_whatever_it_raises_is_one_line_about_the_file(self, error, kind, found):
        def decode():
            raise error

        assert refused(raster._decoded, decode, "a.tif") == (kind, found)
        assert not logging.getLogger("tifffile").disabled
