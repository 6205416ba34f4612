"""Images of algorithms at a site: fetched by digest, checked, and run on the own cases without a network."""

import hmac
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluation import durable
from evaluation.running.aliases import aliases
from evaluation.running.identity import GRAND_CHALLENGE, INTERFACE
from evaluation.running.interface import InterfaceError, read_interface
from podium_client import containers, trying
from podium_client.errors import ClientError
from podium_client.inputs import cases_of
from podium_client.site import cases, wire
from podium_client.site.folder import CASES, PREDICTIONS, SiteFolder, written

_STORE, _CONFIG = "package/images", "config.json"


def wanted(site: SiteFolder) -> dict[str, Mapping[str, Any]]:
    """The algorithms of the package whose images are run, by name."""
    return {str(entry["name"]): entry for entry in site.package["algorithms"] if entry["image"] is not None}


def held(site: SiteFolder, entry: Mapping[str, Any]) -> bool:
    """Return whether all parts of an image are stored at this site."""
    store = _store(site, entry)
    names = [_CONFIG, *(layer.stored_name for layer in _layers(entry, store))]
    return all((store / name).is_file() for name in names)


def lacking(site: SiteFolder) -> list[str]:
    """Names of the algorithms whose images are not here yet."""
    return [name for name, entry in wanted(site).items() if not held(site, entry)]


def fetch(site: SiteFolder, tell: Callable[[str], None]) -> None:
    """Get the images that are not here yet through the network; the same call goes on where it stopped."""
    for name in lacking(site):
        entry = wanted(site)[name]
        store = _store(site, entry)
        store.mkdir(parents=True, exist_ok=True)
        tell(f"Image of {name} …")
        config, layers = entry["parts"]["config"], entry["parts"]["layers"]
        if f"sha256:{config['sha256']}" != entry["image"]:
            raise ClientError(f"The package names other parts than the image of {name} has. Tell the organizers.")
        for part, target in [(config, _CONFIG), *((layer, _name(layer)) for layer in layers)]:
            if not (store / target).is_file():
                wire.download(site, part["sha256"], part["size"], store / target)
        site.note("image", algorithm=name, image=entry["image"])


def take(site: SiteFolder, archive: Path) -> str:
    """Take an image out of an archive that was carried here (`docker save`, or that of the invitation's page).

    Returns
    -------
    str
        Whose it is.

    Raises
    ------
    ClientError
        For an archive that is none, or an image that is not in the package.
    """
    from confinement.containers.images import ImageError, take_image
    from confinement.containers.limits import ImageLimits

    if not archive.is_file():
        raise ClientError(f"There is no file {archive}.")
    with tempfile.TemporaryDirectory(prefix=".image-", dir=site.path / "package") as name:
        store = Path(name) / "store"
        store.mkdir()
        try:
            report = take_image(archive, store, limits=ImageLimits(), interface=_interface(site))
        except ImageError as error:
            raise ClientError(str(error)) from error
        algorithm = next(
            (candidate for candidate, entry in wanted(site).items() if entry["image"] == report.image_id), None
        )
        if algorithm is None:
            raise ClientError(f"{archive} holds the image {report.image_id[:19]}…, which is not in the package.")
        target = _store(site, wanted(site)[algorithm])
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Packed anew here: the same content, and the engine compares it with the digests in the configuration.
        _write_layers(store, report.layers)
        durable.settle_folder(store, target)
    site.note("image", algorithm=algorithm, image=report.image_id)
    return algorithm


