"""Wheel of `podium-client`, built from the sources of this installation.

The distribution is pure Python: the package `podium_client`, and copies of the two modules of `evaluation` that it shares
(`podium_client.base`). The bytes are the same for the same sources, so that their digest identifies them.
"""

import base64
import hashlib
import io
import re
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from evaluation import durable

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
REQUIRES: Final = ("PyYAML>=6", "requests>=2.32")
PYTHON: Final = ">=3.11"
_BUNDLED: Final = ("durable.py", "environment.py")


@dataclass(frozen=True)
class Wheel:
    """A built wheel.

    Attributes
    ----------
    version
        Version of the client, which is that of the installation.
    name
        Name of the file, by which pip recognizes it.
    content
        Its bytes.
    """

    version: str
    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """Digest of the bytes, hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


@cache
def client_wheel(root: Path) -> Wheel:
    """Build the wheel from the sources below the folder of the project.

    Raises
    ------
    FileNotFoundError
        If the sources of the client are not part of this installation.
    """
    sources = root / "client" / "podium_client"
    version = _version((root / "evaluation" / "version.py").read_text("utf-8"))
    files = {
        f"podium_client/{path.relative_to(sources).as_posix()}": path.read_bytes()
        for path in sorted(sources.rglob("*.py"))
        if "_bundled" not in path.parts
    }
    if not files:
        raise FileNotFoundError(sources)
    bundled = "podium_client/_bundled"
    files[f"{bundled}/__init__.py"] = b'"""Copies of modules of podium-evaluation."""\n'
    files[f"{bundled}/version.py"] = f'"""Version."""\n\n__version__ = "{version}"\n'.encode()
    for name in _BUNDLED:
        files[f"{bundled}/{name}"] = (root / "evaluation" / name).read_bytes()
    files |= _metadata(version, (root / "client" / "README.md").read_text("utf-8"), (root / "LICENSE").read_bytes())
    return Wheel(
        version, f"podium_client-{version}-py3-none-any.whl", _zipped(files, f"podium_client-{version}.dist-info")
    )


def _version(text: str) -> str:
    match = re.search(r'^__version__(?:: Final)? = "([^"]+)"', text, re.MULTILINE)
    if match is None:
        message = "evaluation/version.py states no version"
        raise ValueError(message)
    return match[1]


def _metadata(version: str, readme: str, licence: bytes) -> dict[str, bytes]:
    folder = f"podium_client-{version}.dist-info"
    lines = [
        "Metadata-Version: 2.4",
        "Name: podium-client",
        f"Version: {version}",
        "Summary: Take part in challenges of a Podium installation from the command line.",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        f"Requires-Python: {PYTHON}",
        *(f"Requires-Dist: {line}" for line in REQUIRES),
        "Description-Content-Type: text/markdown",
        "",
        readme,
    ]
    return {
        f"{folder}/METADATA": "\n".join(lines).encode(),
        f"{folder}/WHEEL": b"Wheel-Version: 1.0\nGenerator: podium\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{folder}/entry_points.txt": b"[console_scripts]\npodium = podium_client.cli:main\n",
        f"{folder}/licenses/LICENSE": licence,
    }


def _zipped(files: dict[str, bytes], folder: str) -> bytes:
    record = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    listed = files | {f"{folder}/RECORD": "\n".join([*record, f"{folder}/RECORD,,", ""]).encode()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in listed.items():
            entry = zipfile.ZipInfo(name, date_time=_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main(folder: Path) -> Path:
    """Write the wheel of a release to a folder and return its path."""
    wheel = client_wheel(Path(__file__).resolve().parents[2])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / wheel.name
    durable.write_bytes(path, wheel.content)
    return path


if __name__ == "__main__":
    sys.stdout.write(f"{main(Path(sys.argv[1]))}\n")
