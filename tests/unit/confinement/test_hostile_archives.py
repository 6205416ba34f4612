"""Malicious archives: reading them ends quickly with a plain error, regardless of what they declare."""

import contextlib
import io
import random
import struct
import tarfile
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confinement.archive import ArchiveError, BombError, extract, head, is_tar, members, opened, repack_tar
from confinement.limits import MIB, ArchiveLimits, Packing
from executions.scoring.services.inspecting import archive_limits

LIMITS = ArchiveLimits(entries=50, total_bytes=10_000_000, entry_bytes=5_000_000, depth=4, name_length=100)


def written(path: Path, entries: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "archive.zip"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("../outside.nii.gz", "outside"),
        ("folder/../../outside.nii.gz", "outside"),
        ("/etc/passwd", "outside"),
        ("C:\\windows\\case.nii.gz", "outside"),
        ("..\\outside.nii.gz", "outside"),
        ("a/b/c/d/e/case.nii.gz", "folders deep"),
        ("x" * 200 + ".nii.gz", "longer than"),
        ("case\n001.nii.gz", "control characters"),
    ],
)
def test_names_that_lead_astray_are_refused(target: Path, name: str, word: str):
    written(target, {name: b"1"})
    with pytest.raises(ArchiveError, match=word):
        members(target, LIMITS)


def test_what_operating_systems_add_is_ignored(target: Path):
    written(
        target,
        {
            "__MACOSX/._case.nii.gz": b"",
            ".DS_Store": b"",
            "set/.hidden": b"",
            "set/Thumbs.db": b"",
            "set/case.nii.gz": b"1",
        },
    )
    assert [member.path for member in members(target, LIMITS)] == ["set/case.nii.gz"]


def test_the_directory_of_an_archive_is_read_once_for_many_files(target: Path, monkeypatch):
    written(target, {f"{number}.dcm": b"12345" for number in range(40)})
    readings = []
    read = zipfile.ZipFile._RealGetContents
    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", lambda self: (readings.append(1), read(self)))
    out = target.with_name("out")
    with opened(target) as archive:
        for number in range(40):
            assert archive.head(f"{number}.dcm", 3) == b"123"
            archive.extract(f"{number}.dcm", out, limit=5)
            assert out.read_bytes() == b"12345"
        assert archive.head("no.dcm", 3) == b""
        with pytest.raises(ArchiveError, match="more than 4 bytes"):
            archive.extract("1.dcm", out, limit=4)
        with pytest.raises(ArchiveError, match=r"no\.dcm is damaged inside the archive"):
            archive.extract("no.dcm", out, limit=4)
    assert len(readings) == 1
    target.write_bytes(b"PK\x03\x04")
    assert head(target, "1.dcm", 3) == b""
    with pytest.raises(ArchiveError, match="not a readable ZIP"), opened(target):
        pass


def test_a_link_is_refused(target: Path):
    entry = zipfile.ZipInfo("case.nii.gz")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(ArchiveError, match="is a link"):
        members(target, LIMITS)


