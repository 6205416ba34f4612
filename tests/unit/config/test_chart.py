"""The Helm chart renders, every object is accepted by the published schemas, and it agrees with docker-compose.yml."""

import re
from typing import Any

import helm_python
import pytest
import yaml
from django.conf import settings

from confinement.containers.kubernetes_objects import ClusterSettings, network_policy
from tests.unit.containers.cluster_stand_in import problems, unrestricted

CHART = settings.ROOT / "deploy" / "charts" / "podium"
DOCKERFILE = (settings.ROOT / "Dockerfile").read_text().replace("useradd --system --uid", "useradd --uid")
NEEDED: dict[str, Any] = {
    "host": "podium.example.org",
    "mailFrom": "podium@example.org",
    "image": {"repository": "registry.example.org/podium"},
    "storage": {"endpoint": "https://s3.example.org"},
}
EVERYTHING: dict[str, Any] = {
    **NEEDED,
    "image": {"repository": "registry.example.org/podium", "pullSecrets": [{"name": "registry"}]},
    "runs": {"enabled": True, "quota": {"requests.nvidia.com/gpu": "4", "limits.memory": "256Gi"}},
    "settings": {"PODIUM_CASE_MEMORY_BYTES": "4294967296", "SITE_NAME": 'A "quoted" name: 1'},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "podium", "operator": "Exists"}],
    "ingress": {"className": "nginx", "annotations": {"nginx.ingress.kubernetes.io/proxy-body-size": "16m"}},
}


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(values)
        texts = chart.render(values, name="podium", namespace="podium")
    return [value for text in texts.values() for value in yaml.safe_load_all(text) if value]


def pods(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Specification of each Pod, by the name of its Deployment or Job."""
    return {
        value["metadata"]["name"]: value["spec"]["template"]["spec"]
        for value in objects
        if value["kind"] in ("Deployment", "Job")
    }


@pytest.mark.parametrize("values", [NEEDED, EVERYTHING], ids=["needed", "everything"])
def test_every_object_is_accepted_by_the_published_schemas(values: dict[str, Any]) -> None:
    objects = rendered(values)

    assert [(value["kind"], value["metadata"]["name"], text) for value in objects for text in problems(value)] == []
    assert len({(value["kind"], value["metadata"]["name"]) for value in objects}) == len(objects)
    for name, pod in pods(objects).items():
        for container in pod["containers"]:
            assert unrestricted(pod) == [], name
            assert container["securityContext"]["readOnlyRootFilesystem"] is True, name
            assert container["resources"]["limits"]["memory"], name
        assert pod["automountServiceAccountToken"] is False, name
        assert f"--uid {pod['securityContext']['runAsUser']} " in DOCKERFILE, name


def test_selectors_select_the_pods_of_their_own() -> None:
    objects = rendered(NEEDED)
    deployments = [value for value in objects if value["kind"] == "Deployment"]
    selectors = [tuple(sorted(value["spec"]["selector"]["matchLabels"].items())) for value in deployments]

    assert len(set(selectors)) == len(deployments) > 6
    for value in deployments:
        labels = value["spec"]["template"]["metadata"]["labels"]
        assert value["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_only_those_who_open_references_have_their_key() -> None:
    with_key = {
        name.removeprefix("podium-")
        for name, pod in pods(rendered(NEEDED)).items()
        if {"secretRef": {"name": "podium-references"}} in pod["containers"][0]["envFrom"]
    }
    compose = yaml.safe_load((settings.ROOT / "docker-compose.yml").read_text())["services"]

    opens = {name for name, own in compose.items() if "references.env" in own.get("env_file", [])}
    assert with_key == {name for name in opens if "profiles" not in compose[name]}


def test_workers_serve_the_queues_of_the_composition() -> None:
    compose = yaml.safe_load((settings.ROOT / "docker-compose.yml").read_text())["services"]

    def queues(command: list[str]) -> set[str]:
        return set(command[command.index("--queues") + 1].split(","))

    chart = {
        name: queues(pod["containers"][0]["command"])
        for name, pod in pods(rendered(NEEDED)).items()
        if "worker-" in name
    }
    assert chart == {f"podium-{name}": queues(own["command"]) for name, own in compose.items() if "worker-" in name}


def test_settings_are_those_of_the_composition() -> None:
    config = next(value for value in rendered(EVERYTHING) if value["kind"] == "ConfigMap")["data"]
    compose = (settings.ROOT / "docker-compose.yml").read_text().partition("x-opener")[0]
    named = set(re.findall(r"^    ([A-Z0-9_]+): ", compose, re.MULTILINE))
    secret = {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "PODIUM_S3_ACCESS_KEY", "PODIUM_S3_SECRET_KEY"}

    assert named - secret == set(config) - {"PODIUM_CASE_MEMORY_BYTES", "SITE_NAME"}
    assert config["SITE_NAME"] == 'A "quoted" name: 1'
    assert config["PODIUM_CASE_MEMORY_BYTES"] == "4294967296"
    assert not [value for value in rendered(EVERYTHING) if value["kind"] == "Secret"]


def test_algorithms_have_a_namespace_that_denies_everything() -> None:
    objects = {(value["kind"], value["metadata"]["name"]): value for value in rendered(EVERYTHING)}
    policy = network_policy(ClusterSettings())

    assert objects["NetworkPolicy", policy["metadata"]["name"]]["spec"] == policy["spec"]
    labels = objects["Namespace", "podium-runs"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    allowed = {resource for rule in objects["Role", "podium-runner"]["rules"] for resource in rule["resources"]}
    assert allowed == {"jobs", "pods", "pods/log", "networkpolicies"}


@pytest.mark.parametrize(
    "change",
    [
        {"host": ""},
        {"host": "https://x"},
        {"storage": {"endpoint": "s3"}},
        {"image": {"repository": ""}},
        {"mailFrom": ""},
        {"settings": {"PODIUM_CASE_MEMORY_BYTES": 4294967296}},
    ],
)
def test_values_that_cannot_work_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(helm_python.HelmError):
        rendered({**NEEDED, **change})


def test_versions_are_those_of_the_project() -> None:
    import evaluation

    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    assert chart["appVersion"] == values["image"]["tag"] == evaluation.__version__
