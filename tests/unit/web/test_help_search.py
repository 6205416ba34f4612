"""Questions of participants, organizers and reviewers lead to the right page of the help."""

import pytest
from django.urls import reverse

from web import manual
from web.help_search import search

FIRST = 3
PARTICIPANTS = {
    "How do I find a challenge with CT images?": {"participants"},
    "join a team": {"participants"},
    "invite a teammate": {"participants"},
    "leave my team": {"participants"},
    "how many submissions per day": {"participants"},
    "which of my submissions counts": {"participants"},
    "withdraw a submission": {"participants"},
    "my upload was interrupted": {"participants"},
    "why was my submission rejected": {"participants"},
    "what file format do I upload": {"participants", "metrics/masks", "metrics/objects"},
    "download training data": {"participants"},
    "contact the organizers": {"participants"},
    "report a wrong ground truth label": {"participants", "organizers", "changes"},
    "submit from the command line": {"participants"},
    "where do I get an api key": {"account", "participants"},
    "forgot password": {"account"},
    "two-factor authentication": {"account"},
    "delete my account": {"account"},
    "stop e-mails": {"account", "participants"},
    "submit a docker container": {"algorithms"},
    "is there a gpu for my algorithm": {"algorithms"},
    "test my container at home": {"algorithms"},
    "how to read the leaderboard": {"leaderboards"},
    "what is a rank set": {"leaderboards"},
    "is the first team really better": {"leaderboards"},
    "why is no winner named": {"leaderboards"},
    "anonymous team name": {"leaderboards", "organizers"},
    "verify a bundle": {"leaderboards", "participants", "registry"},
    "how is dice computed": {"metrics/masks"},
    "hausdorff distance": {"metrics/masks"},
}
ORGANIZERS = {
    "extend a deadline": {"organizers", "changes"},
    "close a phase early": {"organizers"},
    "start a design": {"designs"},
    "add a co-author to the design": {"designs"},
    "which metrics should I use": {"advice"},
    "how many test cases do I need": {"advice"},
    "import from grand challenge": {"analyse", "designs", "algorithms"},
    "upload the test set": {"organizers"},
    "keep the ground truth secret": {"organizers"},
    "several annotators": {"organizers"},
    "decoys": {"organizers"},
    "test data must stay in the hospital": {"sites", "organizers"},
    "approve participants": {"organizers", "participants"},
    "send an announcement": {"organizers"},
    "scores of missing cases": {"rankings", "ranking", "organizers"},
    "combine several metrics into one ranking": {"rankings", "ranking"},
    "how are ties handled": {"ranking", "rankings"},
    "use my own metric": {"scorers"},
    "write the report of the challenge": {"reports"},
    "change a registered design": {"changes"},
    "launch the challenge": {"changes"},
    "cite a registered challenge": {"registry"},
    "embargo": {"registry", "designs"},
    "froc curve": {"metrics/objects", "metrics/classification"},
    "deadlien": {"organizers", "changes", "reviewers"},
}
REVIEWERS = {
    "declare a conflict of interest": {"reviewers"},
    "when is my review due": {"reviewers"},
    "who sees my review": {"reviewers"},
    "double blind": {"reviewers"},
    "assign reviewers automatically": {"reviewers"},
}
QUESTIONS = PARTICIPANTS | ORGANIZERS | REVIEWERS


def pages(question):
    """The first pages of the results, each once."""
    return list(dict.fromkeys(hit.page.name for hit in search(question).hits))[:FIRST]


def test_there_are_sixty_questions():
    assert len(QUESTIONS) == 60
    assert set().union(*QUESTIONS.values()) <= set(manual.NAMES)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_leads_to_the_right_page(question):
    assert set(pages(question)) & QUESTIONS[question], pages(question)


@pytest.mark.parametrize(
    ("typed", "corrected"), [("leaderbord", "leaderboard"), ("hausdorf", "hausdorff"), ("anotators", "annotators")]
)
def test_typing_errors_are_corrected(typed, corrected):
    results = search(typed)
    assert results.hits
    assert results.hits[0].page.name == search(corrected).hits[0].page.name


def test_a_corrected_word_is_shown(client):
    assert "instead of “leaderbordd”" in client.get(reverse("web:help"), {"q": "leaderbordd"}).content.decode()


def test_titles_come_first():
    first = search("pseudonyms").hits[0]
    assert "pseudonym" in first.section.title.lower()


def test_other_forms_of_a_word_are_the_same_word():
    assert pages("ranking schemes") == pages("ranking scheme")
    assert pages("withdrawing submissions") == pages("withdraw submission")


@pytest.mark.parametrize("text", ["", '"', "'", "a OR", "NEAR(", "*", "-", "x" * 100, "(dice", "日本", "AND NOT"])
def test_any_text_can_be_searched(text):
    search(text)
