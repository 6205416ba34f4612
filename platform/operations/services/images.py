"""Pin the images of the composition by digest: a tag can be moved, a digest cannot.

The module requests the current digest of each image's tag from its registry. It uses the protocol of the Open
Container Initiative (distribution-spec, pulling manifests). It writes the digest into a file that overrides
`docker-compose.yml`.
"""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_HUB = "registry-1.docker.io"
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class RegistryError(Exception):
    """A registry does not return a digest.

    The message states the image and the reason.
    """


@dataclass(frozen=True)
class Image:
    """A name in a registry.

    Examples
    --------
    >>> Image.parse("caddy:2.10.2")
    Image(registry='registry-1.docker.io', repository='library/caddy', tag='2.10.2')
    >>> Image.parse("localhost:5000/own/store:1").registry
    'localhost:5000'
    """

    registry: str
    repository: str
    tag: str

    @classmethod
    def parse(cls, text: str) -> "Image":
        """Read ``[registry/]name:tag``."""
        name, _, tag = text.rpartition(":")
        if not name or "/" in tag:
            raise RegistryError(f"{text} names no version: every image is pinned by one.")
        first, slash, rest = name.partition("/")
        if slash and ("." in first or ":" in first or first == "localhost"):
            return cls(first, rest, tag)
        return cls(_HUB, name if slash else f"library/{name}", tag)


def named(compose: Path, dockerfile: Path) -> dict[str, str]:
    """Return service → image of what is pulled, and the base of the image that is built under the name ``build``."""
    services = yaml.safe_load(compose.read_text())["services"]
    images = {name: service["image"] for name, service in services.items() if "build" not in service}
    base = re.search(r"^ARG BASE=(\S+)$", dockerfile.read_text(), re.MULTILINE)
    if base is None:
        raise RegistryError(f"{dockerfile} has no line ARG BASE=….")
    return {**images, "build": base[1]}


def digest_of(text: str, *, plain: bool = False, timeout: float = 30) -> str:
    """Ask the registry of an image for the digest of its tag.

    Parameters
    ----------
    text
        ``[registry/]name:tag``.
    plain
        By HTTP: for a registry on this machine.
    timeout
        Seconds for each answer.

    Raises
    ------
    RegistryError
        When there is no such image, no answer, or no digest in it.
    """
    image = Image.parse(text)
    address = f"{'http' if plain else 'https'}://{image.registry}/v2/{image.repository}/manifests/{image.tag}"
    headers = {"Accept": _MANIFESTS}
    try:
        answer = _head(address, headers, timeout)
    except urllib.error.HTTPError as refused:
        challenge = refused.headers.get("WWW-Authenticate", "")
        if refused.code != 401 or not challenge.startswith("Bearer "):
            raise RegistryError(f"{text}: the registry answers {refused.code}.") from refused
        headers["Authorization"] = f"Bearer {_token(challenge, timeout)}"
        try:
            answer = _head(address, headers, timeout)
        except (urllib.error.URLError, OSError) as error:
            raise RegistryError(f"{text}: {error}.") from error
    except OSError as error:
        raise RegistryError(f"{text}: {image.registry} does not answer ({error}).") from error
    if not _DIGEST.fullmatch(answer):
        raise RegistryError(f"{text}: the registry gives no digest.")
    return answer


def _head(address: str, headers: dict[str, str], timeout: float) -> str:
    request = urllib.request.Request(address, headers=headers, method="HEAD")  # noqa: S310 (a registry named in our own file)
    with urllib.request.urlopen(request, timeout=timeout) as answer:  # noqa: S310
        return str(answer.headers.get("Docker-Content-Digest", ""))


def _token(challenge: str, timeout: float) -> str:
    fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    query = urllib.parse.urlencode({name: fields[name] for name in ("service", "scope") if name in fields})
    try:
        with urllib.request.urlopen(f"{fields['realm']}?{query}", timeout=timeout) as answer:  # noqa: S310
            content = json.loads(answer.read(64 * 1024))
        return str(content.get("token") or content["access_token"])
    except (OSError, KeyError, ValueError) as error:
        raise RegistryError(f"The registry gives no token ({error}).") from error


def overlay(digests: dict[str, str], images: dict[str, str], built: list[str]) -> str:
    """Return the file that overrides `docker-compose.yml`: every image with its digest.

    Parameters
    ----------
    digests
        Digest by service, and the digest of the base under ``build``.
    images
        Images as returned by `named`.
    built
        Services that are built from the Dockerfile.
    """
    services: dict[str, Any] = {
        name: {"image": f"{images[name]}@{digest}"} for name, digest in digests.items() if name != "build"
    }
    base = f"{images['build']}@{digests['build']}"
    services |= {name: {"build": {"context": ".", "args": {"BASE": base}}} for name in built}
    head = "# Written by `python manage.py lock_images`. Use: docker compose -f docker-compose.yml -f docker-compose.lock.yml up -d\n"
    return head + yaml.safe_dump({"services": services}, sort_keys=True)
