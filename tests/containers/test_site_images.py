"""`podium site run` with the real engine: an image that was carried to a site is run on its cases."""

from pathlib import Path

import pytest

from evaluation.cli.inputs import read_results
from tests.containers.machine import Machine
from tests.unit.client.test_site import CASES
from tests.unit.client.test_site_images import image_in, podium, site_in

pytestmark = pytest.mark.engine


def test_an_image_is_run_at_a_site_and_scored(
    tmp_path: Path, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, digest = image_in(tmp_path)
    folder = site_in(tmp_path, digest)
    for words in (("fetch", "--image", archive), ("check",), ("seal",), ("run",), ("summary",)):
        assert podium(folder, *words) == 0, capsys.readouterr().err
    assert "Containers can be run here (podman" in capsys.readouterr().out
    table = read_results([folder / "results" / "copies.csv"], {})
    assert table["case"].nunique() == len(CASES)
    assert table["value"].astype(float).min() > 0.3
