"""docker-compose.yml is checked by reading it: there is no Docker engine in the tests."""

import re
from pathlib import Path

import pytest
import yaml
from django.conf import settings

ROOT = settings.ROOT
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("build")}
SETTINGS = (ROOT / "platform" / "config" / "settings.py").read_text()
READ_BY_SETTINGS = set(re.findall(r'env\.\w+\(\s*"([A-Z0-9_]+)"', SETTINGS))
# Read by the base image or the launcher, not by the settings.
OTHERS = {"PODIUM_DATA"}


def words(service: dict) -> list[str]:
    return service["command"]


def test_the_services_of_the_architecture_are_there():
    assert {"web", "beat", "postgres", "redis", "storage"} <= set(SERVICES)


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
    needed = {
        "SECRET_KEY",
        "DATABASE_URL",
        "REDIS_URL",
        "PODIUM_S3_BUCKET",
        "PODIUM_S3_ENDPOINT",
        "PODIUM_REFERENCE_KEY",
    }
    assert needed <= set(OURS[name]["environment"])


@pytest.mark.parametrize("name", sorted(OURS))
def test_addresses_name_services_of_this_file(name):
    environment = OURS[name]["environment"]
    for variable in ("DATABASE_URL", "REDIS_URL", "PODIUM_S3_ENDPOINT"):
        host = re.search(r"(?:@|//)([a-z-]+):\d+", environment[variable])[1]
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
        assert volume.split(":")[0] in COMPOSE["volumes"]


@pytest.mark.parametrize("name", sorted(OURS))
def test_our_containers_have_no_privileges(name):
    service = OURS[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "privileged" not in service


def test_no_secret_stands_in_the_file():
    for line in (ROOT / "docker-compose.yml").read_text().splitlines():
        key, _, value = line.strip().partition(": ")
        if re.search(r"PASSWORD|SECRET|ACCESS_KEY", key):
            assert value.startswith("${"), line


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


def test_the_proxy_in_which_tls_ends_is_counted_and_staff_need_a_second_factor():
    environment = SERVICES["web"]["environment"]
    assert environment["PODIUM_TRUSTED_PROXIES"] == "${TRUSTED_PROXIES:-1}"
    assert environment["PODIUM_STAFF_SECOND_FACTOR"] == "${STAFF_SECOND_FACTOR:-1}"
