"""The proxy of `docker-compose.yml` gets a certificate by ACME from an authority that checks who answers under the name.

The authority is Caddy's own (`acme_server`, RFC 8555), the proxy's file is the one that is deployed, unchanged. Both run in a network and with
names of their own, so that the ports 80 and 443, at which the authority looks, are free and nothing leaves the machine.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.run import is_demanded

NAME = "podium.test"
AUTHORITY = "authority.test"
_HOSTS = f"127.0.0.1 localhost {NAME} {AUTHORITY} web\n"
_AUTHORITY = f"""{{
	admin off
	skip_install_trust
	auto_https disable_redirects
}}
https://{AUTHORITY}:8443 {{
	tls internal
	acme_server
}}
"""
# What only a test has: another authority than the public ones, and its root.
_PROXY = """{{
	acme_ca https://{authority}:8443/acme/local/directory
	acme_ca_root {root}
}}
import {file}
"""
_INSIDE = """
import http.client, json, os, socket, ssl, subprocess, sys, time
from pathlib import Path

folder, name = Path(sys.argv[1]), sys.argv[2]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
subprocess.run(["mount", "--bind", str(folder / "hosts"), "/etc/hosts"], check=True)
environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "DOMAIN": name, "TLS": ""}


def caddy(file, data):
    own = {**environment, "XDG_DATA_HOME": str(folder / data), "XDG_CONFIG_HOME": str(folder / data)}
    log = (folder / f"{data}.log").open("w")
    words = ["caddy", "run", "--config", str(folder / file), "--adapter", "caddyfile"]
    return subprocess.Popen(words, env=own, stdout=log, stderr=log)


running = [subprocess.Popen([sys.executable, "-m", "http.server", "8000"], cwd=folder / "site", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
running.append(caddy("authority", "of-authority"))
root = folder / "of-authority/caddy/pki/authorities/local/root.crt"
try:
    for _ in range(300):
        if root.exists():
            break
        time.sleep(0.1)
    running.append(caddy("proxy", "of-proxy"))
    said = None
    for _ in range(300):
        try:
            link = http.client.HTTPSConnection(name, 443, context=ssl.create_default_context(cafile=root), timeout=5)
            link.request("GET", "/")
            answer = link.getresponse()
            held = link.sock.getpeercert() if link.sock else {}
            said = {"status": answer.status, "text": answer.read().decode(), "names": [own[1] for own in held["subjectAltName"]]}
            break
        except (OSError, http.client.HTTPException) as error:
            said = {"error": str(error)}
            time.sleep(0.2)
    link = http.client.HTTPConnection(name, 80, timeout=5)
    link.request("GET", "/")
    said["plain"] = [(plain := link.getresponse()).status, plain.headers["Location"]]
    print(json.dumps(said))
finally:
    for one in running:
        one.kill()
"""


def lacking() -> str:
    """Return the missing requirements of the test on this machine."""
    missing = [
        name
        for name in ("caddy", "unshare", "ip", "mount")
        if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    ]
    return ", ".join(missing + ([] if os.geteuid() == 0 else ["root"]))


@pytest.mark.skipif(bool(lacking()) and not is_demanded("composition"), reason=f"needs {lacking()}")
def test_the_proxy_gets_its_certificate_by_acme(tmp_path: Path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("the platform")
    (tmp_path / "hosts").write_text(_HOSTS)
    (tmp_path / "authority").write_text(_AUTHORITY)
    root = tmp_path / "of-authority/caddy/pki/authorities/local/root.crt"
    file = Path(settings.ROOT, "deploy/Caddyfile")
    (tmp_path / "proxy").write_text(_PROXY.format(authority=AUTHORITY, root=root, file=file))
    (tmp_path / "inside.py").write_text(_INSIDE)
    done = subprocess.run(
        ["unshare", "--net", "--mount", sys.executable, str(tmp_path / "inside.py"), str(tmp_path), NAME],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    log = tmp_path / "of-proxy.log"
    assert done.returncode == 0, done.stderr[-2000:] + (log.read_text()[-3000:] if log.exists() else "")
    said = json.loads(done.stdout)
    # The answer came over a link that the root of the authority vouches for, for this name and no other.
    assert said.get("status") == 200, f"{said}\n{log.read_text()[-3000:]}"
    assert said["text"] == "the platform"
    assert said["names"] == [NAME]
    assert said["plain"] == [308, f"https://{NAME}/"]
    assert "certificate obtained successfully" in log.read_text()