def test_an_encrypted_entry_is_refused(target: Path):
    written(target, {"case.nii.gz": b"1"})
    content = bytearray(target.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    target.write_bytes(content)
    with pytest.raises(ArchiveError, match="encrypted"):
        members(target, LIMITS)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_is_refused(target: Path, compression: int):
    written(target, {"case.nii.gz": b"1" * 100}, compression)
    with pytest.raises(ArchiveError, match="unusual method"):
        members(target, LIMITS)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_is_refused(target: Path):
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("case.nii.gz", "1")
        archive.writestr("case.nii.gz", "2")
    with pytest.raises(ArchiveError, match="2 times"):
        members(target, LIMITS)


def test_too_many_entries_are_refused(target: Path):
    written(target, {f"{number}.nii.gz": b"" for number in range(51)})
    with pytest.raises(ArchiveError, match="51 entries"):
        members(target, LIMITS)


def test_an_entry_and_a_total_beyond_the_limits_are_refused(target: Path):
    written(target, {"case.nii.gz": bytes(5_000_001)})
    with pytest.raises(ArchiveError, match="at most 5,000,000"):
        members(target, LIMITS)
    written(target, {f"{number}.nii.gz": bytes(4_000_000) for number in range(3)})
    with pytest.raises(ArchiveError, match="more than 10,000,000"):
        members(target, LIMITS)


def test_entries_that_share_their_data_are_refused(target: Path):
    """The trick of the overlapping bomb: many directory entries, one body."""
    written(target, {"a.nii.gz": bytes(1000), "b.nii.gz": bytes(1000)})
    content = bytearray(target.read_bytes())
    first = content.index(b"PK\x01\x02")
    second = content.index(b"PK\x01\x02", first + 4)
    content[second + 42 : second + 46] = struct.pack("<I", 0)
    target.write_bytes(content)
    with pytest.raises(ArchiveError, match="overlaps"):
        members(target, LIMITS)


def test_a_directory_that_claims_more_than_deflate_can_pack_is_refused(target: Path):
    written(target, {"case.nii.gz": bytes(100)})
    content = bytearray(target.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", 4_900_000)
    target.write_bytes(content)
    with pytest.raises(ArchiveError, match="times its own size"):
        members(target, LIMITS)


def test_a_header_that_understates_the_size_does_not_get_more_out(target: Path, tmp_path: Path):
    """The directory declares 10 bytes and the stream contains a million: nothing beyond the limit is written."""
    written(target, {"case.nii.gz": bytes(1_000_000)})
    content = bytearray(target.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", 10)
    target.write_bytes(content)
    out = tmp_path / "out"
    with pytest.raises(ArchiveError):
        extract(target, "case.nii.gz", out, limit=5)
    assert out.stat().st_size <= 10


def test_extraction_stops_at_the_limit_whatever_is_packed(target: Path, tmp_path: Path):
    written(target, {"case.nii.gz": bytes(3_000_000)})
    out = tmp_path / "out"
    with pytest.raises(ArchiveError, match="more than 1,000 bytes"):
        extract(target, "case.nii.gz", out, limit=1_000)
    assert out.stat().st_size <= 1_001


def test_a_damaged_body_is_a_refusal_of_that_file(target: Path, tmp_path: Path):
    written(target, {"case.nii.gz": bytes(range(256)) * 100})
    content = bytearray(target.read_bytes())
    content[60] ^= 0xFF
    target.write_bytes(content)
    with pytest.raises(ArchiveError, match="damaged"):
        extract(target, "case.nii.gz", tmp_path / "out", limit=100_000)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_change_of_bytes_makes_the_reader_fail_in_another_way(tmp_path: Path, data: st.DataObject):
    """Flip, cut or insert anywhere: the outcome is a list of files within the limits, or a refusal."""
    path = tmp_path / "archive.zip"
    content = bytearray(written(path, {"set/a.nii.gz": bytes(300), "b.nii.gz": b"abc" * 50}).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, max(len(content) - 1, 0)))
        match data.draw(st.sampled_from(["flip", "cut", "insert", "zero"])):
            case "flip":
                content[place : place + 1] = bytes([data.draw(st.integers(0, 255))])
            case "cut":
                del content[place : place + data.draw(st.integers(1, 40))]
            case "insert":
                content[place:place] = data.draw(st.binary(max_size=20))
            case "zero":
                content[place : place + 4] = b"\xff\xff\xff\xff"[: len(content[place : place + 4])]
        if not content:
            content = bytearray(b"P")
    path.write_bytes(content)
    with contextlib.suppress(ArchiveError):
        found = members(path, LIMITS)
        assert sum(member.size for member in found) <= LIMITS.total_bytes
        for member in found:
            extract(path, member.path, tmp_path / "out", limit=1_000)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400), start=st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08"]))
def test_noise_is_refused(tmp_path: Path, content: bytes, start: bytes):
    path = tmp_path / "noise"
    path.write_bytes(start + content)
    assert is_tar(path) in (True, False)
    with contextlib.suppress(ArchiveError):
        assert members(path, LIMITS) == []


def tarred(path: Path, entries: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def test_a_tar_archive_becomes_a_zip_of_its_files(tmp_path: Path):
    path = tarred(
        tmp_path / "set.tar.gz",
        [(tarfile.TarInfo("set/a.nii.gz"), b"one"), (tarfile.TarInfo("set/.DS_Store"), b"x")],
    )
    assert is_tar(path)
    repack_tar(path, tmp_path / "out.zip", LIMITS)
    assert [(member.path, member.size) for member in members(tmp_path / "out.zip", LIMITS)] == [("set/a.nii.gz", 3)]


def zstd(path: Path, content: bytes) -> Path:
    with pa.output_stream(str(path), compression="zstd") as sink:
        sink.write(content)
    return path


def test_a_tar_archive_may_be_packed_with_zstd(tmp_path: Path):
    plain = tarred(tmp_path / "set.tar", [(tarfile.TarInfo("set/a.nii.gz"), b"one" * 10_000)], "w").read_bytes()
    path = zstd(tmp_path / "set.tar.zst", plain)
    assert is_tar(path)
    repack_tar(path, tmp_path / "out.zip", LIMITS)
    assert [(member.path, member.size) for member in members(tmp_path / "out.zip", LIMITS)] == [
        ("set/a.nii.gz", 30_000)
    ]


@pytest.mark.parametrize("cut", [4, 9, 200, -8])
def test_a_zstd_archive_that_is_cut_off_or_no_tar_inside_is_refused(tmp_path: Path, cut: int):
    plain = tarred(tmp_path / "set.tar", [(tarfile.TarInfo("a.nii.gz"), random.Random(0).randbytes(3000))], "w")
    path = zstd(tmp_path / "set.tar.zst", plain.read_bytes())
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ArchiveError, match="cannot be read to its end"):
        repack_tar(path, tmp_path / "out.zip", LIMITS)
    with pytest.raises(ArchiveError, match="cannot be read to its end"):
        repack_tar(zstd(tmp_path / "no.zst", b"no archive" * 200), tmp_path / "out.zip", LIMITS)


def test_a_zstd_bomb_is_stopped_before_it_is_written(tmp_path: Path):
    plain = tarred(tmp_path / "set.tar", [(tarfile.TarInfo("a.nii.gz"), bytes(5_000_001))], "w")
    path = zstd(tmp_path / "set.tar.zst", plain.read_bytes())
    assert path.stat().st_size < 2000
    with pytest.raises(ArchiveError, match="at most 5,000,000"):
        repack_tar(path, tmp_path / "out.zip", LIMITS)
    assert (tmp_path / "out.zip").stat().st_size < 1000


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_in_a_tar_archive_are_refused(tmp_path: Path, kind: bytes):
    entry = tarfile.TarInfo("a.nii.gz")
    entry.type, entry.linkname = kind, "/etc/passwd"
    path = tarred(tmp_path / "set.tar", [(entry, b"")], "w")
    with pytest.raises(ArchiveError, match="is a link"):
        repack_tar(path, tmp_path / "out.zip", LIMITS)


def test_a_tar_bomb_is_stopped_before_it_is_written(tmp_path: Path):
    path = tarred(tmp_path / "set.tar.gz", [(tarfile.TarInfo("a.nii.gz"), bytes(5_000_001))])
    with pytest.raises(ArchiveError, match="at most 5,000,000"):
        repack_tar(path, tmp_path / "out.zip", LIMITS)
    assert (tmp_path / "out.zip").stat().st_size < 1000


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 2000), value=st.integers(0, 255), compress=st.booleans())
def test_no_change_of_bytes_makes_the_tar_reader_fail_in_another_way(
    tmp_path: Path, place: int, value: int, compress: bool
):
    path = tarred(tmp_path / "set.tar", [(tarfile.TarInfo("a.nii.gz"), b"abc" * 100)], "w")
    content = bytearray(path.read_bytes())
    content[place % len(content)] = value
    path.write_bytes(b"\x1f\x8b" + zlib.compress(content) if compress else content)
    if is_tar(path):
        with contextlib.suppress(ArchiveError):
            repack_tar(path, tmp_path / "out.zip", LIMITS)
            assert len(members(tmp_path / "out.zip", LIMITS)) <= 1


