"""`podium analyse`: a table of a finished challenge over real HTTP, from the upload to the verdict and the files."""

import json
from html import unescape
from pathlib import Path

import pytest
import requests

from accounts.services import issue_token
from datastore.uploads.models import FormFile
from evaluation import verify
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.services import analysing
from tests.integration.workbench.test_brought_tables import LINES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "The workbench is asked by the client. `workbench/test_brought_tables.py` runs on both databases."
    ),
]


REPORTS = Path(__file__).parents[2] / "data" / "reports"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text("\n".join(LINES))
    return path


@pytest.fixture
def analysing_podium(podium, world, monkeypatch):
    """The command with a token that may bring tables; whenever it waits, a worker takes the next step."""
    _, secret = issue_token(user=world.ada, name="analyse", scopes=["read", "analyse"], days=1)
    monkeypatch.setenv("PODIUM_TOKEN", secret)
    monkeypatch.setattr("podium_client.waiting._SECONDS", 0)
    monkeypatch.setattr("core.work.services.enqueue", lambda *_arguments, **_options: None)
    real = requests.Session.request

    def request(self, method, url, **more):
        for row in BroughtTable.objects.all():
            analysing.analyse_table(table_id=row.pk)
        return real(self, method, url, **more)

    monkeypatch.setattr(requests.Session, "request", request)
    podium.secret = secret
    return podium


def test_from_a_file_to_the_verdict_and_a_bundle_that_is_verified(analysing_podium, table, tmp_path):
    code, out, err = analysing_podium("analyse", table, "--title", "Trees", "--missing", "Dice=0.5", "--share")
    assert code == 0, (out, err)
    verdict, outside, page, *files, digest = out.splitlines()
    row = BroughtTable.objects.get()
    assert verdict == row.outcome["sentences"][row.outcome["table"]["orders"][0]["key"]][0]
    assert outside == "(values measured outside Podium)"
    assert page.startswith("Page: http")
    assert page.endswith(f"{row.get_absolute_url()} (read by anyone with the link)")
    assert (row.title, row.is_shared, row.is_kept, row.choices[0]["missing"]) == ("Trees", True, False, 0.5)
    assert "column 'alg': algorithm" in err
    assert "waiting for your answers" in err
    addresses = dict(line.split(": ", 1) for line in files)
    answer = requests.get(addresses["bundle.zip"], timeout=10)  # it is shared
    (tmp_path / "bundle.zip").write_bytes(answer.content)
    assert verify(tmp_path / "bundle.zip", digest=digest.removeprefix("Digest: ")).same


def test_a_row_of_means_of_a_report_is_no_case(analysing_podium):
    table = REPORTS / "table-mean-row" / "table.csv"
    code, out, err = analysing_podium("analyse", table, "--direction", "higher", "--share")
    assert code == 0, (out, err)
    outcome = BroughtTable.objects.get().outcome
    note = "Not used as cases: the last rows, which summarize the others (mean)."
    assert note in outcome["notes"]
    address = out.split("Page: ")[1].split(" ")[0]
    assert note in requests.get(address, timeout=10).text


def test_the_means_of_nnunet_are_named(analysing_podium, client, world):
    code, out, _ = analysing_podium("analyse", REPORTS / "table-nnunet-summary" / "summary.json")
    assert code == 1
    sentence = "this is nnU-Net's summary.json, and it holds means without values of single cases"
    assert sentence in out
    client.force_login(world.ada)
    page = client.get(BroughtTable.objects.get().get_absolute_url(), secure=True)
    assert sentence in unescape(page.content.decode())


def test_columns_and_directions_are_answered_by_options(analysing_podium, tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"a{i},c{j},{0.5 + i / 10 + j / 100},{i + j}" for i in range(3) for j in range(6)]
    path.write_text("\n".join(["who,what,alpha,beta", *rows]))
    roles = ["--role", "who=algorithm", "--role", "what=case", "--role", "alpha=value", "--role", "beta=ignore"]
    code, out, _ = analysing_podium("--json", "analyse", path, *roles, "--direction", "lower", "--missing", "exclude")
    assert (code, json.loads(out)["state"]) == (0, "done")
    [choice] = BroughtTable.objects.get().choices
    assert choice == {"name": "alpha", "direction": "lower", "missing": "exclude"}


def test_what_is_wrong_is_one_line(analysing_podium, table, tmp_path):
    code, out, err = analysing_podium("analyse", tmp_path / "nothing.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert analysing_podium("analyse", table, "--role", "alg")[0] == 2
    broken = tmp_path / "broken.csv"
    broken.write_text("algorithm,case,value\na,1,0.5\nb,1")
    code, out, _ = analysing_podium("analyse", broken)
    assert code == 1
    assert "row 3 has 2 cells" in out
    unknown = tmp_path / "unknown.csv"
    unknown.write_text("\n".join(LINES).replace("Dice", "alpha"))
    code, out, err = analysing_podium("analyse", unknown)
    assert (code, out) == (2, "")
    assert "Which values of 'alpha' are better? Give --direction 'alpha'=higher or =lower." in err
    waiting = BroughtTable.objects.get(state="asking")
    assert waiting.get_absolute_url() in err
    code, _, err = analysing_podium("analyse", table, "--direction", "Dica=higher")
    assert code == 2
    assert "the table has no metric 'Dica'; it has Dice" in err
    code, _, err = analysing_podium("analyse", table, "--role", "Dica=value")
    assert code == 2
    assert "No column 'Dica' is asked for" in err
    assert analysing_podium("analyse", table, "--direction", "up")[0] == 2


def test_a_token_without_the_scope_brings_nothing(analysing_podium, world, table, monkeypatch):
    _, secret = issue_token(user=world.ada, name="other", scopes=["read", "submit"], days=1)
    monkeypatch.setenv("PODIUM_TOKEN", secret)
    code, _, err = analysing_podium("analyse", table)
    assert code == 2
    assert "This token lacks the required scope." in err
    assert not BroughtTable.objects.exists()


def test_a_broken_line_costs_no_byte_that_has_arrived_and_the_same_command_goes_on(
    analysing_podium, table, monkeypatch
):
    monkeypatch.setattr("podium_client.uploading.PIECE", 100)
    monkeypatch.setattr("podium_client.uploading.PAUSES", ())
    asked, whole = requests.Session.request, table.stat().st_size
    sent = []

    def breaking(self, method, url, **more):
        if method == "PATCH":
            if len(sent) == 3:
                sent.append(0)
                raise requests.ConnectionError("gone")
            sent.append(len(more["data"]))
        return asked(self, method, url, **more)

    monkeypatch.setattr(requests.Session, "request", breaking)
    options = ("--direction", "higher", "--missing", "0")
    code, _, err = analysing_podium("analyse", table, *options)
    assert (code, "start the same command again later" in err) == (2, True)
    assert not BroughtTable.objects.exists()
    code, out, err = analysing_podium("analyse", table, *options)
    assert code == 0, (out, err)
    assert sum(sent) == whole, "no piece was sent a second time"
    assert BroughtTable.objects.get().state == BroughtTable.State.DONE
    assert not FormFile.objects.exists()
