"""From a stranger's table to a board, a report and a bundle; and who reads what of it."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from core.audit.models import Entry
from core.work.services import claim
from evaluation import verify
from leaderboards.workbench import contributions
from leaderboards.workbench.domain import child
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.queries import BROUGHT_TABLES
from leaderboards.workbench.services import analysing
from leaderboards.workbench.services import tables as services
from leaderboards.workbench.urls import urlpatterns
from tests.integration.leaderboards.conftest import storage_folder, surroundings  # noqa: F401 (fixtures)

pytestmark = pytest.mark.django_db
State = BroughtTable.State
LINES = [
    "alg,case,Dice",
    *(
        f"{a},{c},{0.6 + 0.05 * i + 0.01 * (c * 7 % 10)}"
        for i, a in enumerate(("fir", "oak", "yew"))
        for c in range(12)
    ),
]
ADDRESSES = ("table", "answer", "sharing", "keeping", "delete", "board_csv", "figure", "file")
READING = {"table", "board_csv", "figure", "file"}


@pytest.fixture(autouse=True)
def no_messages(monkeypatch):
    """Send no messages, because the tests act as the worker."""
    monkeypatch.setattr("core.work.services.enqueue", lambda *_arguments, **_options: None)
    # On a slow machine a lease would be renewed in between, from a thread that waits for this transaction.
    monkeypatch.setattr("leaderboards.workbench.queries.BROUGHT_TABLES.lease", timedelta(hours=1))


@pytest.fixture
def ada():
    return User.objects.create_user(username="ada", email="ada@example.org", password="a long pass phrase")


@pytest.fixture
def bo():
    return User.objects.create_user(username="bo", email="bo@example.org", password="a long pass phrase")


def client_of(person) -> Client:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def brought(person, text, name="results.csv"):
    response = client_of(person).post(reverse("workbench:list"), {"file": SimpleUploadedFile(name, text.encode())})
    assert response.status_code == 302, response.content.decode()
    table = BroughtTable.objects.get()
    analysing.analyse_table(table_id=table.pk)
    table.refresh_from_db()
    return table


def analysed(person):
    table = brought(person, "\n".join(LINES))
    answers = {"role_0": "algorithm", "role_1": "case", "role_2": "value", "direction_0": "higher", "missing_0": "0"}
    client_of(person).post(reverse("workbench:answer", args=[table.key]), answers)
    analysing.analyse_table(table_id=table.pk)
    table.refresh_from_db()
    return table


def address(name, table):
    arguments = {"figure": [table.key, "blob"], "file": [table.key, child.REPORT]}.get(name, [table.key])
    found = reverse(f"workbench:{name}", args=arguments)
    return f"{found}?by={next(iter(table.figures['blob']))}" if name == "figure" else found


def asked(person, name, table):
    client = client_of(person)
    return (client.get if name in READING else client.post)(address(name, table)).status_code


def test_the_page_that_waits_becomes_the_board_by_itself(ada):
    """Its part asks for itself; a board has no such part, so that the whole page is loaded when it is there."""
    table = brought(ada, "\n".join(LINES))
    waiting = client_of(ada).get(table.get_absolute_url(), headers={"HX-Request": "true", "HX-Target": "state"})
    assert 'id="state"' in waiting.content.decode()
    table.delete()
    done = client_of(ada).get(analysed(ada).get_absolute_url(), headers={"HX-Request": "true", "HX-Target": "state"})
    assert (done["HX-Refresh"], done.content) == ("true", b"")


def test_a_table_becomes_a_board_a_report_and_a_bundle_that_is_verified(ada, tmp_path):
    table = brought(ada, "\n".join(LINES))
    assert table.state == State.ASKING
    page = client_of(ada).get(table.get_absolute_url()).content.decode()
    assert "<dt>Algorithms</dt><dd>3</dd><dt>Cases</dt><dd>12</dd>" in page
    table.delete()

    table = analysed(ada)
    assert (table.state, table.refusal) == (State.DONE, "")
    page = client_of(ada).get(table.get_absolute_url()).content.decode()
    assert "Values measured outside Podium" in page
    assert table.outcome["digest"] in page
    assert [name for name in ("fir", "oak", "yew") if name not in page] == []
    taken = {name: client_of(ada).get(reverse("workbench:file", args=[table.key, name])) for name in child.FILES}
    assert {name: response.status_code for name, response in taken.items()} == dict.fromkeys(child.FILES, 200)
    assert all(response["Content-Disposition"].startswith("attachment") for response in taken.values())
    (tmp_path / "bundle.zip").write_bytes(taken[child.BUNDLE].content)
    assert verify(tmp_path / "bundle.zip", digest=table.outcome["digest"]).same
    assert b"measured outside Podium" in taken[child.REPORT].content
    assert client_of(ada).get(reverse("workbench:board_csv", args=[table.key])).content.startswith(b"team,")


def test_the_matrix_covers_every_address():
    assert {pattern.name for pattern in urlpatterns} == {"list", *ADDRESSES}


def test_only_its_owner_reads_a_table_until_it_is_shared_and_nobody_else_ever_changes_it(ada, bo):
    table = analysed(ada)
    staff = User.objects.create_superuser(username="root", email="root@example.org", password="a long pass phrase")
    for person in (None, bo, staff):
        for name in ADDRESSES:
            expected = 302 if person is None and name not in READING else 404
            assert asked(person, name, table) in (expected, 302 if person is staff else expected), (person, name)
    invented = reverse("workbench:table", args=["x" * 32])
    assert client_of(bo).get(invented).status_code == 404
    client_of(ada).post(reverse("workbench:sharing", args=[table.key]), {"on": "1"})
    for person in (None, bo):
        assert {name: asked(person, name, table) for name in sorted(READING)} == dict.fromkeys(sorted(READING), 200)
        for name in set(ADDRESSES) - READING:
            assert asked(person, name, table) == (302 if person is None else 404)
    assert "Delete permanently" not in client_of(bo).get(table.get_absolute_url()).content.decode()
    client_of(ada).post(reverse("workbench:sharing", args=[table.key]), {"on": "0"})
    assert asked(bo, "table", table) == 404
    assert client_of(None).get(reverse("workbench:list")).status_code == 302


def test_a_malformed_table_is_refused_with_its_row_and_can_be_corrected_where_a_column_is_wrong(ada):
    table = brought(ada, "algorithm,case,value\na,1,0.5\nb,1")
    assert table.state == State.REFUSED
    assert "row 3 has 2 cells" in client_of(ada).get(table.get_absolute_url()).content.decode()
    table.delete()
    table = brought(ada, "algorithm,case,value\na,1,0.5\na,2,good\nb,1,0.4")
    assert table.state == State.ASKING
    page = client_of(ada).get(table.get_absolute_url()).content.decode()
    assert "row 3 has &#x27;good&#x27;" in page
    assert "<summary>Columns</summary>" in page


def test_a_direction_that_no_name_tells_has_to_be_said(ada):
    table = brought(ada, "\n".join(LINES).replace("Dice", "alpha"))
    answers = {"role_0": "algorithm", "role_1": "case", "role_2": "value", "direction_0": "", "missing_0": "x"}
    page = client_of(ada).post(reverse("workbench:answer", args=[table.key]), answers).content.decode()
    assert "Say which values of alpha are better." in page
    assert "Write a number such as 0" in page
    table.refresh_from_db()
    assert table.state == State.ASKING


def test_columns_that_are_something_else_are_read_again(ada):
    table = brought(
        ada, "who,what,alpha,beta\n" + "\n".join(f"a{i},c{j},{i}.{j},{j}" for i in range(3) for j in range(4))
    )
    answers = {"role_0": "algorithm", "role_1": "case", "role_2": "value", "role_3": "ignore"}
    client_of(ada).post(reverse("workbench:answer", args=[table.key]), answers)
    analysing.analyse_table(table_id=table.pk)
    table.refresh_from_db()
    assert [metric["name"] for metric in table.reading["metrics"]] == ["alpha"]


def test_nobody_has_more_than_their_share(ada, settings):
    settings.PODIUM_ANALYSES_MOST = 1
    brought(ada, "\n".join(LINES))
    response = client_of(ada).post(reverse("workbench:list"), {"file": SimpleUploadedFile("b.csv", b"a,b\n1,2\n")})
    assert "as many as are kept for one person" in response.content.decode()
    assert BroughtTable.objects.count() == 1


def test_what_is_not_kept_goes_with_its_files_and_so_does_what_its_owner_leaves(
    ada,
    storage_folder,  # noqa: F811 (a fixture)
    django_capture_on_commit_callbacks,
):
    table = analysed(ada)
    folder = storage_folder / services.folder_of(table)
    assert any(folder.rglob("*"))
    services.keep(actor=ada, table=table, is_kept=True)
    BroughtTable.objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert contributions.forget(timezone.now()) == 0
    BroughtTable.objects.update(is_kept=False)
    with django_capture_on_commit_callbacks(execute=True):
        assert contributions.forget(timezone.now()) == 1
    assert not [path for path in folder.rglob("*") if path.is_file()]
    analysed(ada)
    contributions.leave(ada)
    assert not BroughtTable.objects.exists()
    assert Entry.objects.filter(act="table_deleted").count() == 2


def test_a_worker_that_lost_the_table_stores_nothing(ada, monkeypatch):
    client_of(ada).post(reverse("workbench:list"), {"file": SimpleUploadedFile("a.csv", "\n".join(LINES).encode())})
    table = BroughtTable.objects.get()
    real = analysing._in_child

    def slow(*arguments, **options):
        BroughtTable.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert claim(BROUGHT_TABLES, table.pk, give_up=lambda _lease: None) is not None
        return real(*arguments, **options)

    monkeypatch.setattr(analysing, "_in_child", slow)
    analysing.analyse_table(table_id=table.pk)
    table.refresh_from_db()
    assert (table.state, table.reading) == (State.READING, {})
