"""Actions of an operator and a participant on the composition, and accidents that happen to it."""

import http.client
import io
import json
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pyrage
from django.conf import settings
from django.core.management import call_command

from tests.composition.docker import Docker
from tests.composition.engine import podman
from tests.composition.launcher import Composition
from tests.ports import free_port

NAME = "podium.example.org"
HTTP, HTTPS = free_port(), free_port()
ADDRESS = f"https://{NAME}:{HTTPS}"
PROJECT, RESTORED = "podium-drill", "podium-restored"
EXAMPLE = "nuclei"
PASSWORD = "a long password of the drill"
_PEOPLE = f"""
import json
from django.core.management import call_command
call_command("load_example", {EXAMPLE!r})
from accounts.models import User
from accounts.services import issue_token
from allauth.account.models import EmailAddress
from challenges.models import Challenge
from challenges.services import join_with_team
user = User.objects.create_user("visitor", "visitor@example.org", {PASSWORD!r})
EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
join_with_team(challenge=Challenge.objects.get(slug={EXAMPLE!r}), user=user, team_name="Visitors")
_, secret = issue_token(user=user, name="drill", scopes=["read", "submit"], days=1)
print("TOLD", json.dumps(secret))
"""
_STATE = """
import json
from core.audit.models import Head
from leaderboards.models import RankingVersion
from submissions.models import Submission
head = Head.objects.get(pk=1)
print("TOLD", json.dumps({"head": [head.sequence, head.digest],
    "rankings": list(RankingVersion.objects.order_by("digest").values_list("digest", flat=True)),
    "scored": sorted(map(str, Submission.objects.filter(state="scored").values_list("pk", flat=True)))}))
"""
Project = Composition | Docker
# Until everything is scored and ranked that was handed in; then what has to hold of it.
_SETTLED = f"""
import time
from django.core.management import call_command
from django.db.models import F
from leaderboards.models import RankingRequest
from submissions.models import Submission
states = [Submission.State(name) for name in ("running", "received", "validating", "accepted")]
for _ in range(300):
    scoring = Submission.objects.filter(state__in=states).count()
    ranking = RankingRequest.objects.filter(computed__lt=F("requested")).count()
    if not scoring + ranking:
        break
    time.sleep(1)
else:
    raise SystemExit("{{}} submissions and {{}} rankings still wait.".format(scoring, ranking))
call_command("verify_audit")
call_command("verify_storage")
{_STATE}
"""
# What they leave half done is taken up again.
_KILLED = [
    *(f"worker-{name}" for name in ("score", "validate", "ingest")),
    *("web", "postgres", "redis", "storage", "beat", "proxy"),
    *(f"worker-{name}" for name in ("rank", "figures", "quality", "mail")),
]


