"""The command that writes an image from files, as the documentation for participants gives it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from confinement.containers.images import take_image
from confinement.containers.limits import ImageLimits

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.zst"])
@pytest.mark.parametrize("kind", ["oci", "docker"])
def test_it_writes_an_archive_that_is_taken_and_prints_its_id(tmp_path: Path, ending: str, kind: str) -> None:
    (tmp_path / "run.sh").write_text("echo well\n")
    output = ran(
        tmp_path,
        f"algorithm{ending} --format {kind} --base scratch --add run.sh:/opt/run.sh "
        "--label org.example.name=threshold --entrypoint '[\"/opt/run.sh\"]'",
    )
    (tmp_path / "store").mkdir()
    report = take_image(
        tmp_path / f"algorithm{ending}", tmp_path / "store", limits=ImageLimits(), architectures=["amd64"]
    )
    assert output == f"{report.image_id}\n"
    assert report.entrypoint == ("/opt/run.sh",)


@pytest.mark.skipif(not Path("/bin/busybox").exists(), reason="the package busybox-static is not installed")
def test_the_command_of_the_documentation_makes_an_image(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text()
    [command] = re.findall(r"^python -m confinement\.containers\.making (.+)$", page, re.MULTILINE)
    (tmp_path / "run.sh").write_text("echo well\n")
    assert ran(tmp_path, command).startswith("sha256:")
    assert (tmp_path / "algorithm.tar.gz").stat().st_size > 100_000


def ran(folder: Path, words: str) -> str:
    command = [sys.executable, "-m", "confinement.containers.making", *shlex.split(words)]
    return subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    ).stdout
