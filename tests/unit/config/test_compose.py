"""docker-compose.yml is checked by reading it; `tests/composition` brings it up where there is an engine."""

import re
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from operations.domain.database_roles import ROLES, variable

ROOT = settings.ROOT
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("build")}
SETTINGS = "".join(part.read_text() for part in (ROOT / "platform/config/settings").glob("*.py"))
READ_BY_SETTINGS = set(re.findall(r'env\.\w+\(\s*"([A-Z0-9_]+)"', SETTINGS))
# Read by the base image or the launcher, not by the settings.
OTHERS = {"PODIUM_DATA", "POSTGRES_PASSWORD", *map(variable, ROLES)}


def words(service: dict) -> list[str]:
    return service["command"]


TEXT = (ROOT / "docker-compose.yml").read_text()
PAGE = (ROOT / "docs" / "operators" / "settings.md").read_text()


def names_in(table: str) -> set[str]:
    """Variables in the first column of a table."""
    rows = re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_services_of_the_architecture_are_there():
    assert {"proxy", "web", "beat", "postgres", "redis", "storage"} <= set(SERVICES)


def test_only_the_proxy_publishes_ports():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_setting_can_be_given_in_the_env_file(name):
    assert OURS[name]["env_file"][0] == ".env"


def test_what_the_env_file_cannot_change_is_what_the_page_says():
    environment = OURS["web"]["environment"]
    fixed = {name for name, value in environment.items() if value and f"${{{name}" not in str(value)}
    said = PAGE.partition("These follow from the file itself")[2].partition("And these are read")[0]
    assert names_in(said) == fixed


def test_what_compose_alone_reads_is_what_the_page_says():
    read = set(re.findall(r"\$\{(\w+)", TEXT))
    said = names_in(PAGE.partition("And these are read by the file alone")[2].partition("## ")[0])
    assert said == read - READ_BY_SETTINGS


def test_the_key_of_the_references_reaches_only_those_who_open_them():
    with_key = {name for name, service in OURS.items() if "references.env" in service["env_file"]}
    assert with_key == {
        *("web", "restore"),
        *(f"worker-{name}" for name in ("validate", "ingest", "score", "rank", "figures", "quality")),
    }
    assert "PODIUM_REFERENCE_KEY" not in TEXT


@pytest.mark.parametrize("name", sorted(OURS))
def test_each_service_has_its_role_of_the_database_and_no_password_of_another(name):
    environment = OURS[name]["environment"]
    role = {"prepare": "podium", "restore": "podium", "web": "podium_web", "worker-mail": "podium_web"}
    url = environment["DATABASE_URL"]
    assert re.search(r"//(\w+):", url)[1] == role.get(name, "podium_worker")
    password = (
        f"POSTGRES_{'' if url.startswith('postgres://podium:') else url[18:].split(':')[0].upper() + '_'}PASSWORD"
    )
    assert f"${{{password}:?" in url
    passwords = {key: value for key, value in environment.items() if re.fullmatch(r"POSTGRES_(\w+_)?PASSWORD", key)}
    assert passwords.keys() == {"POSTGRES_PASSWORD", *map(variable, ROLES)}
    assert {key for key, value in passwords.items() if value} == (
        passwords.keys() - {"POSTGRES_PASSWORD"} if name == "prepare" else set()
    )


def test_rights_are_granted_after_the_tables_changed():
    command = OURS["prepare"]["command"][-1]
    assert command.index("manage.py migrate") < command.index("manage.py database_roles")


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_memory_and_passing_files_are_bounded(name):
    service = SERVICES[name]
    assert service["mem_limit"].startswith("${")
    assert all("size=" in place for place in service.get("tmpfs", []))


@pytest.mark.parametrize("name", sorted(set(SERVICES) - set(OURS)))
def test_images_are_pinned_by_version(name):
    assert re.fullmatch(r"[a-z/]+:\d+(\.\d+)+[a-z0-9.-]*", SERVICES[name]["image"])


