"""Every module that can open a connection to another host is listed with the bound on its time."""

import ast

from django.conf import settings

from tests.sources import nodes

LIBRARIES = {
    *("aiohttp", "boto3", "botocore", "docker", "ftplib", "http.client", "httpx", "imaplib", "poplib", "requests"),
    *("smtplib", "socket", "telnetlib", "urllib.request", "urllib3", "websocket", "websockets", "xmlrpc"),
}
CLIENT = "runs on the computer of a participant, who waits for it"
CONNECTING = {
    "platform/web/outbound.py": "the guarded requests of the server; one absolute deadline for each",
    "platform/accounts/notifications/services/delivery.py": "letters, sent by a worker to the server of the settings",
    "platform/datastore/uploads/storage.py": "names of exceptions",
    "platform/datastore/uploads/object_store.py": "the object store of the settings, with time-outs and few attempts",
    "platform/datastore/uploads/management/commands/check_direct_uploads.py": "a command that an operator waits for",
    "platform/operations/management/commands/backup.py": "names of exceptions",
    "platform/operations/management/commands/run.py": "asks the web process that it started on this machine",
    "platform/operations/services/proxies.py": "asks the address of this site, for the command `doctor`",
    "platform/operations/services/images.py": "registries of images, for the command `lock_images`",
    "platform/operations/services/heartbeats.py": "the name of this machine",
    "platform/operations/domain/alive.py": "asks the web process on this machine, for the health check of a container",
    "platform/executions/services/hosts.py": "the name of this machine",
    "confinement/guarantees.py": "tries in a confined child that connections fail",
    "confinement/containers/probe.py": "tries in a container that connections fail",
    "confinement/containers/kubernetes.py": "the cluster of the settings, with time-outs, by a runner",
    "confinement/containers/registries.py": "the registry of that cluster, with time-outs, by a runner",
    "client/podium_client/connection.py": CLIENT,
    "client/podium_client/downloading.py": CLIENT,
    "client/podium_client/direct.py": CLIENT,
    "client/podium_client/runner/link.py": "runs on a machine that executes algorithms, and waits for its platform",
    "client/podium_client/doctor.py": CLIENT,
    "client/podium_client/scoring.py": CLIENT,
    "client/podium_client/starting.py": CLIENT,
    "client/podium_client/site/wire.py": "runs on a computer of a hospital, whose operator waits for it",
}
ASKING = {
    "platform/challenges/webhooks/services/sending.py": "send_message",
    "platform/designs/services/links.py": "check_links",
    "platform/registry/drift/services.py": "run_check",
    "platform/registry/services/depositing.py": "run_deposit",
    "platform/registry/services/timestamps.py": "stamp",
}
"""Modules that use the guarded requests, and the services that call them."""


def imported(text: str) -> set[str]:
    """Return the names of all modules that a source imports, with their parents."""
    names: set[str] = set()
    for node in nodes(text):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names | {name.rsplit(".", count)[0] for name in names for count in range(1, name.count(".") + 1)}


def sources(*words: str):
    """Yield the name and text of each module that contains one of these words."""
    for root in ("platform", "evaluation", "confinement", "client"):
        for path in sorted((settings.ROOT / root).rglob("*.py")):
            if "migrations" not in path.parts and any(word in (text := path.read_text("utf-8")) for word in words):
                yield str(path.relative_to(settings.ROOT)), text


def test_every_module_that_connects_to_another_host_is_listed():
    packages = {library.partition(".")[0] for library in LIBRARIES}
    connecting = {name for name, text in sources(*packages) if imported(text) & LIBRARIES}
    assert connecting == set(CONNECTING)


def test_requests_to_other_hosts_run_in_workers_only():
    """A page that asks another host keeps a thread of the web process until that host answers."""
    asking = {name for name, text in sources("outbound") if "web.outbound" in imported(text)}
    assert asking == set(ASKING)
    calls: dict[str, set[str]] = {service: set() for service in ASKING.values()}
    for name, text in sources(*calls):
        for node in nodes(text):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if called in calls:
                    calls[called].add(name)
    assert calls == {
        "check_links": {"platform/designs/tasks.py"},
        "run_check": {"platform/registry/drift/tasks.py"},
        "run_deposit": {"platform/registry/tasks.py"},
        "stamp": {"platform/registry/tasks.py"},
        "send_message": {"platform/challenges/webhooks/tasks.py"},
    }
