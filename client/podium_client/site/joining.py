"""Taking an invitation, and getting the package of what is to be evaluated."""

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

from evaluation import __version__
from evaluation.federation import Refusal
from evaluation.federation.documents import digest_of, read_signed
from evaluation.federation.envelope import keyid_of
from evaluation.federation.reading import read_json
from podium_client.errors import ClientError
from podium_client.site import outbox, wire
from podium_client.site.folder import SiteFolder, sha256_of, written

PACKAGE_MEMBER, DRY_RUN_MEMBER = "package.json", "dry-run.zip"
_MOST = 32 * 2**20


def read_invitation(source: str) -> dict[str, Any]:
    """Read an invitation from a file or from the address in the letter.

    Raises
    ------
    ClientError
        If it is not an invitation, or is not signed by the key that it names.
    """
    data = wire.get(f"{source.rstrip('/')}/invitation.json") if "://" in source else _bytes(Path(source))
    try:
        claimed = read_json(data, most=_MOST)
        body = read_json(base64.b64decode(str(claimed.get("payload", ""))))
        public = bytes.fromhex(str(body.get("key", "")))
        return read_signed(data, {keyid_of(public): public}, "site-invitation")
    except (Refusal, ValueError) as error:
        raise ClientError(f"{source} is no invitation: {error}.") from error


def join(invitation: dict[str, Any], path: Path, *, confirmed_by: str, country: str = "") -> SiteFolder:
    """Make the folder of the site, and sign its registration with the terms that a person confirmed."""
    _check_terms(invitation)
    facts = {key: invitation[key] for key in invitation if key not in ("schema", "invitation")}
    site = SiteFolder.make(path, facts)
    _register(site, invitation, confirmed_by, country)
    return site


def renew(site: SiteFolder, invitation: dict[str, Any], *, confirmed_by: str) -> None:
    """Replace the key of a site that was invited again; its secret, its sealed cases and its results stay.

    Raises
    ------
    ClientError
        For the invitation of another site or challenge.
    """
    _check_terms(invitation)
    if (invitation["site"], invitation["federation"]) != (site.name, site.facts["federation"]):
        raise ClientError(f"This is an invitation of another site or challenge than that of {site.path}.")
    outbox.replace_key(site)
    _register(site, invitation, confirmed_by, "")
    outbox.sign_again(site)


def _check_terms(invitation: dict[str, Any]) -> None:
    terms = invitation["terms"]
    if digest_of({"text": terms["text"]}) != terms["digest"]:
        raise ClientError("The terms of the invitation have another digest than it says.")


def _register(site: SiteFolder, invitation: dict[str, Any], confirmed_by: str, country: str) -> None:
    outbox.queue(
        site,
        "site-registration",
        {
            "invitation": invitation["invitation"],
            "terms": invitation["terms"]["digest"],
            "confirmed_by": confirmed_by,
            "key": {"algorithm": "ed25519", "public": site.public.hex()},
            "kit": __version__,
            **({"country": country} if country else {}),
        },
    )


def fetch(site: SiteFolder) -> dict[str, Any]:
    """Get the package and its public cases through the network."""
    return _stored(site, wire.package(site), None)


def fetch_from(site: SiteFolder, path: Path) -> dict[str, Any]:
    """Take the package out of the file that was carried here."""
    if not zipfile.is_zipfile(path):
        return _stored(site, _bytes(path), path.with_name(DRY_RUN_MEMBER))
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if PACKAGE_MEMBER not in names or archive.getinfo(PACKAGE_MEMBER).file_size > _MOST:
            raise ClientError(f"{path} is no package: it holds no {PACKAGE_MEMBER}.")
        data = archive.read(PACKAGE_MEMBER)
        carried = None
        if DRY_RUN_MEMBER in names:
            carried = site.path / "package" / f".carried-{DRY_RUN_MEMBER}"
            with archive.open(DRY_RUN_MEMBER) as source, carried.open("wb") as target:
                while block := source.read(1 << 20):
                    target.write(block)
    try:
        return _stored(site, data, carried)
    finally:
        if carried is not None:
            carried.unlink(missing_ok=True)


def _stored(site: SiteFolder, data: bytes, carried: Path | None) -> dict[str, Any]:
    try:
        package = read_signed(data, site.centre_keys, "site-package")
    except Refusal as refusal:
        raise ClientError(f"This package cannot be taken: {refusal}.") from refusal
    if package["federation"] != site.facts["federation"]:
        raise ClientError("This package belongs to another challenge.")
    stored_version = site.read("package/package.json")["version"] if site.has("package/package.json") else 0
    if package["version"] < stored_version:
        raise ClientError(f"This is package {package['version']}; package {stored_version} is here already.")
    if (dry_run := package["dry_run"]) is not None:
        target = site.path / "package" / DRY_RUN_MEMBER
        if not target.is_file() or sha256_of(target) != dry_run["sha256"]:
            if carried is None:
                wire.download(site, dry_run["sha256"], dry_run["size"], target)
            else:
                _take_dry_run(carried, dry_run, target)
    written(site.path / "package" / "package.json", json.dumps(package, indent=1, ensure_ascii=False).encode())
    site.__dict__.pop("package", None)
    site.__dict__.pop("assessment", None)
    if site.assessment.digest != package["assessment_digest"]:
        raise ClientError("The assessment of the package has another digest than it says.")
    site.note("fetched", package=digest_of(package), version=package["version"])
    return package


def _take_dry_run(carried: Path, dry_run: dict[str, Any], target: Path) -> None:
    if not carried.is_file():
        raise ClientError(f"{carried.name} with the public cases has to lie beside the package.")
    if carried.stat().st_size != dry_run["size"] or sha256_of(carried) != dry_run["sha256"]:
        raise ClientError("The public cases have another SHA-256 than the signed package says.")
    written(target, carried.read_bytes())


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST:
            raise ClientError(f"{path} is too large.")
        return path.read_bytes()
    except OSError as error:
        raise ClientError(f"{path} cannot be read ({type(error).__name__}).") from error