def test_the_health_of_the_web_process_is_asked_by_a_host_that_is_answered():
    assert SERVICES["web"]["healthcheck"]["test"][1:] == ["python", "-m", "operations.domain.alive"]


def test_every_queue_has_a_worker():
    served = [
        queue
        for service in OURS.values()
        if "worker" in service["command"]
        for queue in words(service)[words(service).index("--queues") + 1].split(",")
    ]
    assert sorted(served) == sorted(settings.PODIUM_QUEUES)


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_variable_is_one_that_the_settings_read(name):
    assert set(OURS[name]["environment"]) - OTHERS <= READ_BY_SETTINGS


@pytest.mark.parametrize("name", sorted(OURS))
def test_what_the_application_needs_from_others_is_given(name):
    needed = {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "PODIUM_S3_BUCKET", "PODIUM_S3_ENDPOINT", "PODIUM_ADDRESS"}
    assert needed <= set(OURS[name]["environment"])


@pytest.mark.parametrize("name", sorted(OURS))
def test_addresses_name_services_of_this_file(name):
    environment = OURS[name]["environment"]
    for address in ("DATABASE_URL", "REDIS_URL", "PODIUM_S3_ENDPOINT"):
        host = re.search(r"(?:@|//)([a-z-]+):\d+", environment[address])[1]
        assert host in SERVICES


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_what_keeps_running_has_a_health_check_and_what_it_waits_for_exists(name):
    service = SERVICES[name]
    assert service.get("restart") == "no" or "healthcheck" in service
    for other, how in service.get("depends_on", {}).items():
        finishes = SERVICES[other].get("restart") == "no"
        assert how["condition"] == ("service_completed_successfully" if finishes else "service_healthy")


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_volumes_are_declared(name):
    for volume in SERVICES[name].get("volumes", []):
        if volume.startswith("./"):
            assert (ROOT / volume.split(":")[0]).exists()
            continue
        assert volume.split(":")[0] in COMPOSE["volumes"]


@pytest.mark.parametrize("name", sorted(OURS))
def test_our_containers_have_no_privileges(name):
    service = OURS[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "privileged" not in service


def test_no_secret_stands_in_the_file():
    for line in TEXT.splitlines():
        key, _, value = line.strip().partition(": ")
        if re.search(r"PASSWORD|SECRET|ACCESS_KEY", key):
            assert value.startswith("${") or value == '""', line


def dockerfile() -> list[str]:
    return Path(ROOT / "Dockerfile").read_text().splitlines()


def test_the_image_does_not_run_as_root():
    users = [line.split()[1] for line in dockerfile() if line.startswith("USER ")]
    assert users
    assert users[-1] not in {"root", "0"}


def test_the_image_takes_what_it_copies_from_the_repository():
    copied = [line.split()[1:-1] for line in dockerfile() if line.startswith("COPY ")]
    assert all((ROOT / path).exists() for paths in copied for path in paths)


def test_the_image_and_compose_start_the_web_process_the_same_way():
    command = next(line for line in dockerfile() if line.startswith("CMD "))
    assert yaml.safe_load(command.removeprefix("CMD ")) == words(SERVICES["web"])


def test_the_proxy_in_which_tls_ends_is_counted_and_confinement_is_demanded():
    environment = SERVICES["web"]["environment"]
    assert environment["PODIUM_TRUSTED_PROXIES"] == "${PODIUM_TRUSTED_PROXIES:-1}"
    assert environment["PODIUM_CONFINEMENT"] == "${PODIUM_CONFINEMENT:-require}"


def test_the_proxy_passes_the_largest_piece_of_an_upload():
    most = int(re.search(r"BODY_MAX:-(\d+)MB", TEXT)[1]) * 10**6
    assert most >= settings.PODIUM_UPLOAD_CHUNK_BYTES + 1024**2


def test_the_image_has_the_version_of_this_release():
    assert SERVICES["web"]["image"].endswith(f":-{settings.VERSION}}}")
    assert f"podium:{settings.VERSION}" in (ROOT / "docs" / "operators" / "deployment.md").read_text()
