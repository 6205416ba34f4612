"""Bytes of a file, compressed or not: exactly the declared number, from one stream or several."""

import gzip
import io
import zlib

import numpy as np
import pytest

from evaluation.readers import ReadError, read_geometry
from evaluation.readers.inflating import Inflater, open_checked, read_plain
from evaluation.readers.limits import DEFAULT, Limits
from tests.unit.evaluation.readers import files

CONTENT = bytes(range(256)) * 10


def refused(action, *arguments, **options):
    with pytest.raises(ReadError) as error:
        action(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


def stream(content, **options):
    return Inflater(io.BytesIO(content), "a", **options)


class Dribble(io.BytesIO):
    """A file that gives one byte at a time, as a slow pipe does."""

    def read(self, size=-1):
        return super().read(min(size, 1))


class TestOpening:
    def test_a_file_up_to_the_limit_is_opened(self, tmp_path):
        (tmp_path / "a.nii").write_bytes(bytes(1024))
        with open_checked(tmp_path / "a.nii", Limits(file_bytes=1024)) as file:
            assert file.read() == bytes(1024)
        refusal = refused(open_checked, tmp_path / "a.nii", Limits(file_bytes=1023))
        assert refusal == ("too_large", "1,024 bytes", "at most 1,023")

    def test_a_file_of_one_byte_is_not_empty(self, tmp_path):
        (tmp_path / "a.nii").write_bytes(b"x")
        with open_checked(tmp_path / "a.nii", Limits(file_bytes=1)) as file:
            assert file.read() == b"x"
        (tmp_path / "b.nii").write_bytes(b"")
        assert refused(open_checked, tmp_path / "b.nii", DEFAULT) == ("empty_file", "the file is empty", "")

    def test_what_is_no_file_is_not_there(self, tmp_path):
        for name in ("absent.nii", "", "x" * 5000):
            refusal = refused(open_checked, tmp_path / name, DEFAULT)
            assert refusal == ("not_found", "there is no such file", "")


class TestPlainBytes:
    def test_the_file_ends_with_them(self):
        target = np.zeros(1200, dtype=np.uint8)
        read_plain(io.BytesIO(CONTENT[:1200]), "a", target)
        assert target.tobytes() == CONTENT[:1200]
        refusal = refused(read_plain, io.BytesIO(CONTENT[:1199]), "a", target)
        assert refusal == ("truncated", "the data ends after 1,199 bytes", "1,200 bytes")
        refusal = refused(read_plain, io.BytesIO(CONTENT[:1201]), "a", target)
        assert refusal == ("trailing_data", "more data than the header declares", "")


@pytest.mark.parametrize(("pack", "zlib_stream"), [(gzip.compress, False), (zlib.compress, True)])
class TestOneStream:
    def test_it_is_read_from_front_to_back(self, pack, zlib_stream):
        for kind in (io.BytesIO, Dribble):
            inflater = Inflater(kind(pack(CONTENT)), "a", zlib_stream=zlib_stream)
            assert [inflater.read(size) for size in (0, 1, 999, 1560)] == [
                b"",
                CONTENT[:1],
                CONTENT[1:1000],
                CONTENT[1000:],
            ]
            inflater.finish()

    def test_an_empty_one_holds_nothing(self, pack, zlib_stream):
        stream(pack(b""), zlib_stream=zlib_stream).finish()
        refusal = refused(stream(pack(b""), zlib_stream=zlib_stream).read, 3)
        assert refusal == ("truncated", "the data ends after 0 bytes", "3 bytes")

    def test_more_than_was_declared_is_refused(self, pack, zlib_stream):
        inflater = stream(pack(CONTENT), zlib_stream=zlib_stream)
        inflater.read(2559)
        assert refused(inflater.finish) == ("trailing_data", "more data than the header declares", "")

    def test_less_than_was_declared_is_refused(self, pack, zlib_stream):
        refusal = refused(stream(pack(CONTENT), zlib_stream=zlib_stream).read, 2561)
        assert refusal == ("truncated", "the data ends after 2,560 bytes", "2,561 bytes")

    @pytest.mark.parametrize("lost", [1, 4, 40])
    def test_a_stream_that_breaks_off_is_refused(self, pack, zlib_stream, lost):
        inflater = stream(pack(CONTENT)[:-lost], zlib_stream=zlib_stream)

        def whole():
            inflater.read(2560)
            inflater.finish()

        assert refused(whole)[:2] == ("truncated", "the compressed data breaks off")

    def test_a_wrong_checksum_is_told(self, pack, zlib_stream):
        damaged = bytearray(pack(CONTENT))
        damaged[-5 if not zlib_stream else -1] ^= 1
        inflater = stream(bytes(damaged), zlib_stream=zlib_stream)

        def whole():
            inflater.read(2560)
            inflater.finish()

        kind, refusal, _ = refused(whole)
        assert (kind, refusal.startswith("the compressed data is damaged (")) == ("checksum", True)

    @pytest.mark.parametrize("kind", [io.BytesIO, Dribble])
    @pytest.mark.parametrize("extra", [b"\0", b"x", b"words"])
    def test_bytes_behind_it_are_refused(self, pack, zlib_stream, extra, kind):
        inflater = Inflater(kind(pack(CONTENT) + extra), "a", zlib_stream=zlib_stream)
        inflater.read(2560)
        assert refused(inflater.finish) == ("trailing_data", "bytes follow after the compressed data", "")

    def test_more_than_is_unpacked_in_one_step_is_one_content(self, pack, zlib_stream):
        large = np.random.default_rng(1).integers(0, 256, (1 << 20) + 5, dtype=np.uint8).tobytes() + bytes(5 << 20)
        inflater = stream(pack(large), zlib_stream=zlib_stream)
        assert inflater.read(len(large)) == large
        inflater.finish()
        inflater = stream(pack(large), zlib_stream=zlib_stream)
        assert inflater.read((1 << 20) + 2) == large[: (1 << 20) + 2]
        assert refused(inflater.finish)[:2] == ("trailing_data", "more data than the header declares")


class TestSeveralStreams:
    @pytest.mark.parametrize("kind", [io.BytesIO, Dribble])
    def test_streams_of_gzip_behind_each_other_are_one_content(self, kind):
        inflater = Inflater(
            kind(gzip.compress(CONTENT[:1000]) + gzip.compress(b"") + gzip.compress(CONTENT[1000:])), "a"
        )
        assert inflater.read(2560) == CONTENT
        inflater.finish()

    def test_a_second_one_is_more_than_was_declared(self):
        inflater = stream(gzip.compress(CONTENT) + gzip.compress(b"x"))
        inflater.read(2560)
        assert refused(inflater.finish) == ("trailing_data", "more data than the header declares", "")

    def test_the_start_of_a_second_one_breaks_off(self):
        for start in (b"\x1f", b"\x1f\x8b", gzip.compress(b"x")[:10]):
            inflater = stream(gzip.compress(CONTENT) + start)
            inflater.read(2560)
            assert refused(inflater.finish)[:2] == ("truncated", "the compressed data breaks off")

    def test_what_only_begins_like_one_is_none(self):
        inflater = stream(gzip.compress(CONTENT) + b"\x1f\x8c more")
        inflater.read(2560)
        assert refused(inflater.finish)[:2] == ("trailing_data", "bytes follow after the compressed data")

    def test_of_zlib_there_is_one(self):
        inflater = stream(zlib.compress(CONTENT) + zlib.compress(b"x"), zlib_stream=True)
        inflater.read(2560)
        assert refused(inflater.finish)[:2] == ("trailing_data", "bytes follow after the compressed data")


def test_a_compressed_file_holds_a_thousand_times_its_size_at_most(tmp_path):
    # 1032 × 200 voxels of a byte: a file of 200 bytes may hold them, one of 199 not.
    path = files.raw_nifti(tmp_path / "a.nii.gz", dim=(2, 1032, 200, 1, 1, 1, 1, 1), data=b"")
    content = path.read_bytes()
    path.write_bytes(content + bytes(200 - len(content)))
    assert read_geometry(path).shape == (1032, 200)
    path.write_bytes(content + bytes(199 - len(content)))
    refusal = refused(read_geometry, path)
    assert refusal == ("truncated", "199 bytes cannot hold the voxels", "206,400 bytes of voxels")
