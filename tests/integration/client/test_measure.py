"""`podium measure`: values measured outside over real HTTP, from the list of cases to a sealed version."""

import json

import pytest
import requests

from accounts.services import issue_token
from datastore.uploads.models import FormFile
from submissions.measurements.models import Measurement
from submissions.measurements.services import working
from submissions.models import Run
from tests.integration.measurements import outside
from tests.integration.measurements import test_values_of_the_data_set as of_the_data_set

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("The client measures without a database."),
]
ORIGIN = ["--by", outside.ORIGIN["by"], "--with", outside.ORIGIN["with"], "--when", outside.ORIGIN["when"]]


@pytest.fixture
def measuring_podium(podium, monkeypatch):
    """The command with the owner's token; whenever it waits, a worker takes the next step."""
    monkeypatch.setattr("core.work.services.enqueue", lambda *_arguments, **_options: None)
    _, phase, registered = outside.launched()
    _, secret = issue_token(user=registered.owner, name="measure", scopes=["read", "measure"], days=1)
    monkeypatch.setenv("PODIUM_TOKEN", secret)
    monkeypatch.setattr("podium_client.waiting._SECONDS", 0)
    real = requests.Session.request

    def request(self, method, url, **more):
        for row in Measurement.objects.all():
            working.work_on(measurement_id=row.pk)
        return real(self, method, url, **more)

    monkeypatch.setattr(requests.Session, "request", request)
    podium.phase, podium.owner = phase, registered.owner
    return podium


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_cases_then_values_are_sealed_and_ranked_from_the_command_line(measuring_podium, tmp_path):
    cases = write(tmp_path, "cases.csv", outside.CASES)
    values = write(tmp_path, "values.csv", outside.values())
    code, out, err = measuring_podium("measure", "seams", "final", cases, "--cases", "--seal")
    assert (code, "Sealed: digest" in out) == (0, True), err
    code, out, err = measuring_podium("measure", "seams", "final", values, *ORIGIN, "--make-teams")
    assert code == 0, err
    assert "elm: 22 values, 2 missing, new team" in out
    assert "Nothing counts yet" in out
    assert not Run.objects.exists()
    code, out, err = measuring_podium("measure", "seams", "final", values, *ORIGIN, "--make-teams", "--seal")
    assert code == 0, err
    table = Measurement.objects.get(version=1)
    assert f"Sealed: version 1, digest {table.digest}" in out
    assert Run.objects.filter(counts=True).count() == 3


def test_problems_are_told_line_by_line_and_the_command_says_that_nothing_was_taken(measuring_podium, tmp_path):
    outside.with_cases(measuring_podium.phase)
    values = write(tmp_path, "values.csv", "algorithm,case,metric,value\nfir,s01,SV,300\nyew,s01,dsc,1\n")
    code, out, _ = measuring_podium("--json", "measure", "seams", "final", values, *ORIGIN, "--seal")
    said = json.loads(out)
    assert (code, len(said["problems"]), said["may_be_sealed"]) == (1, 3, False)
    code, _, err = measuring_podium("measure", "seams", "final", values)
    assert code == 2
    assert err.count("\n") == 1


def test_a_token_without_the_scope_and_a_person_without_the_right_bring_nothing(
    measuring_podium, monkeypatch, tmp_path
):
    outside.with_cases(measuring_podium.phase)
    values = write(tmp_path, "values.csv", outside.values())
    for user, scopes in (
        (measuring_podium.owner, ["read", "submit"]),
        (outside.world.person("zoe"), ["read", "measure"]),
    ):
        _, secret = issue_token(user=user, name="other", scopes=scopes, days=1)
        monkeypatch.setenv("PODIUM_TOKEN", secret)
        code, _, _ = measuring_podium("measure", "seams", "final", values, *ORIGIN, "--make-teams", "--seal")
        assert code == 2
    assert Measurement.objects.count() == 1


def test_replicates_come_beside_the_values_and_a_refused_form_keeps_no_file(measuring_podium, tmp_path, monkeypatch):
    _, phase, registered = of_the_data_set.launched()
    _, secret = issue_token(user=registered.owner, name="m", scopes=["read", "measure"], days=1)
    monkeypatch.setenv("PODIUM_TOKEN", secret)
    values = write(tmp_path, "values.csv", of_the_data_set.values())
    replicates = write(tmp_path, "replicates.csv", of_the_data_set.replicates().content.decode())
    command = ("measure", "retrieval", "final", values, "--replicates", replicates, "--make-teams", "--seal")
    code, _, err = measuring_podium(*command)
    assert (code, "measured_by" in err) == (2, True), "nobody said who measured"
    assert not FormFile.objects.exists()
    code, out, err = measuring_podium(*command, *ORIGIN)
    assert code == 0, err
    assert "RAP 0.8, 200 replicates" in out
    assert "Sealed: version 1" in out
    assert Run.objects.filter(submission__phase=phase, counts=True).exclude(evidence_file="").count() == 3
    assert not FormFile.objects.exists()
