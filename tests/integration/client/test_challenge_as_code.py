"""A challenge as code: from an empty installation to a running challenge by `podium challenge apply` alone."""

import json
import zipfile
from pathlib import Path

import pytest
import yaml
from podium_client.cli import main
from podium_client.coded import folder as folders
from podium_client.coded.folder import digest_of
from podium_client.errors import ClientError

from accounts.models import User
from accounts.services import issue_token
from challenges.models import Challenge, Phase
from datastore.test_sets.models import TestSet
from tests.integration.challenges import world as challenges
from tests.integration.submissions.conftest import broker_of_its_own, nobody_listens, private_files, workers

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("The client sends requests; the operations are tested on both databases."),
    pytest.mark.timeout(300),
]
ROOT = Path(__file__).resolve().parents[3]
REFERENCES = ROOT / "examples" / "hippocampus" / "references"
SLUG = "hippo-as-code"


def written(folder, **changed):
    """Write the folder of the hippocampus challenge."""
    (folder / "texts").mkdir(parents=True, exist_ok=True)
    (folder / "texts" / "welcome.md").write_text("The **data** are released.\n")
    (folder / "design.json").write_text(json.dumps(challenges.document()))
    cases = sorted(REFERENCES.glob("*.nii.gz"))[:4]
    with zipfile.ZipFile(folder / "final.zip", "w") as archive:
        for path in cases:
            archive.write(path, f"references/{path.name}")
    content = {
        "slug": SLUG,
        "title": "Hippocampus as code",
        "design": "design.json",
        "collaborators": {"co.author@example.org": "editor"},
        "register": True,
        "launch": True,
        "open": True,
        "organizers": {"maria": "manager"},
        "terms": {"requires_approval": True, "team_size": 4},
        "announcements": [{"title": "Data released", "text": "texts/welcome.md"}],
        "test_sets": [{"phase": "final", "archive": "final.zip", "sha256": digest_of(folder / "final.zip")}],
        **changed,
    }
    (folder / "challenge.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return folder


@pytest.fixture
def podium(live_server, workers, private_files, tmp_path, monkeypatch, capsys):
    """Run the command as an administrator of an empty installation."""
    person = User.objects.create_superuser("root", "root@example.org", "a-long-password")
    User.objects.create_user("maria", "maria@example.org", "a-long-password")
    _, secret = issue_token(user=person, name="ci", scopes=["read", "design", "organize"], days=1)
    monkeypatch.setenv("PODIUM_CONFIG", str(tmp_path / "config" / "client.json"))
    monkeypatch.setenv("PODIUM_URL", live_server.url)
    monkeypatch.setenv("PODIUM_TOKEN", secret)

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_apply_alone_makes_a_running_challenge_and_changes_nothing_the_second_time(podium, tmp_path):
    folder = written(tmp_path / "challenge")
    assert podium("challenge", "validate", folder)[0] == 0
    code, out, _ = podium("challenge", "diff", folder, "--json")
    plan = json.loads(out)
    assert code == 0
    assert next(entry["text"] for entry in plan["operations"] if not entry["needs_yes"]) == f"Create design {SLUG}"
    assert not Challenge.objects.exists()

    code, out, _ = podium("challenge", "apply", folder)
    assert code == 1
    assert "“Register the design” needs --yes" in out
    assert not Challenge.objects.exists()

    code, out, err = podium("challenge", "apply", folder, "--yes")
    assert code == 0, out + err
    challenge = Challenge.objects.get(slug=SLUG)
    assert challenge.is_public
    assert challenge.announcements.get().title == "Data released"
    assert challenge.organizers.filter(username="maria").exists()
    phase = Phase.objects.get(task__challenge=challenge, slug__startswith="final")
    assert phase.is_open
    assert TestSet.objects.get(phase=phase, is_active=True).cases.count() == 4

    for arguments in (["--yes"], []):
        code, out, _ = podium("challenge", "apply", folder, *arguments)
        assert (code, out) == (0, "Plan: 0 operations.\n0 operations applied.\n")
    code, out, _ = podium("challenge", "status", folder)
    assert code == 0
    assert f"Challenge {SLUG}: open." in out


def test_a_changed_folder_is_changed_on_the_installation_and_nothing_else(podium, tmp_path):
    folder = written(tmp_path / "challenge", register=False, launch=False, open=False, test_sets=[])
    code, out, err = podium("challenge", "apply", folder)
    assert code == 0, out + err
    document = json.loads((folder / "design.json").read_text())
    document["challenge"]["challenge_acronym"] = "CODE"
    (folder / "design.json").write_text(json.dumps(document))
    code, out, _ = podium("challenge", "apply", folder)
    assert (code, out.splitlines()[0]) == (0, "~ Change challenge_acronym in the design")
    assert podium("challenge", "apply", folder)[1] == "Plan: 0 operations.\n0 operations applied.\n"


def test_a_new_folder_is_valid_after_init(podium, tmp_path):
    assert podium("challenge", "init", tmp_path / "new")[0] == 0
    assert podium("challenge", "validate", tmp_path / "new")[0] == 0
    assert podium("challenge", "init", tmp_path / "new")[0] == 2


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"slug": "Not A Slug"}, "slug must have"),
        ({"colour": "red"}, "unknown key colour"),
        ({"launch": True, "register": False}, "launch needs register"),
        ({"organizers": {"maria": "king"}}, "the role must be one of"),
        ({"design": "absent.json"}, "which is not a file"),
        (
            {"test_sets": [{"phase": "final", "archive": "final.zip", "sha256": "0" * 64}]},
            "the SHA-256 of final.zip is",
        ),
    ],
)
def test_a_wrong_folder_is_refused_with_key_and_remedy(tmp_path, changed, words):
    with pytest.raises(ClientError, match=words):
        folders.read(written(tmp_path, **changed))


def test_the_action_for_github_uses_commands_and_addresses_that_exist(client):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = [step.get("run", "") for step in action["runs"]["steps"]]
    assert client.get("/client/version.json").json()["url"].endswith(".whl")
    for command in ("validate", "apply"):
        assert f"podium challenge {command}" in steps[-1]
    # What a visitor of the repository writes never becomes part of the script.
    assert not any("${{" in step for step in steps)
