"""Answers to the same question are next to each other, and disagreement is stated by its rule."""

import pytest

from reviews.domain.comparing import compared


def answer(question="Is it enough?", score=None, judgement="", words=""):
    return {"section": "Data", "question": question, "score": score, "judgement": judgement, "words": words}


@pytest.mark.parametrize(
    ("answers", "differs", "agrees"),
    [
        ([{"judgement": "yes"}, {"judgement": "yes"}], False, True),
        ([{"judgement": "yes"}, {"judgement": "partly"}], True, False),
        ([{"judgement": "yes"}, {"judgement": "cannot judge"}], False, False),
        ([{"judgement": "no"}, {"judgement": ""}], False, False),
        ([{"score": 3}, {"score": 4}], False, True),
        ([{"score": 3}, {"score": 4}, {"score": 5}], True, False),
        ([{"score": 1}, {"score": None}], False, False),
        ([{"words": "Good."}, {"words": "Bad."}], False, False),
    ],
)
def test_disagreement(answers, differs, agrees):
    (row,) = compared([(str(index), [answer(**facts)]) for index, facts in enumerate(answers)])
    assert (row.differs, row.agrees) == (differs, agrees)


def test_what_differs_comes_first_and_a_question_that_only_one_answered_stays():
    first = [answer("A", score=1), answer("B", score=5, words="Why"), answer("C", judgement="yes")]
    second = [answer("A", score=2), answer("B", score=1)]
    rows = compared([("Ada", first), ("Bo", second)])
    assert [row.question for row in rows] == ["B", "A", "C"]
    assert [(reply.who, reply.short, reply.text) for reply in rows[0].answers] == [("Ada", "5", "Why"), ("Bo", "1", "")]
    assert [(reply.who, reply.short) for reply in rows[2].answers] == [("Ada", "yes"), ("Bo", "")]


def test_no_review_gives_no_question():
    assert compared([]) == []