def run(site: SiteFolder, name: str, *, engine_name: str, tell: Callable[[str], None]) -> Path:
    """Run the image of an algorithm on every case and return the folder with its predictions.

    Each case runs in a separate container under a neutral name, without a network and without references. A
    repeated call resumes after the last completed case. A case without an output counts as missing.

    Raises
    ------
    ClientError
        If images of cases, parts of the image or an engine are missing, or if the engine fails.
    """
    entry = wanted(site)[name]
    if not held(site, entry):
        raise ClientError(f"The image of {name} is not here yet: podium site fetch.")
    try:
        inputs, outputs, limits = read_interface(site.package["interface"])
    except (InterfaceError, KeyError) as error:
        raise ClientError(f"The package does not say how images are run ({error}). Tell the organizers.") from error
    folder = site.path / PREDICTIONS / name
    done = _done(site, name)
    left = [case for case in cases.case_names(site) if case not in done]
    if not done:
        # What lay there before was made by somebody else.
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    if not left:
        return folder
    images = _images(site, inputs)
    key = hmac.digest(site.secret, f"podium-run-1 {name}".encode(), "sha256")
    names = aliases(key, images)
    with tempfile.TemporaryDirectory(prefix="podium-site-", dir="/var/tmp") as scratch:
        scratch_folder = Path(scratch)
        # The user of a container is nobody on this machine and has to be able to enter it.
        scratch_folder.chmod(0o711)
        trial = trying.Trial(
            containers.open_engine(engine_name, scratch_folder),
            scratch_folder,
            inputs,
            outputs,
            site.package["interface"],
            limits,
            {names[case]: files for case, files in images.items()},
            limited=True,
            output=None,
            tell=lambda _: None,
        )
        trial.load_parts(_store(site, entry), entry["image"], _layers(entry, _store(site, entry)))
        try:
            for number, case in enumerate(left, start=len(done) + 1):
                [tried] = trial.run_cases([names[case]])
                tell(f"{name}: case {number} of {len(images)}, {tried.outcome} after {tried.seconds:.0f} s")
                _keep(trial.kept / names[case], folder, case)
                done[case] = {"outcome": tried.outcome, "seconds": round(tried.seconds, 3)}
                site.write(f"results/{name}.run.json", {"image": entry["image"], "cases": done})
        finally:
            trial.close()
    return folder


def check_engine(site: SiteFolder, engine_name: str = "podman") -> str:
    """Check that this machine can run the images of the package.

    Returns the engine, or an empty string if the package contains no image to run.

    Raises
    ------
    ClientError
        If an engine, an image or the images of cases are missing.
    """
    if not wanted(site):
        return ""
    if names := lacking(site):
        raise ClientError(f"The image of {names[0]} is not here yet: podium site fetch.")
    inputs, _, _ = read_interface(site.package["interface"])
    _images(site, inputs)
    with tempfile.TemporaryDirectory(prefix="podium-site-", dir="/var/tmp") as scratch:
        return str(containers.open_engine(engine_name, Path(scratch)).versions().get("engine", engine_name))


def _images(site: SiteFolder, inputs: Any) -> dict[str, dict[str, Path]]:
    """Files of every case by the names that a container sees."""
    folder = site.path / CASES / "images"
    files_by_case = cases_of(folder, inputs, any_image=_interface(site) == GRAND_CHALLENGE) if folder.is_dir() else {}
    names = cases.case_names(site)
    absent = [name for name in names if name not in files_by_case]
    if absent:
        raise ClientError(
            f"{folder} has no image of case {absent[0]} ({len(absent)} cases in all); algorithms work on it."
        )
    return {name: files_by_case[name] for name in names}


def _interface(site: SiteFolder) -> str:
    """By which conventions the images of the package are run."""
    return str((site.package.get("interface") or {}).get("interface", INTERFACE))


def _keep(source: Path, folder: Path, case: str) -> None:
    """Put what a container wrote for a case where predictions are, named as the reference is."""
    for file in sorted(source.glob("*")) if source.is_dir() else []:
        ending = file.name[file.name.index(".") :]
        written(folder / f"{case}{ending}", file.read_bytes())
        break


def _done(site: SiteFolder, name: str) -> dict[str, Any]:
    """Cases that this image was run on already."""
    path = f"results/{name}.run.json"
    if not site.has(path) or site.read(path)["image"] != wanted(site)[name]["image"]:
        return {}
    return dict(site.read(path)["cases"])


def _store(site: SiteFolder, entry: Mapping[str, Any]) -> Path:
    return site.path / _STORE / str(entry["image"]).removeprefix("sha256:")


def _name(layer: Mapping[str, Any]) -> str:
    return f"{layer['diff_id'].removeprefix('sha256:')}.tar.zst"


def _write_layers(store: Path, layers: Any) -> None:
    rows = [[layer.diff_id, layer.stored_digest, layer.stored_size] for layer in layers]
    durable.write_text(store / "layers.json", json.dumps(rows))


def _layers(entry: Mapping[str, Any], store: Path | None = None) -> list[Any]:
    """Layers of an image, from the lowest up: as the package names them, or as they were packed here."""
    from confinement.containers.images import LayerReport

    layers_file = store / "layers.json" if store is not None else None
    if layers_file is not None and layers_file.is_file():
        rows = json.loads(layers_file.read_text())
    else:
        rows = [[row["diff_id"], f"sha256:{row['sha256']}", row["size"]] for row in entry["parts"]["layers"]]
    return [LayerReport(diff_id, 0, 0, digest, size) for diff_id, digest, size in rows]
