"""Weights: checked in a child, stored once, unpacked once on a machine."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from confinement.containers.limits import WeightsLimits
from confinement.containers.weights import STORED_NAME, WeightsError, take_weights, unpack_weights
from confinement.limits import MIB

LIMITS = WeightsLimits(archive_bytes=4 * MIB, unpacked_bytes=2 * MIB, entries=20)


def packed(path: Path, *entries: tuple[str, bytes | str], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            info.mode = 0o7777
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return path


def test_weights_are_unpacked_once_readable_and_under_their_digest(tmp_path: Path) -> None:
    archive = packed(tmp_path / "w.tar.gz", ("net/a.bin", b"123"), ("b.bin", b"45"))

    report = take_weights(archive, tmp_path, limits=LIMITS)
    folder = unpack_weights(tmp_path / STORED_NAME, tmp_path / "models", digest=report.digest, limits=LIMITS)

    assert report.files == 2
    assert folder.name == report.digest.removeprefix("sha256:")
    assert (folder / "net" / "a.bin").read_bytes() == b"123"
    assert (folder / "b.bin").stat().st_mode & 0o7777 == 0o644
    assert (folder / "net").stat().st_mode & 0o7777 == 0o755
    assert unpack_weights(tmp_path / "gone", tmp_path / "models", digest=report.digest, limits=LIMITS) == folder
    assert [own.name for own in (tmp_path / "models").iterdir()] == [folder.name]


def test_archive_at_a_relative_path_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed(tmp_path / "w.tar.gz", ("a", b"1"))
    monkeypatch.chdir(tmp_path)

    assert take_weights(Path("w.tar.gz"), Path(), limits=LIMITS).files == 1
    assert (tmp_path / STORED_NAME).is_file()


def test_digest_is_that_of_the_archive_without_its_compression(tmp_path: Path) -> None:
    plain = packed(tmp_path / "w.tar", ("a", b"1"), mode="w")

    assert (
        take_weights(plain, tmp_path, limits=LIMITS).digest
        == f"sha256:{hashlib.sha256(plain.read_bytes()).hexdigest()}"
    )


def test_stored_weights_that_are_other_ones_are_not_unpacked(tmp_path: Path) -> None:
    take_weights(packed(tmp_path / "w.tar.gz", ("a", b"1")), tmp_path, limits=LIMITS)

    with pytest.raises(WeightsError, match="do not match"):
        unpack_weights(tmp_path / STORED_NAME, tmp_path / "models", digest=f"sha256:{'a' * 64}", limits=LIMITS)

    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([("../x", b"1")], "points outside"),
        ([("/etc/x", b"1")], "points outside"),
        ([("x", "/etc/shadow")], "no regular file"),
        ([("x", b"1"), ("./x", b"2")], "twice"),
        ([("/".join("a" * 40), b"1")], "folders deep"),
        ([(str(number), b"") for number in range(21)], "more than 20 files"),
        ([("x", bytes(3 * MIB))], "unpacks to more than"),
        ([], "holds no file"),
    ],
)
def test_weights_that_are_refused(tmp_path: Path, entries: list, says: str) -> None:
    with pytest.raises(WeightsError, match=says):
        take_weights(packed(tmp_path / "w.tar.gz", *entries), tmp_path, limits=LIMITS)


def test_more_than_may_be_uploaded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="at most 10 are taken"):
        take_weights(packed(tmp_path / "w.tar.gz", ("a", b"1")), tmp_path, limits=WeightsLimits(archive_bytes=10))
