"""`podium site` runs the images of a package: fetched by digest, on the site's cases.

The engine is a stand-in.
"""

import hashlib
import json
import shutil

import pytest
from podium_client import containers
from podium_client.cli import main

from confinement.containers import making
from evaluation.cli.inputs import read_results
from tests.containers.stand_in_engine import StandInEngine, Work
from tests.unit.client.test_site import CASES, EXAMPLE, Centre, outbox

INTERFACE = {
    "schema": 1,
    "interface": "podium-exec-1",
    "inputs": [{"socket": "image", "file": "image.nii.gz", "kind": "image"}],
    "outputs": [{"socket": "prediction", "file": "prediction.nii.gz", "kind": "label_image", "required": True}],
    "cases": [],
    "limits": {"case_seconds": 20, "start_seconds": 5, "memory_bytes": 2**27, "cpus": 1, "pids": 64},
}
COPIES = """
for case in $(ls /input | grep -v interface.json); do
  mkdir -p /output/$case
  cp /input/$case/image.nii.gz /output/$case/prediction.nii.gz
done
"""


def image_in(folder):
    """An image that gives its input back, as an archive; returns it with its digest and parts as a package has them."""
    layers = [making.busybox(), making.layer([making.Entry("opt/run.sh", COPIES.encode(), 0o755)])]
    image = making.image(layers, entrypoint=["/bin/sh", "/opt/run.sh"])
    archive = folder / "copies.tar"
    digest = making.write(archive, image, kind="docker")
    return archive, digest


def package_of(centre, digest, **changed):
    """A package in which one algorithm is run, and predictions of the other are carried in."""
    parts = {
        "config": {"sha256": digest.removeprefix("sha256:"), "size": 1},
        "layers": [{"diff_id": f"sha256:{'0' * 64}", "sha256": "0" * 64, "size": 1}],
    }
    entry = {"name": "copies", "image": digest, "parts": parts, "predictions": False} | changed
    algorithms = [entry, {"name": "unet-a", "image": None}]
    return centre.package(name="images.json", version=2, algorithms=algorithms, interface=INTERFACE)


def site_in(home, digest, **changed):
    """A folder with twelve cases whose images are what another algorithm predicted, so that a copy scores well."""
    centre, folder = Centre(home / "centre"), home / "site"
    join = ("join", str(centre.invitation()), str(folder), "--confirmed-by", "Dr. Site", "--yes")
    assert main(["site", *join]) == 0
    assert podium(folder, "fetch", "--from", package_of(centre, digest, **changed)) == 0
    (folder / "cases" / "images").mkdir()
    (folder / "predictions" / "unet-a").mkdir()
    for case in CASES:
        shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", folder / "cases" / "references")
        shutil.copy(EXAMPLE / "predictions" / "mean-atlas" / f"{case}.nii.gz", folder / "cases" / "images")
        shutil.copy(EXAMPLE / "predictions" / "unet-a" / f"{case}.nii.gz", folder / "predictions" / "unet-a")
    return folder


def podium(folder, *words):
    return main(["site", *map(str, words), "--folder", str(folder)])


@pytest.fixture
def engine(monkeypatch):
    """Stand-in engine whose containers are functions."""
    own = StandInEngine()
    monkeypatch.setattr(containers, "open_engine", lambda *_: own)
    return own


@pytest.fixture
def archive(tmp_path):
    return image_in(tmp_path)


@pytest.fixture
def site(tmp_path, archive):
    return site_in(tmp_path, archive[1])


def test_an_image_is_run_on_every_case_and_the_message_names_it(site, archive, engine, capsys):
    assert podium(site, "check") == 2
    assert "The image of copies is not here yet" in capsys.readouterr().err
    assert podium(site, "fetch", "--image", archive[0]) == 0
    assert podium(site, "check") == 0
    assert "Containers can be run here (stand-in 1)" in capsys.readouterr().out
    assert podium(site, "seal") == podium(site, "run") == podium(site, "summary") == 0
    assert engine.loaded == [archive[1]]
    assert len(engine.starts) == len(CASES)
    assert f"copies: completed, image {archive[1][:19]}" in capsys.readouterr().out
    content = json.loads((site / "summary.json").read_text())
    assert [run["image"] for run in content["runs"]] == [archive[1], None]
    expected = read_results([site / "results" / "copies.csv"], {})
    assert expected["value"].astype(float).min() > 0.3
    assert podium(site, "run") == 0  # nothing is left, nothing is run again
    assert len(engine.starts) == len(CASES)


