"""The small distribution of the client: installed by pip in an empty environment, without the scientific stack."""

import hashlib
import json
import os
import shutil
import subprocess
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from packaging.requirements import Requirement
from podium_client import cli, doctor
from podium_client.completion import SHELLS, script, words_of

from web.client_wheel import REQUIRES, client_wheel

ROOT = Path(settings.ROOT)


def linked(names, packages):
    """Link distributions that are installed here, with all that they require, into another environment."""
    waiting, visited = list(names), set()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name in visited or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        visited.add(requirement.name)
        one = distribution(requirement.name)
        waiting += one.requires or []
        for top in {Path(file).parts[0] for file in one.files if Path(file).parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(one.locate_file(top))


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "env", with_pip=True)
    wheel = client_wheel(ROOT)
    path = folder / wheel.name
    path.write_bytes(wheel.content)
    python = folder / "env" / "bin" / "python"
    [packages] = (folder / "env" / "lib").glob("python*/site-packages")
    linked(REQUIRES, packages)
    command = [python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", path]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return folder / "env" / "bin"


def run(environment, *arguments, home, **variables):
    return subprocess.run(
        [environment / "podium", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home)} | variables,
    )


@pytest.mark.slow
def test_pip_installs_the_wheel_and_the_command_runs_without_the_scientific_stack(environment, tmp_path):
    listed = subprocess.run(
        [
            environment / "python",
            "-c",
            "import podium_client.cli, sys; print(*sorted(m.partition('.')[0] for m in sys.modules))",
        ],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        timeout=60,
    ).stdout.split()
    assert not {"numpy", "pandas", "scipy", "evaluation", "confinement", "django"} & set(listed)
    version = run(environment, "--version", home=tmp_path)
    assert version.stdout.strip() == f"podium-client {client_wheel(ROOT).version}"
    health = run(environment, "doctor", "--json", home=tmp_path)
    states = {entry["name"]: entry["state"] for entry in json.loads(health.stdout)}
    assert states["python"] == "ok"
    assert states["evaluation"] == "note"
    assert health.returncode == 0, health.stdout


@pytest.mark.slow
def test_a_command_of_the_science_side_names_the_package_that_it_needs(environment, tmp_path):
    (tmp_path / "bundle.zip").write_bytes(b"PK")
    refused = run(environment, "verify", "bundle.zip", "--digest", "0" * 64, "--json", home=tmp_path)
    assert refused.returncode == 2
    assert "needs podium-evaluation" in json.loads(refused.stdout)["error"]
    assert "Traceback" not in refused.stderr


def test_the_wheel_is_the_same_for_the_same_sources_and_its_record_is_right():
    wheel = client_wheel(ROOT)
    client_wheel.cache_clear()
    assert client_wheel(ROOT).content == wheel.content
    assert len(wheel.content) < 200_000
    import base64
    import io

    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        record = archive.read(f"podium_client-{wheel.version}.dist-info/RECORD").decode().splitlines()
        for line in record[:-1]:
            name, digest, size = line.rsplit(",", 2)
            content = archive.read(name)
            stated = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={stated}", str(len(content)))
        for name in ("durable.py", "environment.py"):
            assert archive.read(f"podium_client/_bundled/{name}") == (ROOT / "evaluation" / name).read_bytes()


def test_json_is_accepted_behind_the_command_and_errors_are_json(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PODIUM_CONFIG", str(tmp_path / "client.json"))
    monkeypatch.delenv("PODIUM_URL", raising=False)
    monkeypatch.delenv("PODIUM_TOKEN", raising=False)
    assert cli.main(["whoami", "--json"]) == 2
    output = capsys.readouterr()
    assert "Sign in first" in json.loads(output.out)["error"]
    assert output.err.startswith("podium: Sign in first")


def test_doctor_reports_settings_that_others_can_read(tmp_path, monkeypatch):
    path = tmp_path / "client.json"
    path.write_text("{}")
    path.chmod(0o644)
    monkeypatch.setenv("PODIUM_CONFIG", str(path))
    by_name = {check.name: check for check in doctor.checks()}
    assert by_name["settings"].state == "problem"
    assert "chmod 600" in by_name["settings"].remedy


def test_words_for_completion_are_commands_and_options():
    words = words_of(cli._parser())
    assert {"submit", "data", "doctor", "site", "--json"} <= set(words[""])
    assert words["data"] == ["--help", "get", "list"]
    assert "--watch" in words["submit"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands():
    text = script("bash", words_of(cli._parser()))
    program = f'{text}\nCOMP_WORDS=(podium data g); COMP_CWORD=2; _podium; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program], check=True, capture_output=True, text=True, timeout=20)
    assert done.stdout.split() == ["get"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    assert "podium" in capsys.readouterr().out


def test_the_site_serves_the_wheel_and_its_version(client):
    version = client.get("/client/version.json").json()
    assert version["version"] == client_wheel(ROOT).version
    served = client.get(urlsplit(version["url"]).path)
    assert hashlib.sha256(served.content).hexdigest() == version["sha256"]
    # What a request calls the host leads nobody to another one.
    assert "evil.example" not in client.get("/client/", headers={"Host": "evil.example"}).content.decode()
    assert urlsplit(version["url"]).netloc == urlsplit(settings.PODIUM_ADDRESS).netloc
    page = client.get("/client/")
    assert version["url"] in page.content.decode()
    assert client.get("/client/podium_client-0.0.0-py3-none-any.whl").status_code == 404