def use(
    folder: Path, *, begun: float, keep: bool, mounts: Sequence[Path] = (), backups: bool = True, docker: bool = False
) -> None:
    """Run the whole drill, and remove both projects, including those that an earlier run left.

    Parameters
    ----------
    begun
        Start time of the printed seconds.
    keep
        Leave the first project up.
    mounts
        Folders that every container sees, in addition to those in the file.
    backups
        Back up into a folder and a bucket, and restore in a second project.
    docker
        With Docker and its own compose instead of podman; without backups.
    """

    def say(what: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {what}", flush=True)

    _set_up(folder / PROJECT)
    file = settings.ROOT / "docker-compose.yml"
    if docker:
        _up_to_the_power_cut(Docker(file, PROJECT, folder / PROJECT), folder, say, keep=keep)
        return
    first = Composition(file, PROJECT, folder / PROJECT, mounts)
    second = Composition(file, RESTORED, folder / PROJECT, mounts)
    try:
        second.down()
        after = _up_to_the_power_cut(first, folder, say, keep=True)
        if not backups:
            return
        kept = _back_up(first, folder)
        say("backed up into a folder")
        _back_up_into_a_bucket(first)
        say("backed up into a bucket, encrypted")
        first.down()
        _restore(second, kept)
        second.up()
        restored = _told(second, _STATE)
        for what in ("scored", "rankings"):
            assert restored[what] == after[what], what
        assert restored["head"][0] > after["head"][0]  # the restore itself is noted
        assert _ask("GET", "/healthz")[0] == 200
        say("restored in a second project: same rankings, same results")
    finally:
        second.down()
        if not keep:
            first.down()


def _up_to_the_power_cut(composition: Project, folder: Path, say: Callable[[str], None], *, keep: bool) -> Any:
    """Bring it up, use it, kill every service at once, and look that all is there; returns what is stored in the end."""
    try:
        composition.down()
        composition.up()
        say("all services are healthy")
        _reached_as_it_should_be()
        say("TLS, redirect and confinement")
        token = _people(composition)
        _sign_in()
        _submit(composition, folder, token)
        say("a participant signed in, uploaded, and has a score")
        before = _told(composition, _STATE)
        composition.cut_power(*_KILLED)
        _well_again()
        findings = json.loads(
            _after("[", composition.inside("web", "python", "manage.py", "doctor", "--json", check=False))
        )
        wrong = {entry["part"] for entry in findings if entry["level"] == "error"}
        assert wrong <= {"mail", "backups"}, findings
        after = _told(composition, _SETTLED)
        for what in ("scored", "rankings"):
            assert set(before[what]) <= set(after[what]), (what, before, after)
        assert after["head"][0] >= before["head"][0]
        _sign_in()
        say("every service was killed, and all is well again and there")
        return after
    finally:
        if not keep:
            composition.down()


def _set_up(folder: Path) -> None:
    """Run `manage.py setup`, and add settings for a small machine."""
    folder.mkdir()
    call_command(
        "setup", folder=folder, address=f"https://{NAME}", admin_email="ada@example.org", email_url="consolemail://",
        sender="podium@example.org", prefix="drill", publisher="Drill", tls="internal", stdout=io.StringIO(),
    )  # fmt: skip
    with (folder / ".env").open("a") as file:
        file.write(
            f"HTTP_PORT={HTTP}\nHTTPS_PORT={HTTPS}\nSCORE_CONCURRENCY=1\nSCORE_MEMORY=2g\nINGEST_MEMORY=2g\nVALIDATE_MEMORY=2g\n"
        )
        file.write(f"PODIUM_CASE_MEMORY_BYTES={1024**3}\n")


@contextmanager
def _named() -> Iterator[None]:
    """Have the name of the site lead to this machine, in this process."""
    real = socket.getaddrinfo

    def here(host: Any, *more: Any, **options: Any) -> Any:
        return real("127.0.0.1" if host == NAME else host, *more, **options)

    with mock.patch.object(socket, "getaddrinfo", here):
        yield


def _ask(method: str, path: str, *, body: str = "", headers: dict[str, str] | None = None) -> tuple[int, Any, str]:
    """Ask the proxy by the name of the site; returns status, headers and text."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with _named():
        link = http.client.HTTPSConnection(NAME, HTTPS, context=context, timeout=60)
        link.request(method, path, body=body or None, headers=headers or {})
        answer = link.getresponse()
        text = answer.read().decode(errors="replace")
        link.close()
    return answer.status, answer.headers, text


def _reached_as_it_should_be() -> None:
    status, _, text = _ask("GET", "/healthz")
    said = json.loads(text)
    assert status == 200, text
    assert said["confinement"]["ok"], text
    link = http.client.HTTPConnection("127.0.0.1", HTTP, timeout=20)
    link.request("GET", "/", headers={"Host": NAME})
    answer = link.getresponse()
    assert answer.status in (301, 308), answer.status
    assert answer.headers["Location"].startswith("https://")
    link.close()
    # A forged scheme and address do not pass the proxy; nobody else is answered by another name.
    assert _ask("GET", "/", headers={"Host": "elsewhere.example.org"})[0] in (400, 421, 200)


def _after(mark: str, text: str) -> str:
    return text[text.index(mark) :].rpartition("]")[0] + "]" if mark == "[" else text[text.index(mark) + len(mark) :]


def _told(composition: Project, code: str) -> Any:
    said = composition.inside("web", "python", "manage.py", "shell", "-c", code)
    return json.loads(re.search(r"^TOLD (.*)$", said, re.MULTILINE)[1])


def _people(composition: Project) -> str:
    return _told(composition, _PEOPLE)


def _sign_in() -> None:
    _, headers, page = _ask("GET", "/accounts/login/")
    cookie = headers["Set-Cookie"].split(";")[0]
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
    body = f"csrfmiddlewaretoken={token}&login=visitor&password={PASSWORD.replace(' ', '+')}"
    own = {
        "Cookie": cookie,
        "Referer": f"{ADDRESS}/accounts/login/",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    status, headers, page = _ask("POST", "/accounts/login/", body=body, headers=own)
    assert status == 302, page[-2000:]
    assert all("Secure" in cookie for cookie in headers.get_all("Set-Cookie"))


def _submit(composition: Project, folder: Path, token: str) -> None:
    """Hand predictions in by the command that participants have, and wait for the score."""
    from podium_client import cli

    root = folder / "root.crt"
    composition.copy_out("proxy", "/data/caddy/pki/authorities/local/root.crt", root)
    environment = {
        "PODIUM_URL": ADDRESS, "PODIUM_TOKEN": token, "PODIUM_CONFIG": str(folder / "client.json"),
        "REQUESTS_CA_BUNDLE": str(root), "CURL_CA_BUNDLE": str(root),
    }  # fmt: skip
    archive = next((settings.ROOT / "examples" / EXAMPLE / "try-me").glob("*preliminary.zip"))
    with _named(), mock.patch.dict("os.environ", environment):
        code = cli.main(["submit", EXAMPLE, "1", str(archive), "--watch"])
    assert not code, f"podium submit ended with {code}"


def _well_again(patience: float = 90) -> None:
    end, said = time.monotonic() + patience, ""
    while time.monotonic() < end:
        try:
            status, _, said = _ask("GET", "/healthz")
            if status == 200 and json.loads(said)["status"] == "ok":
                return
        except (OSError, http.client.HTTPException, ValueError) as error:
            said = str(error)
        time.sleep(1)
    raise AssertionError(f"not well {patience:.0f} s after everything was killed: {said}")


def _back_up(composition: Composition, folder: Path) -> Path:
    composition.inside("web", "python", "manage.py", "backup", "/tmp/backup")
    composition.inside("web", "python", "manage.py", "verify_backup", "/tmp/backup")
    composition.inside("web", "tar", "-C", "/tmp", "-cf", "/data/backup.tar", "backup")
    kept = folder / "backup.tar"
    composition.copy_out("web", "/data/backup.tar", kept)
    return kept


_BUCKET = """
from operations.services.backup_targets import target
target("s3://kept/drill").connection.meta.client.create_bucket(Bucket="kept")
"""


def _back_up_into_a_bucket(composition: Composition) -> None:
    """Another bucket of the same store, and a key that only this drill has."""
    identity = pyrage.x25519.Identity.generate()
    composition.inside("web", "python", "manage.py", "shell", "-c", _BUCKET)
    recipient = str(identity.to_public())
    composition.inside("web", "python", "manage.py", "backup", "s3://kept/drill", "--recipient", recipient)
    composition.inside("web", "sh", "-c", f"printf %s '{identity}' > /tmp/identity && chmod 600 /tmp/identity")
    composition.inside("web", "python", "manage.py", "verify_backup", "s3://kept/drill", "--identity", "/tmp/identity")


def _restore(composition: Composition, kept: Path) -> None:
    """Restore as the page describes: start only database, broker and storage, then run `restore`.

    `restore` runs in a container of the application.
    """
    composition.up("postgres", "redis", "storage")
    service = {**composition.services["restore"], "command": ["sleep", "600"]}
    for key in ("healthcheck", "depends_on", "mem_limit"):
        service.pop(key, None)
    composition.services["restoring"] = service
    composition._start("restoring")
    try:
        podman("cp", str(kept), f"{composition.name('restoring')}:/data/backup.tar")
        composition.inside("restoring", "tar", "-C", "/tmp", "-xf", "/data/backup.tar")
        said = composition.inside("restoring", "python", "manage.py", "restore", "/tmp/backup")
        assert "everything holds" in said, said
    finally:
        podman("rm", "--force", "--time", "1", composition.name("restoring"), check=False)
        composition.services.pop("restoring")
