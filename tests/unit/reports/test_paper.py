"""The paper: every guideline item once, repeated statements only once, and marked gaps for the authors."""

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.documents import Sentence
from evaluation.documents.blocks import labels_of
from reports.domain.content import Chapter, Exhibit, Fill, Item, Ledger, Origin, plain
from reports.domain.guideline import CHAPTERS, fill_of, title_of
from reports.domain.paper import paper_blocks, plan
from reports.domain.phrases import CHOICES, LISTS, NONE, PATTERNS, ROWS, table_words
from reports.domain.registered import Registered, phrase

DESIGN = Origin("parameter", "Registration podium-1, version 1.0: Name (challenge_name)", "d" * 64, "/registry/1/")
RANKING = Origin("ranking", "Ranking of Final, version 2", "r" * 64, "/board/2/")
TEXTS = {
    "1": "Liver: a challenge.",
    "2": "Background: Find livers.",
    "4a": "Livers matter.",
    "25c": "Cases were assigned at random.",
    "25d": "Cases were assigned at random.",
    "37": "unet leads.",
}


def content_of(*, results=(), texts=TEXTS, edits=None, exhibits=None):
    """A content as reports store it, with some items filled."""
    ledger = Ledger()
    ledger.origins["authors"] = Origin("authors", "Written by the authors of the report")
    chapters = []
    for key, title, numbers in CHAPTERS:
        items = []
        for number in numbers:
            item = Item(number, title_of(number), fill_of(number), ())
            if number in texts:
                item.text.append((ledger.say(texts[number], RANKING if number == "37" else DESIGN),))
            if fill_of(number) is not Fill.FULL:
                item.prompt = f"Write {number}."
            item.exhibits += (exhibits or {}).get(number, [])
            item.edit = (edits or {}).get(number)
            items.append(item)
        chapters.append(Chapter(key, title, items))
    return plain(
        chapters,
        ledger,
        title="Liver",
        byline="Ada Lovelace (London)",
        challenge={"slug": "liver", "title": "Liver"},
        software="1",
        design=None,
        rankings=[],
        results=list(results),
        deviations=[],
        exposure={"summary": {"prevented": 1, "detectable": 2, "uncovered": 0}, "findings": []},
        score={"covered": 4, "draft": 13, "open": 62, "items": 79},
    )


RESULT = {
    "key": "1",
    "phase": "Final",
    "parts": [
        {
            "sentences": [{"text": "unet leads.", "item": "35a"}, {"text": "It is sure.", "item": "35b"}],
            "exhibits": [
                {"kind": "figure", "topic": "forest", "item": "35a", "text": "Ranks", "name": "figure-01", "beside": 0},
                {
                    "kind": "table",
                    "topic": "ranking",
                    "item": "33a",
                    "text": "The teams",
                    "columns": ["Rank"],
                    "rows": [["1"]],
                    "beside": 1,
                },
            ],
        }
    ],
}


def prose(blocks):
    return [Sentence(*row) for block in blocks if block.kind == "prose" for row in block.rows]


def test_the_plan_has_every_item_of_the_guideline_once():
    planned = [
        *(number for part in plan.INTRODUCTION for number in part),
        *(number for _, paragraphs in plan.METHODS for part in paragraphs for number in part),
        *plan.TEAMS,
        *plan.RESULTS,
        *(number for part in plan.DISCUSSION for number in part),
        *plan.LIMITATIONS,
        *plan.CONCLUSION,
        *("1", "2", "3", "36"),
    ]
    assert sorted(planned) == sorted(number for _, _, numbers in CHAPTERS for number in numbers)


def test_the_checklist_has_all_79_items_with_their_sources_and_where_they_stand():
    blocks = paper_blocks(content_of(results=[RESULT]))
    rows = next(block.rows for block in blocks if block.kind == "checklist")
    assert len(rows) == 79
    by_number = {row[1]: row for row in rows}
    assert by_number["4a"][3:] == ("filled", "D1 challenge_name", "item-4a")
    assert by_number["37"][4] == "R1"
    assert by_number["12"][3:] == ("open", "–", "")
    anchors = {anchor for sentence in prose(blocks) for anchor in sentence.anchors.split()}
    anchors |= {block.anchor for block in blocks if block.anchor}
    assert {row[5] for row in rows if row[5]} <= anchors
    sources = blocks[-1].rows
    assert ("D1", "Registration podium-1, version 1.0", "d" * 16, "/registry/1/") in sources


