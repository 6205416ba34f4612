"""Pages at work, and the number of their queries."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.notifications.models import Notification
from reviews.models import Answer, AutomaticAssignment, Bid, Call, Review, ReviewThread
from reviews.queries import funnels_of, waiting_in
from reviews.services import reviewers
from reviews.services.filing import file_design
from reviews.tasks import assign_automatically
from tests.unit.reviews.world import dates, make_design, person, vary

pytestmark = pytest.mark.django_db


def posted(call):
    fields = {name: moment.strftime("%Y-%m-%dT%H:%M") for name, moment in dates().items()}
    return {
        "title": "Autumn challenges", "summary": "", "gate": 85, "reviewers_min": 2, "reviewers_max": 3,
        "clinical_reviewers": 1, "load_max": 5, "remind_days": 7, "anonymity": "double", "showing": "never",
        "score_min": 1, "score_max": 7, "open_domains": "", "is_public": "on", **fields, **call,
    }  # fmt: skip


def test_a_chair_makes_a_call_in_the_browser(client):
    admin = person("root", is_superuser=True)
    client.force_login(admin)
    refused = client.post("/calls/new/", posted({"review_at": "2020-01-01T10:00"}))
    assert refused.status_code == 200
    assert "Later than" in refused.content.decode()
    answer = client.post("/calls/new/", posted({}))
    assert answer["Location"] == "/calls/autumn-challenges/"
    call = Call.objects.get(slug="autumn-challenges")
    assert (call.gate, call.anonymity, call.score_max, call.questions.count()) == (85, "double", 7, 41)
    assert client.post("/calls/autumn-challenges/settings/", posted({"news": "Extended"})).status_code == 302
    assert "Extended" in client.get("/calls/autumn-challenges/").content.decode()
    question = {"section": "data", "text": "Enough scanners?", "kind": "score", "audience": "statistics"}
    client.post("/calls/autumn-challenges/questions/", question)
    assert call.questions.get(text="Enough scanners?").position == 5
    body = {"subject": "Sorry", "body": "No, {authors}."}
    assert "Unknown: {authors}" in client.post("/calls/autumn-challenges/mails/reject/", body).content.decode()


def test_an_organizer_sees_the_gate_and_files(client, world):
    client.force_login(world.owner)
    page = client.get(f"/calls/{world.call.slug}/file/?design={world.design.slug}").content.decode()
    assert "is ready for submission" in page
    answer = client.post(f"/calls/{world.call.slug}/file/", {"design": world.design.slug})
    assert answer["Location"] == f"/calls/{world.call.slug}/filings/1/"
    stranger = person("stella")
    client.force_login(stranger)
    client.post(f"/calls/{world.call.slug}/file/", {"design": world.design.slug})
    assert world.call.filings.count() == 1


def test_what_a_reviewer_writes_saves_itself(client, world):
    world.under_review()
    client.force_login(world.panel["r1"].user)
    stem = f"/calls/{world.call.slug}/filings/1/review/"
    question = world.call.questions.get(text="Relevance of the goal")
    assert "Saved" in client.post(f"{stem}answers/{question.pk}/", {"score": 5, "words": "yes"}).content.decode()
    assert "from 1 to 5" in client.post(f"{stem}answers/{question.pk}/", {"score": 9}).content.decode()
    clinical = world.call.questions.filter(audience="clinical").first()
    assert "not asked" in client.post(f"{stem}answers/{clinical.pk}/", {"judgement": "yes"}).content.decode()
    client.post(f"{stem}verdict/save/", {"recommendation": "minor", "confidence": 4, "summary": "Fine"})
    review = Review.objects.get()
    assert (review.answers.get().score, review.recommendation, review.sent_at) == (5, "minor", None)
    assert "13 questions" in client.post(f"{stem}send/", follow=True).content.decode()


def test_findings_and_answers_to_warnings_stand_beside_their_parameters(client, world):
    from designs.queries import document_of
    from designs.queries.findings import all_findings
    from designs.services import answer_check

    found = all_findings(document_of(world.design), design=world.design, phase="submission")
    warning = next(entry for entry in found if entry.severity == "warning")
    task = world.design.tasks.filter(key=warning.task).first()
    answer_check(
        actor=world.owner, design=world.design, check_id=warning.check.id, task=task, basis=warning.basis,
        text="Meant like this, for a reason",
    )  # fmt: skip
    world.under_review()
    client.force_login(world.panel["r1"].user)
    pages = "".join(
        client.get(f"/calls/{world.call.slug}/filings/1/review/{key}/").content.decode()
        for key in ("mission", "organization", "participation", "data", "annotation", "assessment")
    )
    assert "Meant like this, for a reason" in pages
    open_ = [entry for entry in found if not entry.is_answered and entry.check.id != warning.check.id]
    assert all(entry.message.split("'")[0][:40].replace('"', "&quot;") in pages for entry in open_[:5])


def test_points_are_raised_beside_a_parameter_and_resolved_there(client, world):
    world.under_review()
    client.force_login(world.panel["r1"].user)
    stem = f"/calls/{world.call.slug}/filings/1/points/"
    task = world.design.tasks.first().key
    data = {"parameter": "tie_handling", "task_key": task, "text": "Decide ties.", "is_blocking": "on"}
    part = client.post(stem, data, headers={"HX-Request": "true"}).content.decode()
    assert "Decide ties." in part
    assert "Blocking" in part
    thread = ReviewThread.objects.get()
    client.post(f"{stem}{thread.pk}/", {"act": "comment", "text": "Well?"})
    client.post(f"{stem}{thread.pk}/", {"act": "resolve", "text": ""})
    thread.refresh_from_db()
    assert (thread.state, thread.comments.count()) == ("resolved", 2)
    away = client.post(f"{stem}{thread.pk}/", {"act": "reopen", "next": "https://evil.example.com/"})
    assert away["Location"] == stem


def test_a_chair_raises_a_point_at_any_parameter(client, world):
    world.under_review()
    client.force_login(world.chair)
    path = f"/calls/{world.call.slug}/filings/1/points/"
    task = world.design.tasks.first().key
    page = client.get(path).content.decode()
    for place in (f"tie_handling|{task}", "contact_person|"):
        assert f'value="{place}"' in page
        client.post(path, {"place": place, "text": "Please say more.", "is_blocking": "on"})
    assert set(ReviewThread.objects.values_list("parameter", "task_key", "is_blocking", "assignment")) == {
        ("tie_handling", task, True, None),
        ("contact_person", "", True, None),
    }
    client.force_login(world.owner)
    assert "Raise a point" not in client.get(path).content.decode()


def test_bids_are_taken_until_their_end(client, world):
    world.file()
    Call.objects.filter(pk=world.call.pk).update(bidding_until=timezone.now() + timedelta(days=1))
    client.force_login(world.panel["r1"].user)
    path = f"/calls/{world.call.slug}/bids/"
    client.post(path, {"filing": world.filing.pk, "wish": 2})
    assert Bid.objects.get().wish == 2
    Call.objects.filter(pk=world.call.pk).update(bidding_until=timezone.now() - timedelta(days=1))
    client.post(path, {"filing": world.filing.pk, "wish": -1})
    assert Bid.objects.get().wish == 2


def test_the_automatic_assignment_is_watched_and_reloads_the_page_once_over(client, world):
    world.file()
    client.force_login(world.chair)
    stem = f"/calls/{world.call.slug}/assignments/"
    client.post(f"{stem}automatic/")
    assert "hx-get" in client.get(f"{stem}state/").content.decode()
    assign_automatically(AutomaticAssignment.objects.get().pk)
    answer = client.get(f"{stem}state/")
    assert answer["HX-Refresh"] == "true"
    assert AutomaticAssignment.objects.get().made == 4
    client.post(f"/calls/{world.call.slug}/filings/1/assign/", {"remove": world.assignment("r1").pk})
    assert not world.filing.assignments.filter(reviewer=world.panel["r1"], removed_at=None).exists()
    blocked = world.panel["r1"]
    reviewers.declare_conflict(actor=world.chair, reviewer=blocked, filing=world.filing, reason="advisor")
    answer = client.post(
        f"/calls/{world.call.slug}/filings/1/assign/", {"reviewer": blocked.pk, "part": "general"}, follow=True
    )
    assert "Conflict of interest" in answer.content.decode()


def test_tables_come_as_csv_that_no_spreadsheet_runs(client, world):
    world.under_review()
    world.send("r1", "minor", 4)
    user = world.panel["r1"].user
    user.first_name = "=HYPERLINK"
    user.save()
    client.force_login(world.chair)
    rows = list(csv.DictReader(io.StringIO(client.get(f"/calls/{world.call.slug}/matrix.csv").content.decode())))
    sent = next(row for row in rows if row["recommendation"])
    assert (sent["recommendation"], sent["score"], sent["spread"]) == ("minor", "4.000", "")
    assert sent["reviewer"].startswith("'=")
    people = list(csv.DictReader(io.StringIO(client.get(f"/calls/{world.call.slug}/people.csv").content.decode())))
    assert [row["assigned"] for row in people] == ["1", "1", "0", "1", "0"]
    world.call.questions.filter(section="general").update(text="=1+1")
    questions = client.get(f"/calls/{world.call.slug}/questions/?format=csv").content.decode()
    assert "general,'=1+1," in questions
    assert len(questions.splitlines()) == 1 + world.call.questions.filter(retired_at=None).count()
    assert "reject,reject" not in (mails := client.get(f"/calls/{world.call.slug}/mails/?format=csv").content.decode())
    assert mails.splitlines()[0] == "kind,mail,subject,text"


LISTS = {
    "chair": ("matrix/", "matrix.csv", "assignments/", "people/", "people.csv", ""),
    "reviewer": ("/calls/reviewing/",),
    "anonymous": ("/calls/",),
}


def test_the_number_of_queries_does_not_grow_with_the_designs(client, world):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def counts():
        numbers = {}
        for role, paths in LISTS.items():
            client.logout()
            if role != "anonymous":
                client.force_login(world.chair if role == "chair" else world.panel["r1"].user)
            for path in paths:
                page = path if path.startswith("/") else f"/calls/{world.call.slug}/{path}"
                client.get(page)  # whatever is cached, is cached now
                with CaptureQueriesContext(connection) as queries:
                    assert client.get(page).status_code == 200
                numbers[role, path] = len(queries)
        return numbers

    world.under_review()
    world.send("r1")
    one = counts()
    for title in ("Second", "Third"):
        world.design = make_design(world.owner, title)
        world.filing = file_design(actor=world.owner, call=world.call, design=world.design)
        world.assign()
        world.start()
        world.send("r1")
    assert counts() == one
    assert max(one.values()) < 40


def test_a_chair_who_reviews_besides_has_the_pages_of_both(client, world):
    world.panel["chair"] = reviewers.add_reviewer(actor=world.chair, call=world.call, user=world.chair)
    world.file()
    world.assign("chair", "r1", "clara")
    world.start()
    client.force_login(world.chair)
    page = client.get(world.filing.get_absolute_url()).content.decode()
    assert "Decide" in page
    assert f"/calls/{world.call.slug}/filings/1/review/" in page
    assert client.get(f"/calls/{world.call.slug}/filings/1/review/mission/").status_code == 200


def test_a_review_is_called_late_only_after_its_date(client, world):
    world.under_review()
    client.force_login(world.chair)
    before = client.get(f"/calls/{world.call.slug}/assignments/").content.decode()
    assert "open review" in before
    assert " late " not in before
    now = timezone.now()
    Call.objects.filter(pk=world.call.pk).update(
        submission_at=now - timedelta(days=2), review_at=now - timedelta(hours=1)
    )
    assert "late review" in client.get(f"/calls/{world.call.slug}/assignments/").content.decode()


def test_nobody_is_offered_to_remind_where_no_review_is_open(client, world):
    client.force_login(world.chair)
    assert "Remind" not in client.get(f"/calls/{world.call.slug}/assignments/").content.decode()


def test_the_chair_reads_what_waits_for_whom_and_until_when(client, world):
    assert waiting_in(world.call) == []
    world.file()
    (first,) = waiting_in(world.call)
    assert (first.what, first.whom, first.due) == ("Assign reviewers", "chairs", world.call.review_at)
    world.assign()
    assert [row.what for row in waiting_in(world.call)] == ["Open the review"]
    world.start()
    for name in ("r1", "r2"):
        world.send(name)
    (last,) = waiting_in(world.call)
    assert (last.what, last.name, last.due) == ("Review", "Clara Reviewernameclara", world.call.review_at)
    client.force_login(world.chair)
    assert "Clara Reviewernameclara" in client.get(f"/calls/{world.call.slug}/").content.decode()
    client.force_login(world.owner)
    assert "Pending actions" not in client.get(f"/calls/{world.call.slug}/").content.decode()
    world.send("clara")
    assert [(row.what, row.whom) for row in waiting_in(world.call)] == [("Decide", "chairs")]


def test_the_chair_reads_how_many_designs_stand_where(client, world):
    world.under_review()
    world.design = make_design(world.owner, "Second")
    file_design(actor=world.owner, call=world.call, design=world.design)
    (funnel,) = funnels_of([world.call])
    assert (funnel.filed, funnel.in_review, funnel.decided) == (2, 2, 0)
    assert [(one.whom, one.number) for one in funnel.waits_for] == [("chairs", 1), ("reviewers", 3)]
    assert all(one.due == world.call.review_at for one in funnel.waits_for)
    client.force_login(world.chair)
    for path in ("/", f"/calls/{world.call.slug}/"):
        page = client.get(path).content.decode()
        assert "Assign reviewers" in page
        assert "In review" in page


def test_a_design_of_the_chair_is_counted_and_nothing_of_it_told(client, world):
    world.under_review()
    world.design.collaborators.create(user=world.chair, role="editor")
    (funnel,) = funnels_of([world.call], without=[world.design.pk])
    assert (funnel.filed, funnel.waiting) == (1, [])
    client.force_login(world.chair)
    for path in ("/", f"/calls/{world.call.slug}/"):
        assert "Reviewername" not in client.get(path).content.decode()


def test_letters_of_decisions_are_seen_before_they_go(client, world):
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    client.force_login(world.chair)
    address = f"/calls/{world.call.slug}/matrix/"
    chosen = {"filing": world.filing.pk, "outcome": "accept"}
    page = client.post(address, chosen).content.decode()
    assert "Not sent yet" in page
    assert world.filing.title in page
    world.filing.refresh_from_db()
    assert world.filing.state == "under_review"
    assert client.post(address, {**chosen, "confirmed": "yes"}).status_code == 302
    world.filing.refresh_from_db()
    assert world.filing.state == "accepted"


def told(world):
    """Subjects of what reviewers were written."""
    rows = Notification.objects.filter(user__in=[one.user for one in world.panel.values()])
    return sorted(rows.values_list("subject", flat=True))


def test_letters_of_assignment_go_when_the_chair_has_seen_them(client, world):
    world.file()
    world.assign("r1", "r2", "clara")
    assert told(world) == []
    client.force_login(world.chair)
    address = f"/calls/{world.call.slug}/assignments/letters/"
    page = client.get(address).content.decode()
    assert "Not sent yet" in page
    assert page.count("Spring challenges: “Hippocampus, spring” to review") == 3
    assert "was assigned to you as clinical reviewer" in page
    assert told(world) == []
    client.post(address, {"confirmed": "yes", "letter": [world.assignment("r1").pk]})
    assert told(world) == ["Spring challenges: “Hippocampus, spring” to review"]
    # Each is told once: the others when the review opens, whose letters stand there first.
    start = f"{world.filing.get_absolute_url()}start/"
    page = client.post(start).content.decode()
    assert page.count("Spring challenges: “Hippocampus, spring” to review") == 2
    world.filing.refresh_from_db()
    assert world.filing.state == "submitted"
    client.post(start, {"confirmed": "yes"})
    world.filing.refresh_from_db()
    assert world.filing.state == "under_review"
    assert told(world) == ["Spring challenges: “Hippocampus, spring” to review"] * 3
    assert "have been notified" in client.get(address).content.decode()


def test_a_reviewer_who_comes_later_waits_for_a_letter_of_their_own(client, world):
    world.under_review()
    world.assign("r3")
    client.force_login(world.chair)
    assert next(row.what for row in waiting_in(world.call)) == "Send 1 letter of assignment"
    assert (
        "1 assigned reviewer has not been notified"
        in client.get(f"/calls/{world.call.slug}/assignments/").content.decode()
    )


def test_reminders_are_seen_before_they_go_and_can_be_left_out(client, world):
    world.under_review()
    world.send("r1")
    Notification.objects.all().delete()
    client.force_login(world.chair)
    address = f"/calls/{world.call.slug}/assignments/remind/"
    page = client.get(address).content.decode()
    assert page.count("Spring challenges: your review of “Hippocampus, spring” is due on") == 2
    assert told(world) == []
    client.post(address, {"confirmed": "yes", "letter": [world.assignment("clara").pk]})
    (row,) = Notification.objects.all()
    assert row.user == world.panel["clara"].user


def test_an_invitation_is_seen_before_it_goes_with_who_cannot_be_invited(client, world):
    client.force_login(world.chair)
    address = f"/calls/{world.call.slug}/people/invite/"
    known = "r1@example.com"
    type(world.owner).objects.filter(pk=world.panel["r1"].user.pk).update(email=known)
    posted = {"emails": f"new@example.com, other@example.com {known}", "part": "general"}
    page = client.post(address, posted).content.decode()
    assert "Will you review for Spring challenges?" in page
    assert "Charlie Chair invites you as reviewer" in page
    assert f"{known}: This person reviews for the call already." in page
    assert world.call.invitations.count() == 0
    changed = client.post(address, {**posted, "change": "yes"}).content.decode()
    assert "other@example.com" in changed
    client.post(address, {**posted, "emails": "new@example.com other@example.com", "confirmed": "yes"})
    assert world.call.invitations.count() == 2


def test_a_message_to_many_is_seen_with_everybody_who_gets_it(client, world):
    client.force_login(world.chair)
    address = f"/calls/{world.call.slug}/message/"
    posted = {"audience": "reviewers", "subject": "Thank you", "text": "All of you."}
    page = client.post(address, posted).content.decode()
    assert "5 people" in page
    assert "Clara Reviewernameclara" in page
    assert told(world) == []
    assert "All of you." in client.post(address, {**posted, "change": "yes"}).content.decode()
    client.post(address, {**posted, "confirmed": "yes"})
    assert told(world) == ["Thank you"] * 5


def test_the_text_of_a_mail_is_read_as_it_will_read(client, world):
    client.force_login(world.chair)
    page = client.get(f"/calls/{world.call.slug}/mails/assigned/").content.decode()
    assert "The design “A design” in Spring challenges was assigned to you as reviewer." in page


def test_a_reviewer_finds_their_reviews_on_the_page_of_the_call_with_nobody_named(client, world):
    vary(world, anonymity="double")
    world.under_review()
    type(world.filing).objects.update(title="Challenge of Orla Organizerson")
    client.force_login(world.panel["r1"].user)
    page = client.get(f"/calls/{world.call.slug}/").content.decode()
    assert "Challenge of [name withheld]" in page
    assert "Organizerson" not in page
    assert "Not started" in page


def test_a_review_says_what_is_open_before_it_is_sent(client, world):
    world.under_review()
    client.force_login(world.panel["r1"].user)
    stem = f"/calls/{world.call.slug}/filings/1/review/"
    assert "Start with “Mission”" in client.get(stem).content.decode()
    assert "Questions are still open in" in client.get(f"{stem}verdict/").content.decode()
    world.send("r1")
    assert "Questions are still open in" not in client.get(f"{stem}verdict/").content.decode()


def test_the_chair_compares_answers_question_by_question(client, world):
    world.under_review()
    world.send("r1", score=5)
    world.send("r2", score=4)
    client.force_login(world.chair)
    page = client.get(world.filing.get_absolute_url())
    text = page.content.decode()
    assert "Reviewers disagree on no question." in text
    Answer.objects.filter(review__assignment=world.assignment("r2")).delete()
    world.send("r2", score=2)
    page = client.get(world.filing.get_absolute_url())
    rows = page.context["compared"]
    asked = [row for row in rows if row.differs]
    assert asked
    assert rows[: len(asked)] == asked
    assert [answer.short for answer in asked[0].answers] == ["5", "2"]
    assert f"Reviewers disagree on {len(asked)} of {len(rows)} questions." in page.content.decode()
    # Organizers see reviews only with a decision, and never this table.
    client.force_login(world.owner)
    assert client.get(world.filing.get_absolute_url()).context["compared"] == []


def test_one_review_is_not_compared(client, world):
    world.under_review()
    world.send("r1")
    client.force_login(world.chair)
    page = client.get(world.filing.get_absolute_url())
    assert page.context["compared"] == []
    assert "Answers by question" not in page.content.decode()
