"""Bringing a finished challenge over HTTP: by the rules of the pages, for people and for tokens with the scope."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.services import issue_token
from evaluation import verify
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.services import analysing
from tests.integration.leaderboards.conftest import storage_folder, surroundings  # noqa: F401 (fixtures)
from tests.integration.workbench.test_brought_tables import LINES, ada, bo, no_messages  # noqa: F401 (fixtures)

pytestmark = pytest.mark.django_db
State = BroughtTable.State
LIST = "/api/v1/analyses/"


class Program:
    """Requests with a token of a person; without any where there is no person."""

    def __init__(self, person, *scopes):
        self.headers = {}
        if person is not None:
            _, secret = issue_token(user=person, name="test", scopes=scopes or ("read", "analyse"), days=1)
            self.headers = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
        self.client = Client()

    def ask(self, method, address, content=None):
        more = {} if content is None else {"data": content, "content_type": "application/json"}
        return getattr(self.client, method)(address, **more, **self.headers)

    def bring(self, text, name="results.csv", **more):
        file = SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())
        return self.client.post(LIST, {"file": file, **more}, **self.headers)


def read(answer):
    """Process an uploaded or answered table as a worker does and return its API address."""
    assert answer.status_code in (200, 201), answer.content
    analysing.analyse_table(table_id=BroughtTable.objects.get(key=answer.json()["key"]).pk)
    return answer.json()["url"]


def test_a_program_brings_a_table_answers_and_takes_the_files(ada, tmp_path):  # noqa: F811 (a fixture)
    program = Program(ada)
    brought = program.bring("\n".join(LINES), title="Trees")
    assert (brought.status_code, brought.json()["state"]) == (201, "reading")
    url = read(brought)
    asked = program.ask("get", url).json()
    assert (asked["state"], asked["title"]) == ("asking", "Trees")
    assert {column["name"]: column["role"] for column in asked["columns"]} == {
        "alg": "algorithm",
        "case": "case",
        "Dice": "value",
    }
    assert asked["facts"]["algorithms"] == 3
    [metric] = asked["metrics"]
    assert (metric["name"], metric["direction"], metric["missing"]) == ("Dice", "higher", 0)
    read(program.ask("post", f"{url}answers/", {"metrics": {"Dice": {"missing": 0.25}}}))
    done = program.ask("get", url).json()
    assert (done["state"], done["columns"], done["metrics"]) == ("done", [], [])
    table = BroughtTable.objects.get()
    assert table.choices == [{"name": "Dice", "direction": "higher", "missing": 0.25}]
    assert done["says"][0].startswith("yew")
    page = Client()
    page.force_login(ada)
    assert done["says"][0] in page.get(done["page"]).content.decode()
    bundle = program.ask("get", done["files"]["bundle.zip"])
    (tmp_path / "bundle.zip").write_bytes(bundle.content)
    assert verify(tmp_path / "bundle.zip", digest=done["digest"]).same
    assert [row["key"] for row in program.ask("get", LIST).json()["results"]] == [table.key]
    assert program.ask("get", f"{url}files/table/").status_code == 404


def test_who_may_what(ada, bo):  # noqa: F811 (fixtures)
    owner = Program(ada)
    url = read(owner.bring("\n".join(LINES)))
    staff = User.objects.create_superuser(username="root", email="root@example.org", password="a long pass phrase")
    others = [Program(None), Program(bo), Program(staff)]

    def statuses(program):
        return [
            program.ask("get", url).status_code,
            program.ask("get", f"{url}files/report.html/").status_code,
            program.ask("post", f"{url}answers/", {}).status_code,
            program.ask("patch", url, {"is_shared": True}).status_code,
            program.ask("delete", url).status_code,
        ]

    assert [statuses(program) for program in others] == [[404, 404, 401, 401, 401], [404] * 5, [404] * 5]
    assert Program(None).ask("get", LIST).status_code == 401
    assert Program(None).bring("a").status_code == 401
    assert Program(bo).ask("get", LIST).json()["results"] == []
    # A token does what it was made for.
    reader = Program(ada, "read", "submit")
    assert statuses(reader) == [200, 404, 403, 403, 403]
    assert reader.bring("\n".join(LINES)).status_code == 403
    assert Program(ada, "analyse").ask("get", url).status_code == 403
    # A finished one that is shared is read by anyone with the link, without what its owner was asked.
    read(owner.ask("post", f"{url}answers/", {}))
    assert owner.ask("patch", url, {"is_shared": True, "is_kept": True}).json()["is_shared"] is True
    for program in others:
        assert statuses(program)[:2] == [200, 200]
        seen = program.ask("get", url).json()
        assert (seen["facts"], seen["refusal"], seen["columns"]) == ({}, "", [])
    assert owner.ask("delete", url).status_code == 204
    assert not BroughtTable.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "file"),
        ("algorithm,case,value\na,1,0.5\nb,1", "row 3 has 2 cells"),
        ("algorithm,case,value\n", "no row"),
        (b"algorithm,case,value\n\xff\xfe,1,2\n", "UTF-8"),
        ("algorithm,case,value\na,1,0.5\na,1,0.6\nb,1,0.4", "rows 2 and 3 both give"),
        ("algorithm,value\na,0.5\nb,0.6", "case"),
        ("algorithm,case,value\na,1,0.5\na,2,good\nb,1,0.4", "row 3 has 'good'"),
        ("algorithm,case,value\na,1,0.5\na,2,0.6", "algorithm"),
    ],
)
def test_malformed_tables_are_refused_with_one_line(ada, text, said):  # noqa: F811 (a fixture)
    program = Program(ada)
    brought = program.bring(text)
    if brought.status_code == 400:
        assert said in brought.json()["errors"]
        return
    shown = program.ask("get", read(brought)).json()
    assert shown["state"] in ("refused", "asking")
    assert said in shown["refusal"]
    assert "\n" not in shown["refusal"]


def test_answers_that_fit_nothing_are_refused_by_name(ada):  # noqa: F811 (a fixture)
    program = Program(ada)
    url = read(program.bring("\n".join(LINES).replace("Dice", "alpha")))
    answers = [
        ({}, {"alpha": ["Say which values of alpha are better."]}),
        ({"roles": {"beta": "value"}}, {"roles": ["No column 'beta' is asked for; there are alg, case, alpha."]}),
        ({"metrics": {"beta": {}}}, {"metrics": ["There is no metric 'beta'; there are alpha."]}),
    ]
    for content, errors in answers:
        answer = program.ask("post", f"{url}answers/", content)
        assert (answer.status_code, answer.json()["errors"]) == (400, errors)
    for content in (
        {"roles": {"alpha": "colour"}},
        {"metrics": {"alpha": {"direction": "up"}}},
        {"metrics": {"alpha": {"direction": "higher", "missing": "x"}}},
        {"metrics": {"alpha": {"direction": "higher", "missing": True}}},
        {"metrics": {"alpha": {"direction": "higher", "missing": [1]}}},
        {"metrics": 7},
        [],
    ):
        assert program.ask("post", f"{url}answers/", content).status_code == 400, content
    assert BroughtTable.objects.get().state == State.ASKING
    # Other columns are read again, whatever was said of metrics that are gone.
    again = program.ask("post", f"{url}answers/", {"roles": {"alpha": "ignore"}, "metrics": {"beta": {}}})
    assert again.json()["state"] == "reading"
    assert program.ask("post", f"{url}answers/", {}).status_code == 409


def test_nobody_brings_more_than_their_share_or_anything_else_than_a_file(ada, settings):  # noqa: F811 (a fixture)
    program = Program(ada)
    assert program.ask("post", LIST, {"file": "x"}).status_code == 415
    assert program.client.post(LIST, {"title": "x"}, **program.headers).status_code == 400
    settings.PODIUM_ANALYSES_MOST = 1
    assert program.bring("\n".join(LINES)).status_code == 201
    refused = program.bring("\n".join(LINES))
    assert refused.status_code == 400
    assert "as many as are kept for one person" in refused.json()["errors"]["file"][0]


def test_a_table_larger_than_a_form_may_be_is_taken_with_a_token_that_is_good(ada, settings):  # noqa: F811 (a fixture)
    text = "\n".join(LINES) + "\n" * settings.PODIUM_FORM_BODY_BYTES
    assert Program(ada).bring(text).status_code == 201
    assert Program(None).bring(text).status_code == 413
    wrong = Program(None)
    wrong.headers = {"HTTP_AUTHORIZATION": "Bearer podium_wrong"}
    assert wrong.bring(text).status_code == 401


def test_an_answer_that_comes_second_is_told_and_changes_nothing(ada, monkeypatch):  # noqa: F811 (a fixture)
    program = Program(ada)
    url = read(program.bring("\n".join(LINES)))
    table = BroughtTable.objects.get()
    shown = BroughtTable.objects.get()
    program.ask("post", f"{url}answers/", {})
    # Both were answered when they were looked at, in the page and by a program.
    monkeypatch.setattr("leaderboards.workbench.views.readable_or_404", lambda *_a, **_o: shown)
    monkeypatch.setattr("api.analyses.views.readable_or_404", lambda *_a, **_o: shown)
    page = Client()
    page.force_login(ada)
    fields = {"role_0": "algorithm", "role_1": "case", "role_2": "value", "direction_0": "lower", "missing_0": "1"}
    answer = page.post(reverse("workbench:answer", args=[table.key]), fields, follow=False)
    assert answer.status_code == 302
    second = program.ask("post", f"{url}answers/", {"metrics": {"Dice": {"direction": "lower"}}})
    assert second.status_code == 409
    assert "is being analysed" in second.json()["detail"]
    monkeypatch.undo()
    monkeypatch.setattr("core.work.services.enqueue", lambda *_arguments, **_options: None)
    table.refresh_from_db()
    assert (table.state, table.choices[0]["direction"]) == (State.COMPUTING, "higher")
    assert "This table is being analysed" in page.get(table.get_absolute_url()).content.decode()
