"""The record as a page: facts first, parts folded to a line, what is not specified gathered."""

from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json
from evaluation.documents import Block
from registry.queries.records import _line, _parts, record_facts


def blocks(*pairs):
    return [Block(kind, text, level) for kind, text, level in pairs]


def test_a_part_gathers_what_is_not_specified_and_says_in_a_line_what_is():
    [part] = _parts(
        blocks(
            ("heading", "Mission", 2),
            ("heading", "Category", 3),
            ("text", "Segmentation", 0),
            ("heading", "Cohort", 3),
            ("remark", "Not specified", 0),
            ("heading", "Modality", 3),
            ("text", "MRI", 0),
        )
    )
    assert part.line == "Segmentation · MRI"
    assert part.blank == ("Cohort",)
    assert [block.text for block in part.blocks] == ["Category", "Segmentation", "Modality", "MRI"]


def test_what_was_taken_away_in_this_version_stays_where_it_was():
    [part] = _parts(
        blocks(
            ("heading", "Mission", 2),
            ("heading", "Cohort", 3),
            ("mark", "Changed in this version. Before: adults", 0),
            ("remark", "Not specified", 0),
        )
    )
    assert part.blank == ()
    assert part.blocks[-1].text == "Not specified"


def test_a_long_text_is_begun_in_the_line():
    [part] = _parts(blocks(("heading", "Plans", 2), ("heading", "Future", 3), ("text", "word " * 60, 0)))
    assert part.line.startswith("word word")
    assert part.line.endswith(" …")
    assert len(part.line) < 120


def test_a_number_stands_behind_the_name_of_what_it_counts():
    [part] = _parts(
        blocks(
            ("heading", "Data", 2), ("heading", "Training cases (BIAS 25b)", 3), ("text", "160", 0), ("text", "MRI", 0)
        )
    )
    assert part.line == "Training cases: 160 · MRI"


def test_a_list_is_begun_in_the_line_where_nothing_else_is_said():
    [part] = _parts([Block("heading", "Winner", 2), Block("list", items=("Each case is scored.", "Ranks are means."))])
    assert part.line == "Each case is scored."


def test_facts_are_said_of_each_task_and_empty_where_nothing_is_specified():
    document = {
        "schema": 1,
        "catalogue": "1.0.0",
        "challenge": {"data_license": "cc_by"},
        "tasks": [
            {"key": "a", "task_name": "Liver", "number_test_cases": 40, "number_training_cases": 100},
            {"key": "b", "task_name": "Tumour", "imaging_modality": ["ct"]},
        ],
    }
    facts = dict(record_facts(from_json(document, catalogue=shipped(), lenient=True)[0]))
    assert facts["Tasks"] == "Liver; Tumour"
    assert facts["Cases"] == "Liver: 100 training, 40 test"
    assert facts["Modality"] == "Computed Tomography (CT)"
    assert facts["Data licence"] == "CC BY (Attribution)"
    assert facts["Metrics"] == ""


def test_the_metrics_of_every_task_are_listed_under_its_name():
    """A metric can be named by its abbreviation, by a choice of the catalogue, or by the organizers' text."""
    named = [
        [{"name": {"other": "A very long name of a metric " * 6}}, {"name": {"other": "F-beta"}, "abbreviation": "F1"}],
        [{"name": "jaccard_index"}, {"name": {"other": "Area under the curve"}, "abbreviation": "AUC"}],
    ]
    tasks = [
        {"key": f"task-{number}", "task_name": name, "metrics": rows}
        for number, (name, rows) in enumerate(zip(("Detection", "Classification"), named, strict=True), start=1)
    ]
    document, _ = from_json({"challenge": {}, "tasks": tasks}, catalogue=shipped(), lenient=True)
    metrics = dict(record_facts(document))["Metrics"]
    first, _, second = metrics.partition("; ")
    assert first.startswith("Detection: A very long name")
    assert len(first) < 130
    assert second == "Classification: Jaccard index, AUC"


def test_the_line_of_a_part_neither_ends_in_a_colon_nor_says_none_of_what():
    blocks = [
        Block("text", "Registered here, evaluated elsewhere:"),
        Block("text", "none"),
        Block("text", "Single ranking"),
    ]
    assert _line(blocks) == "Registered here, evaluated elsewhere · Single ranking"


def test_a_fact_of_several_tasks_names_each_value_once():
    modalities = (["mri", "ct"], ["ct"])
    tasks = [{"key": f"task-{number}", "imaging_modality": names} for number, names in enumerate(modalities, start=1)]
    document, _ = from_json({"challenge": {}, "tasks": tasks}, catalogue=shipped(), lenient=True)
    told = dict(record_facts(document))["Modality"]
    assert told.count("Computed Tomography") == 1