def sparse(path: Path, *, real: int, name: str = "a.nii.gz", times: int = 1) -> Path:
    """A tar archive whose files claim `real` bytes and hold none: one header each, in the old format of GNU tar."""
    header = bytearray(tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[386:410] = b"%011o\0%011o\0" % (real, 0)
    header[483:495] = b"%011o\0" % real
    blocks = b""
    for number in range(times):
        block = bytearray(header)
        block[: len(name)] = f"{number:x}{name}".encode()[: len(name)]
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        blocks += bytes(block)
    path.write_bytes(zlib.compress(blocks + bytes(1024), wbits=31))
    return path


def test_a_sparse_file_is_judged_by_what_it_would_become(tmp_path: Path):
    """Headers of half a kilobyte that claim gigabytes each: how two megabytes filled a disk."""
    path = sparse(tmp_path / "set.tar.gz", real=6_000_000, times=3)
    assert path.stat().st_size < 300
    with pytest.raises(BombError, match="at most 5,000,000"):
        repack_tar(path, tmp_path / "out.zip", LIMITS)
    assert (tmp_path / "out.zip").stat().st_size < 1000
    with pytest.raises(ArchiveError, match="sparse") as refused:
        repack_tar(sparse(tmp_path / "one.tar.gz", real=1000), tmp_path / "out.zip", LIMITS)
    assert not refused.value.is_charged, "an honest program may have packed it so"


PACKERS = {"tar.gz": "w:gz", "tar.bz2": "w:bz2", "tar.xz": "w:xz"}


@pytest.mark.parametrize("kind", [*PACKERS, "tar.zst"])
def test_what_a_tar_archive_unpacks_to_is_bounded_by_its_own_size(tmp_path: Path, kind: str):
    entries = [(tarfile.TarInfo(f"{number}.nii.gz"), bytes(400_000)) for number in range(5)]
    path = tarred(tmp_path / f"set.{kind}", entries, PACKERS.get(kind, "w"))
    if kind == "tar.zst":
        path = zstd(path, path.read_bytes())
    limits = replace(LIMITS, packing=Packing(ratio=100, harmless_bytes=1_000_000))
    with pytest.raises(BombError, match="times its own size"):
        repack_tar(path, tmp_path / "out.zip", limits)
    assert (tmp_path / "out.zip").stat().st_size < 1_300_000


def test_files_that_are_thrown_away_are_unpacked_all_the_same_and_so_counted(tmp_path: Path):
    entries = [(tarfile.TarInfo(f".{number}"), bytes(4_000_000)) for number in range(3)]
    with pytest.raises(BombError, match="far more than"):
        repack_tar(tarred(tmp_path / "set.tar.gz", entries), tmp_path / "out.zip", LIMITS)


@pytest.mark.parametrize("mode", ["w:gz", "w"])
def test_many_entries_of_a_tar_archive_are_refused(tmp_path: Path, mode: str):
    entries = [(tarfile.TarInfo(f"{number}/"), b"") for number in range(51)]
    with pytest.raises(BombError, match="more than 50 entries"):
        repack_tar(tarred(tmp_path / "set.tar", entries, mode), tmp_path / "out.zip", LIMITS)


def test_a_long_name_in_a_tar_archive_is_refused(tmp_path: Path):
    path = tarred(tmp_path / "set.tar.gz", [(tarfile.TarInfo("x" * 100_000), b"1")])
    with pytest.raises(ArchiveError, match="longer than 100 characters"):
        repack_tar(path, tmp_path / "out.zip", LIMITS)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_in_a_tar_archive_is_refused(tmp_path: Path):
    path = tarred(tmp_path / "set.tar.gz", [(tarfile.TarInfo("a.nii.gz"), b"1"), (tarfile.TarInfo("a.nii.gz"), b"2")])
    repack_tar(path, tmp_path / "out.zip", LIMITS)
    with pytest.raises(ArchiveError, match="2 times"):
        members(tmp_path / "out.zip", LIMITS)


def test_what_does_not_fit_on_the_disk_is_refused_before_it_is_written_and_is_nobodys_fault(tmp_path: Path):
    limits = replace(LIMITS, room_bytes=1000)
    path = tarred(tmp_path / "set.tar.gz", [(tarfile.TarInfo("a.nii.gz"), bytes(1001))])
    with pytest.raises(ArchiveError, match=r"has 1,000 free\. Compress") as refused:
        repack_tar(path, tmp_path / "out.zip", limits)
    assert not refused.value.is_charged
    with pytest.raises(ArchiveError, match="has 1,000 free"):
        members(written(tmp_path / "set.zip", {"a.nii.gz": bytes(1001)}), limits)


def test_the_bounds_follow_what_the_test_set_needs():
    small, large = (archive_limits(cases=10, needed_bytes=size) for size in (50 * MIB, 50_000 * MIB))
    assert small.total_bytes == (4 * 50 + 256) * MIB
    assert (small.entries, small.entry_bytes) == (1_100, small.total_bytes)
    assert (large.total_bytes, large.entry_bytes) == (200_256 * MIB, ArchiveLimits().entry_bytes)


def test_names_with_backslashes_of_windows_powershell_lie_in_folders() -> None:
    archive = Path(__file__).parents[2] / "data" / "reports" / "zip-powershell-backslash" / "predictions.zip"

    files = members(archive, ArchiveLimits())

    assert len(files) == 15
    assert files[0].path == "preds\\hippocampus_015.nii.gz"
    assert files[0].name == "hippocampus_015.nii.gz"
    assert all("\\" not in member.name for member in files)
