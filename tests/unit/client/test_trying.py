"""Messages of `podium try` before anything is started."""

import json
from pathlib import Path

import pytest
from podium_client.cli import main
from podium_client.containers import run_limits

INTERFACE = {
    "schema": 1,
    "interface": "podium-exec-1",
    "inputs": [{"socket": "t1", "file": "t1.nii.gz", "kind": "image"}],
    "outputs": [{"socket": "out", "file": "out.txt", "kind": "file"}],
    "limits": {"case_seconds": 5, "cpus": 64, "memory_bytes": 1000},
}


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["try", *arguments]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_what_is_lacking_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interface, bad = tmp_path / "interface.json", tmp_path / "bad.json"
    interface.write_text(json.dumps(INTERFACE))
    bad.write_text(json.dumps(INTERFACE | {"schema": 7}))
    (tmp_path / "cases" / "case_1").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    image, cases = str(tmp_path / "image.tar"), str(tmp_path / "cases")

    assert "either --interface interface.json or --phase" in said(capsys, image, cases)
    assert "no interface.json of schema 1" in said(capsys, image, cases, "--interface", str(bad))
    assert "case_1 lacks t1.nii.gz" in said(capsys, image, cases, "--interface", str(interface))
    assert "holds no case" in said(capsys, image, str(tmp_path / "empty"), "--interface", str(interface))
    assert "both --references and --assessment" in said(capsys, image, cases, "--references", cases)


def test_without_an_engine_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "interface.json").write_text(json.dumps(INTERFACE))
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "case_1.nii.gz").write_bytes(b"x")
    monkeypatch.setenv("PATH", str(tmp_path))

    words = said(capsys, "image.tar", str(tmp_path / "cases"), "--interface", str(tmp_path / "interface.json"))

    assert words == "podium: podman is not installed. On Debian or Ubuntu: sudo apt install podman runc uidmap."


def test_registered_limits_are_taken_and_none_where_they_are_off() -> None:
    registered = run_limits(INTERFACE["limits"], limited=True)
    off = run_limits(INTERFACE["limits"], limited=False)

    assert (registered.case_seconds, registered.memory_bytes, registered.gpus) == (5, 1000, 0)
    assert registered.cpus <= 64
    assert off.case_seconds > 80_000
    assert off.memory_bytes > 10**8
