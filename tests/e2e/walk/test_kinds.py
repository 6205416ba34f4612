"""Three kinds of problem in a browser: from the empty form of references to a verified bundle, its sentences read against the tables."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

from evaluation import bundle, problems
from evaluation.assessment import parse
from tests.claims.challenges import Challenge
from tests.claims.predicates import false_sentences
from tests.claims.raw import Raw
from tests.e2e.helpers.people import be

pytestmark = [pytest.mark.browser, pytest.mark.services]
PASSWORD = "a password of length"
CASES = 8
TEAMS = ("first", "second")
UNCERTAINTY = {"bootstrap": 200, "seed": 1}
KINDS = {
    "image_classification": ["main"],
    "object_detection": ["main"],
    "semantic_segmentation": ["left", "right"],
}
MAKE = """
import json
from datetime import timedelta
from django.utils import timezone
from accounts.models import User
from allauth.account.models import EmailAddress
from challenges.models import Phase, Task
from challenges.services import create_challenge, create_phase, join_with_team
def person(name):
    user, made = User.objects.get_or_create(username=name, defaults=dict(email=name + "@example.org"))
    if made:
        user.set_password({password!r})
        user.save()
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user
owner = person("walker")
challenge = create_challenge(actor=owner, organizers=[owner], slug={slug!r}, title={slug!r}, summary="A walk.", is_public=True)
now = timezone.now()
for place, name in enumerate({tasks!r}):
    task = Task.objects.create(challenge=challenge, slug=name, name=name.capitalize(), position=place)
    create_phase(actor=owner, task=task, assessment=json.loads({assessment!r}), slug="final", name="Final", position=1,
        opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1), results=Phase.Results.CASES,
        leaderboard=Phase.Leaderboard.PUBLIC)
for name in {teams!r}:
    team = join_with_team(user=person("walker-" + name), challenge=challenge, team_name="team " + name[0].upper())
print("made")
"""
CLOSE = """
from challenges.models import Challenge
from challenges.services import close_phase
challenge = Challenge.objects.get(slug={slug!r})
for task in challenge.tasks.all():
    close_phase(actor=challenge.organizer_set.get().user, phase=task.phases.get())