def test_results_begin_with_the_ranking_and_sentences_point_to_what_shows_them():
    blocks = paper_blocks(content_of(results=[RESULT]))
    start = next(place for place, block in enumerate(blocks) if block.text == "Results" and block.kind == "heading")
    assert [block.kind for block in blocks[start + 1 : start + 3]] == ["prose", "figure"]
    first, second = (Sentence(*row) for row in blocks[start + 1].rows)
    labels = labels_of(blocks)
    assert (first.words, [labels[anchor] for anchor in first.references.split()]) == ("unet leads", ["Figure 1"])
    assert [labels[anchor] for anchor in second.references.split()] == ["Table 1"]


def test_what_two_items_say_stands_once_with_both_numbers():
    said = prose(paper_blocks(content_of(results=[RESULT])))
    once = [sentence for sentence in said if sentence.words == "Cases were assigned at random"]
    assert [words for sentence in once for _, words in sentence.noted] == ["25c", "25d"]
    leads = [sentence for sentence in said if sentence.words == "unet leads"]
    assert [words for sentence in leads for _, words in sentence.noted] == ["35a", "37"]


def test_the_same_words_about_two_tasks_are_two_statements():
    second = {**RESULT, "key": "other", "phase": "Second task: Final"}
    said = [row.words for row in prose(paper_blocks(content_of(results=[RESULT, second])))]
    assert said.count("unet leads") == 2


def test_what_authors_wrote_stands_in_place_of_the_sentences_of_the_results():
    edit = {"35a": _edit("We see that unet is first.")}
    said = [sentence.words for sentence in prose(paper_blocks(content_of(results=[RESULT], texts={}, edits=edit)))]
    assert "We see that unet is first" in said
    assert "unet leads" not in said


def test_what_is_left_to_write_is_marked_where_it_belongs():
    blocks = paper_blocks(content_of(results=[RESULT]))
    marks = [block.text for block in blocks if block.kind == "mark"]
    assert "To be written by the authors (42): Write 42." in marks
    assert "42" in marks[0]
    done = paper_blocks(content_of(results=[RESULT], edits={"42": _edit("So it is.")}))
    assert not any("(42)" in block.text for block in done if block.kind == "mark")


def test_without_a_ranking_the_results_say_so():
    said = [sentence.words for sentence in prose(paper_blocks(content_of()))]
    assert "This report tells no ranking" in said


def test_a_short_table_is_a_sentence_and_a_long_one_a_table():
    short = Exhibit(
        "table",
        topic="data_centers",
        text="Centres",
        columns=("Centre or source", "Country"),
        rows=(("Oslo", "Norway"),),
    )
    long = Exhibit("table", topic="data_centers", text="Centres", columns=("Centre or source",), rows=(("Oslo",),) * 9)
    said = [sentence.words for sentence in prose(paper_blocks(content_of(exhibits={"24c": [short]})))]
    assert "The data come from Oslo (Norway)" in said
    blocks = paper_blocks(content_of(exhibits={"24c": [long]}))
    assert any(block.kind == "table" and block.label == "Table 1" and len(block.rows) == 9 for block in blocks)


def _edit(text):
    from reports.domain.content import Edit

    return Edit(text=text, author="Ada", date="2026-01-01", based_on="", source_changed=False)


def test_phrases_are_of_parameters_and_choices_that_exist():
    known = shipped().parameters
    assert {*CHOICES, *PATTERNS, *LISTS, *NONE} <= set(known)
    assert set(ROWS) - {"people"} <= set(known)
    for identity, sentences in CHOICES.items():
        assert set(sentences) <= {choice.value for choice in known[identity].choices}, identity
    for identity, (_, first, beside) in ROWS.items():
        labels = (
            {field.label for field in known[identity].item_fields} if identity != "people" else {"Name", "Affiliation"}
        )
        assert {first, *beside} <= labels, identity


@pytest.mark.parametrize(
    "identity", sorted(name for name, parameter in shipped().parameters.items() if parameter.type == "enum")
)
def test_every_choice_of_an_item_reads_as_one_sentence(identity):
    parameter = shipped().parameters[identity]
    if parameter.type == "enum" and identity in {*CHOICES, *PATTERNS}:
        for choice in parameter.choices:
            said = phrase(Registered(identity, choice.value, [choice.label]))
            assert said == "" or said.endswith("."), (identity, choice)
            assert "{" not in said


def test_another_value_than_the_listed_ones_follows_its_label():
    assert (
        phrase(Registered("challenge_venue", {"other": "A workshop"}, ["A workshop"]))
        == "It was associated with A workshop."
    )
    assert phrase(Registered("tie_handling", {"other": "By hand"}, ["By hand"])) == ""


def test_empty_cells_of_a_table_say_nothing():
    assert table_words("Organizers", ("Name", "Affiliation"), [("", "")], topic="people") == ""
