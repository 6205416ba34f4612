"""A key of a site that is lost or replaced: a new invitation ends it, and what it signed stays."""

import io
import json
import zipfile

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from challenges.services import close_phase
from core.audit.models import Entry
from datastore.uploads.storage import load_json
from evaluation.federation import Refusal
from evaluation.federation.envelope import new_key
from federation.models import Enrolment, SignedMessage, Site
from federation.queries.standing import standings
from federation.services import sites
from leaderboards.models import RankingVersion
from leaderboards.services.pooled_bundles import bundle
from tests.integration.federation.sender import SEAL, Sender
from tests.integration.federation.test_rules import centre_with, places

pytestmark = pytest.mark.django_db(transaction=True)


def states(centre):
    return {row.site.name: row.state for row in standings(centre.federation)}


def replaced(centre, name, units=20):
    """The site is invited again, and registers another key; its messages begin at 1."""
    site = Site.objects.get(name=name)
    centre.codes[name] = sites.invite_again(actor=centre.organizer, site=site)
    sender = Sender(centre, name, units, pem=new_key()[0])
    sender.register()
    return sender


def test_what_the_former_key_signed_stays_and_nothing_new_is_taken_from_it(workers):
    centre = centre_with()
    north = Sender(centre, "north").sent()
    Sender(centre, "south", 20, 2).sent()
    fresh = replaced(centre, "north")
    assert states(centre) == {"north": "sent", "south": "sent"}
    with pytest.raises(Refusal, match="was revoked"):
        north.send("site-withdrawal", reason="", results="remove")
    with pytest.raises(Refusal, match="sent its result of this package before"):
        fresh.send("result", **fresh.result())
    close_phase(actor=centre.organizer, phase=centre.phase)
    version = RankingVersion.objects.get()
    assert places(load_json(version.document_name)) == {"north": "included", "south": "included"}
    with zipfile.ZipFile(io.BytesIO(bundle(version))) as archive:
        keys = json.loads(archive.read("keys.json"))
    assert keys["north"] == [north.public.hex(), fresh.public.hex()]


def test_the_new_key_goes_on_over_the_cases_that_were_sealed(workers):
    centre = centre_with()
    Sender(centre, "north").ready()
    fresh = replaced(centre, "north")
    assert states(centre)["north"] == "tested"
    fresh.send("result", **fresh.result())
    assert states(centre)["north"] == "sent"
    message = SignedMessage.objects.get(kind="result")
    assert (message.sequence, message.facts["manifest"]) == (2, SEAL)
    assert message.enrolment == Enrolment.objects.get(revoked_at=None, site__name="north")


def test_a_lost_folder_seals_anew_unless_a_result_was_sent(workers):
    centre = centre_with()
    Sender(centre, "north").ready()
    Sender(centre, "south").sent()
    grades = {"acceptable": 20, "borderline": 0, "insufficient": 0}
    seal = {"manifest": "b" * 64, "version": 1, "units": 20, "cases": 20, "grades": grades}
    replaced(centre, "north").send("manifest-seal", **seal)
    with pytest.raises(Refusal, match="would tell the difference apart"):
        replaced(centre, "south").send("manifest-seal", **seal)


def test_the_log_names_the_key_that_ended_and_the_one_that_came(workers):
    centre = centre_with()
    north = Sender(centre, "north").ready()
    fresh = replaced(centre, "north")
    facts = {entry.act: entry.facts for entry in Entry.objects.filter(act__startswith="site_key")}
    assert facts["site_key_revoked"]["key"] == north.public.hex()
    assert (facts["site_key_replaced"]["former"], facts["site_key_replaced"]["key"]) == (
        north.public.hex(),
        fresh.public.hex(),
    )


def test_the_button_says_what_becomes_of_the_key(workers):
    centre = centre_with()
    north = Sender(centre, "north").sent()
    client = Client()
    client.force_login(centre.organizer)
    address = "/challenges/hippo/organize/sites/"
    assert "End its key and invite it for a new one" in client.get(address).content.decode()
    north.send("site-withdrawal", reason="", results="keep")
    Site.objects.filter(name="north").update(counts=Site.Counts.WITHDRAWN)
    with pytest.raises(ValidationError, match="withdrew"):
        sites.invite_again(actor=centre.organizer, site=Site.objects.get(name="north"))
