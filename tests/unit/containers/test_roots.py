"""An image unpacked into a folder: layers on top of each other, removed files, and nothing outside the folder."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from confinement.containers.engine import EngineError
from confinement.containers.roots import Program, lies_in, unpack


def layer(path: Path, *entries: tuple[str, dict[str, Any]]) -> Path:
    """A stored layer with entries, in this order."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for name, values in entries:
            own = tarfile.TarInfo(name)
            content = values.pop("content", b"")
            own.size = len(content)
            for key, value in values.items():
                setattr(own, key, value)
            archive.addfile(own, io.BytesIO(content))
    with pa.output_stream(str(path), compression="zstd") as stream:
        stream.write(plain.getvalue())
    return path


def file(content: str, **values: Any) -> dict[str, Any]:
    return {"content": content.encode(), **values}


def link(target: str) -> dict[str, Any]:
    return {"type": tarfile.SYMTYPE, "linkname": target}


FOLDER = {"type": tarfile.DIRTYPE, "mode": 0o755}


def test_upper_layers_replace_and_remove(tmp_path: Path) -> None:
    layers = [
        layer(tmp_path / "1", ("a/one", file("1")), ("a/two", file("2")), ("b/x", file("x")), ("b/y", file("y"))),
        layer(
            tmp_path / "2",
            ("a/.wh.one", file("")),
            ("a/two", file("new", mode=0o4755)),
            ("b/z", file("z")),
            ("b/.wh..wh..opq", file("")),
        ),
    ]
    root = tmp_path / "root"
    unpack(layers, root)

    assert sorted(own.name for own in (root / "a").iterdir()) == ["two"]
    assert (root / "a/two").read_text() == "new"
    assert (root / "a/two").stat().st_mode & 0o7777 == 0o755
    assert sorted(own.name for own in (root / "b").iterdir()) == ["z"]
    assert (root / "input").is_dir()


def test_links_stay_inside(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    hard = {"type": tarfile.LNKTYPE, "linkname": "a/secret"}
    for number, entries in enumerate(
        (
            (("a", link(str(tmp_path / "outside"))), ("a/new", file("x"))),
            (("a", link(str(tmp_path / "outside"))), ("b", hard)),
            (("../outside/new", file("x")),),
            (("a", link("../outside")), ("a/.wh.secret", file(""))),
        )
    ):
        with pytest.raises(EngineError):
            unpack([layer(tmp_path / f"layer-{number}", *entries)], tmp_path / f"root-{number}")
        assert not (tmp_path / f"root-{number}").exists()
    assert [own.name for own in (tmp_path / "outside").iterdir()] == ["secret"]


def test_a_link_that_becomes_a_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    layers = [
        layer(tmp_path / "1", ("a", link(str(tmp_path / "outside")))),
        layer(tmp_path / "2", ("a", dict(FOLDER)), ("a/new", file("x"))),
    ]
    unpack(layers, tmp_path / "root")

    assert (tmp_path / "root/a/new").read_text() == "x"
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="dev/sda is a device"):
        unpack([layer(tmp_path / "1", ("dev/sda", {"type": tarfile.BLKTYPE, "devmajor": 8}))], tmp_path / "root")


def test_programs_are_looked_for_in_the_image(tmp_path: Path) -> None:
    layers = [
        layer(tmp_path / "1", ("usr/bin/run", file("x", mode=0o755)), ("bin", link("/usr/bin")), ("l", link("/l")))
    ]
    unpack(layers, tmp_path / "root")
    root = tmp_path / "root"

    assert lies_in(root, "/bin/run", {})
    assert lies_in(root, "run", {"PATH": "/none:/bin"})
    assert not lies_in(root, "run", {"PATH": "/none"})
    assert not lies_in(root, "/l", {})
    assert not lies_in(root, "/usr/bin", {})


def test_the_program_of_a_configuration() -> None:
    config = {"Entrypoint": ["/a"], "Cmd": ["b"], "Env": ["PATH=/x", "EMPTY=", "none"], "WorkingDir": "/proc/self/fd/7"}
    own = Program.of(json.dumps({"config": config}).encode())

    assert own == Program(("/a", "b"), {"PATH": "/x", "EMPTY": ""}, "/")
    assert Program.of(b'{"config": {"WorkingDir": "/opt"}}').folder == "/opt"
    assert Program.of(b"{}").arguments == ()
