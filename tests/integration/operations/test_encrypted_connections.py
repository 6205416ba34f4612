"""Connections to PostgreSQL and Redis on another machine: encrypted, and refused if a stranger answers."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import psycopg2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import settings

from tests.chaos.services import wait_for_port
from tests.ports import free_port

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
pytestmark = [
    pytest.mark.skipif(not shutil.which("redis-server") or not PROGRAMS, reason="needs redis-server and PostgreSQL"),
    pytest.mark.any_database("The test starts its own servers."),
]
ASK = """
import json, django
django.setup()
from celery import current_app
from django.core.cache import cache
from django.db import connection

def cached():
    cache.set("own", 1)
    return cache.get("own")

def queued():
    with current_app.connection_for_write(connect_timeout=3) as link:
        link.ensure_connection(max_retries=1, interval_start=0, timeout=3)
        queue = link.SimpleQueue("own")
        queue.put("message")
        return queue.get(timeout=5).payload

def encrypted():
    with connection.cursor() as cursor:
        cursor.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        return cursor.fetchone()[0]

answers = {}
for ask in (cached, queued, encrypted):
    try:
        answers[ask.__name__] = ask()
    except Exception as error:
        answers[ask.__name__] = f"{type(error).__name__}: {error}"
print(json.dumps(answers))
"""


def authority(name: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Return the certificate of an authority and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    return certificate(name, key, (None, key)), key


def certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: tuple[x509.Certificate | None, ec.EllipticCurvePrivateKey],
) -> x509.Certificate:
    """Return a certificate for `localhost`, or that of an authority if it has no issuer."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
    builder = builder.issuer_name(issuer[0].subject if issuer[0] else subject)
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.BasicConstraints(ca=issuer[0] is None, path_length=None), critical=True)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(issuer[1], hashes.SHA256())


@contextmanager
def servers(folder: Path) -> Iterator[tuple[str, str]]:
    """Start both servers with TLS; yield their addresses without options."""
    user = "postgres" if os.getuid() == 0 else None
    data, postgres, redis = folder / "data", free_port(), free_port()
    programs = PROGRAMS[-1].parent
    words = [programs / "initdb", "-D", data, "-U", "podium", "-A", "trust", "--no-sync"]
    subprocess.run(words, cwd="/", user=user, check=True, capture_output=True)
    (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 trust\n")
    tls = ["-c", "ssl=on", "-c", f"ssl_cert_file={folder / 'own.crt'}", "-c", f"ssl_key_file={folder / 'own.key'}"]
    command = [programs / "postgres", "-D", data, "-p", str(postgres), "-k", folder, "-c", "listen_addresses=127.0.0.1"]
    of_redis = ["redis-server", "--port", "0", "--tls-port", str(redis), "--bind", "127.0.0.1", "--save", ""]
    of_redis += ["--tls-cert-file", folder / "own.crt", "--tls-key-file", folder / "own.key", "--dir", folder]
    of_redis += ["--tls-ca-cert-file", folder / "authority.crt", "--tls-auth-clients", "no", "--requirepass", "known"]
    with (folder / "log").open("w") as log:
        running = [
            subprocess.Popen(words, cwd="/", user=user, stdout=log, stderr=log)
            for words in ([*command, *tls], of_redis)
        ]
        try:
            wait_for_port(postgres)
            wait_for_port(redis)
            _wait_for_postgres(postgres)
            yield f"postgres://podium@localhost:{postgres}/postgres", f"rediss://:known@localhost:{redis}/0"
        finally:
            for process in running:
                process.terminate()
                process.wait(30)


def _wait_for_postgres(port: int) -> None:
    for _ in range(100):
        try:
            psycopg2.connect(host="127.0.0.1", port=port, user="podium", dbname="postgres", sslmode="require").close()
        except psycopg2.OperationalError:
            time.sleep(0.2)
        else:
            return


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """Answers of the servers to a process that trusts their authority, to one that trusts another, and without TLS."""
    folder = tmp_path_factory.mktemp("tls")
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o011)
    own, key = authority("own"), ec.generate_private_key(ec.SECP256R1())
    form = serialization.Encoding.PEM
    (folder / "authority.crt").write_bytes(own[0].public_bytes(form))
    (folder / "other.crt").write_bytes(authority("other")[0].public_bytes(form))
    (folder / "own.crt").write_bytes(certificate("localhost", key, own).public_bytes(form))
    private = serialization.PrivateFormat.PKCS8
    (folder / "own.key").write_bytes(key.private_bytes(form, private, serialization.NoEncryption()))
    (folder / "own.key").chmod(0o600)
    if os.getuid() == 0:
        for path in (folder, folder / "own.key"):
            shutil.chown(path, "postgres", "postgres")
    with servers(folder) as (database, broker):
        by_authority = {}
        for name in ("authority", "other"):
            file = folder / f"{name}.crt"
            by_authority[name] = asked(
                folder,
                f"{database}?sslmode=verify-full&sslrootcert={file}",
                f"{broker}?ssl_cert_reqs=required&ssl_ca_certs={file}",
            )
        by_authority["plain"] = asked(folder, f"{database}?sslmode=disable", broker.replace("rediss:", "redis:"))
        return by_authority


def asked(folder: Path, database: str, broker: str) -> dict[str, object]:
    """Return the answers to a process with these addresses."""
    environment = {
        **os.environ, "DATABASE_URL": database, "REDIS_URL": broker, "PODIUM_DATA": str(folder / "platform"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}",
    }  # fmt: skip
    words = [sys.executable, "-c", ASK]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_cache_broker_and_database_are_used_through_tls(answers):
    assert answers["authority"] == {"cached": 1, "queued": "message", "encrypted": True}


@pytest.mark.parametrize("part", ["cached", "queued", "encrypted"])
def test_a_server_with_the_certificate_of_another_authority_is_refused(answers, part):
    assert "certificate" in str(answers["other"][part]).lower()


@pytest.mark.parametrize("part", ["cached", "queued", "encrypted"])
def test_connections_without_tls_are_refused(answers, part):
    assert answers["plain"][part] not in (1, "message", False)