print("closed")
"""


def document(kind: str, folder: Path) -> dict:
    """The assessment of an example whose files are in a folder; of values of single cases, one metric is enough."""
    found = problems.get(kind).write_example(folder, cases=CASES, algorithms=TEAMS)
    metrics = {
        "image_classification": [{"id": "accuracy"}],
        "object_detection": [{"id": "fbeta", "options": {"scale": "image"}}],
        "semantic_segmentation": [{"id": "dsc"}],
    }[kind]
    scheme = "one_score" if kind == "image_classification" else "aggregate_then_rank"
    ranking = {"scheme": scheme, "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True}}
    return {**found, "metrics": metrics, "ranking": ranking, "uncertainty": UNCERTAINTY}


def packed(kind: str, folder: Path, *, below: str = "", listed: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name != "cases.csv":
                archive.writestr(f"{below}{path.relative_to(folder).as_posix()}", path.read_bytes())
        if listed:
            names = names_of(kind, folder)
            archive.writestr("cases.csv", "case\n" + "".join(f"{name}\n" for name in names))
    return buffer.getvalue()


def names_of(kind: str, folder: Path) -> list[str]:
    problem = problems.get(kind)
    if kind == "semantic_segmentation":
        return list(problem.find_references(folder))
    own = folder / "cases.csv"
    if own.is_file():
        return [row["case"] for row in csv.DictReader(io.StringIO(own.read_text()))]
    return list(problem.read_references(problem.find_table(folder, problem.reference_tables)).cases)


def text_of(page) -> str:
    return " ".join(page.get_by_role("main").inner_text().split())


@pytest.mark.parametrize("kind", KINDS)
def test_from_the_empty_form_of_references_to_a_verified_bundle(platform, page, tmp_path, kind):
    folder, slug, tasks = tmp_path / "example", kind.replace("_", "-"), KINDS[kind]
    assessment = document(kind, folder)
    made = MAKE.format(password=PASSWORD, slug=slug, tasks=tasks, assessment=json.dumps(assessment), teams=TEAMS)
    assert "made" in platform.shell(made)
    base, names = f"{platform.url}/challenges/{slug}/", names_of(kind, folder / "references")
    be(page, platform, "walker", PASSWORD)
    page.goto(f"{base}organize/")
    page.get_by_role("link", name=f"0 of {len(tasks)}").click()  # what waits leads to the test set
    references = tmp_path / "references.zip"
    references.write_bytes(packed(kind, folder / "references", below="references/", listed=len(tasks) == 1))
    for task in tasks:
        if len(tasks) > 1:
            page.get_by_role("navigation", name="Phases").get_by_role(
                "link", name=re.compile(task, re.IGNORECASE)
            ).click()
        page.set_input_files("#id_archive", references)
        page.get_by_role("button", name="Send and check").click()
        seal = page.get_by_role("button", name=f"Seal {len(names)} cases")
        expect(page.locator("#archives")).to_contain_text(re.compile("not sealed yet|refused"))
        assert seal.is_visible(), text_of(page)
        read = text_of(page)
        assert "Nothing is sealed yet." in read
        assert f"Cases that count {len(names)}" in read
        assert "Classes in the cases that count" in read
        seal.click()
        expect(page.locator("#archives")).to_contain_text("sealed as version 1")
        page.goto(f"{base}organize/test-sets/")
    for team in TEAMS:
        be(page, platform, f"walker-{team}", PASSWORD)
        archive = tmp_path / f"{team}.zip"
        archive.write_bytes(packed(kind, folder / "predictions" / team))
        for task in tasks:
            page.goto(f"{base}submit/")
            if len(tasks) > 1:
                page.get_by_role("navigation", name="Phases").get_by_role(
                    "link", name=re.compile(task, re.IGNORECASE)
                ).click()
            page.set_input_files("#id_archive", archive)
            page.get_by_role("button", name="Submit", exact=True).click()
            page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
            expect(page.locator('[data-state="scored"]')).to_be_visible()
    assert "closed" in platform.shell(CLOSE.format(slug=slug))
    be(page, platform, "walker", PASSWORD)
    for task in tasks:
        key = f"{task}.final" if len(tasks) > 1 else "final"
        read_board(platform, page, f"{base}leaderboard/{key}/", assessment, len(names), tmp_path)


def read_board(platform, page, address: str, assessment: dict, cases: int, folder: Path) -> None:
    """Every sentence above the board is true of the bundle's tables, and the bundle verifies with the digest of the page."""

    def final():
        page.goto(address)
        return page.locator("tbody th", has_text="team").count() == len(TEAMS) and "so far" not in text_of(page)

    platform.wait(final, "a final ranking of two teams", every=1)
    page.get_by_text("Bundle (ZIP)").first.wait_for(state="attached")
    link = page.locator("a", has_text="Bundle (ZIP)").first.get_attribute("href")
    path = folder / "bundle.zip"
    path.write_bytes(page.request.get(f"{platform.url}{link}").body())
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("ranking.json"))
        manifest = json.loads(archive.read("manifest.json"))
        results = pd.read_csv(
            io.BytesIO(archive.read("results.csv")),
            dtype={"case": str, "region": str},
            keep_default_na=False,
            na_values={"value": [""]},
        )
    checked = bundle.verify(path, digest=manifest["digest"])
    assert checked.same, checked
    assert manifest["digest"][:12] in page.content()
    parsed = parse(assessment)
    whole = assessment["problem"] == "image_classification"
    unanswered = dict.fromkeys(sorted(set(results["algorithm"])), 0) if whole else {}
    raw = Raw(Challenge(0, parsed, results, None, None, unanswered, closed=True))
    main = document["overall"] or document["rankings"][0]
    headline = page.locator(".verdict, .board-verdict, [data-headline]").first
    text = text_of(page)
    said = [sentence for sentence in told(document) if sentence in text]
    assert said, headline
    names = {name: name for name in raw.names}
    assert set(names) == {"team F", "team S"}
    assert not false_sentences(raw, main, document, said)
    assert {row["name"]: row["rank"] for row in main["algorithms"]}["team F"] == 1
    assert cases >= 1


def told(document: dict) -> list[str]:
    """What the code says of a ranking, to be found in the page as it is."""
    from evaluation.claims.ranking import sentences_of

    return [str(sentence) for sentence in sentences_of(document["overall"] or document["rankings"][0], document)]