def test_a_container_learns_no_name_of_a_case_and_sees_no_reference(site, archive, engine):
    seen = []

    def looks(work: Work) -> None:
        seen.append([path.relative_to(work.input).as_posix() for path in work.input.rglob("*")])
        for case in work.cases:
            work.copy(case)

    engine.script = looks
    for words in (("fetch", "--image", archive[0]), ("check",), ("seal",), ("run", "--algorithm", "copies")):
        assert podium(site, *words) == 0
    assert not [path for paths in seen for path in paths if "hippocampus" in path or "reference" in path]
    assert sorted(path.name for path in (site / "predictions" / "copies").iterdir()) == [f"{c}.nii.gz" for c in CASES]


def test_running_goes_on_behind_the_last_case_and_a_fault_of_the_engine_is_nobodys_result(
    site, archive, engine, capsys
):
    def breaks_later(work: Work) -> None:
        if len(engine.starts) > 3:
            work.fault("the disk is full")
        work.copy(work.cases[0])

    engine.script = breaks_later
    for words in (("fetch", "--image", archive[0]), ("check",), ("seal",)):
        assert podium(site, *words) == 0
    assert podium(site, "run", "--algorithm", "copies") == 2
    assert "the disk is full" in capsys.readouterr().err
    assert not (site / "results" / "copies.csv").exists()
    engine.script = lambda work: work.copy(work.cases[0])
    before = len(engine.starts)
    assert podium(site, "run", "--algorithm", "copies") == 0
    assert len(engine.starts) - before == len(CASES) - 3


def test_a_case_without_an_output_counts_as_missing(site, archive, engine):
    def refuses_one(work: Work) -> None:
        if len(engine.starts) == 2:
            work.exit(1)
        work.copy(work.cases[0])

    engine.script = refuses_one
    for words in (("fetch", "--image", archive[0]), ("check",), ("seal",), ("run", "--algorithm", "copies")):
        assert podium(site, *words) == 0
    table = read_results([site / "results" / "copies.csv"], {})
    assert table[table["outcome"] == "missing"]["case"].nunique() == 1
    assert json.loads((site / "results" / "copies.json").read_text())["status"] == "partial"


def test_an_image_that_is_not_in_the_package_is_not_taken(site, tmp_path, capsys):
    other = tmp_path / "other"
    other.mkdir()
    image = making.image([making.busybox()], entrypoint=["/bin/true"])
    making.write(other / "foreign.tar", image, kind="docker")
    assert podium(site, "fetch", "--image", other / "foreign.tar") == 2
    assert "which is not in the package" in capsys.readouterr().err


def test_predictions_beside_an_image_are_taken_only_where_the_package_says_so(tmp_path, archive, engine, capsys):
    folder = site_in(tmp_path, archive[1])
    (folder / "predictions" / "copies").mkdir()
    for case in CASES:
        shutil.copy(EXAMPLE / "predictions" / "mean-atlas" / f"{case}.nii.gz", folder / "predictions" / "copies")
    assert podium(folder, "seal") == 0
    assert podium(folder, "run", "--carried", "copies") == 2
    assert "predictions of it are not taken" in capsys.readouterr().err
    package = json.loads((folder / "package" / "package.json").read_text())
    package["algorithms"][0]["predictions"] = True
    (folder / "package" / "package.json").write_text(json.dumps(package))
    assert podium(folder, "run", "--carried", "copies") == 0
    assert json.loads((folder / "results" / "copies.json").read_text())["image"] is None
    assert not engine.starts


def test_an_image_with_other_parts_than_its_digest_says_is_not_fetched(site, monkeypatch, capsys):
    package = json.loads((site / "package" / "package.json").read_text())
    package["algorithms"][0]["parts"]["config"]["sha256"] = hashlib.sha256(b"another").hexdigest()
    (site / "package" / "package.json").write_text(json.dumps(package))
    monkeypatch.setattr("podium_client.site.joining.fetch", lambda site: site.package)
    assert podium(site, "fetch") == 2
    assert "other parts than the image" in capsys.readouterr().err
    assert len(outbox(site)) == 1
