"""Settings of Grand Challenge become proposals: each setting is mapped exactly or asked, and nothing is invented."""

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.designs.imports import DesignFileError, is_grand_challenge, read_design_file

FOLDER = Path(__file__).resolve().parents[2] / "data" / "grand_challenge"


def read(name):
    result = read_design_file(FOLDER / name)
    return {item.parameter: item for item in result.proposals}, result


def stated(found):
    """Values that are proposed without a question."""
    return {name: item.entry.value for name, item in found.items() if item.is_exact}


def test_a_phase_for_predictions_is_mapped_exactly():
    found, result = read("phase.json")
    assert stated(found) == {
        "challenge_name": "Polyp Segmentation in Endoscopy",
        "challenge_acronym": "PolypSeg27",
        "challenge_schedule": [
            {"event": "submission_open", "date": "2027-03-01", "time": "09:00 UTC", "phase": "Validation"},
            {"event": "submission_deadline", "date": "2027-08-15", "time": "21:59 UTC", "phase": "Validation"},
        ],
        "phase_settings": [{"phase": "Validation", "submissions_per_day": 3}],
        "submission_method": ["evaluation_platform"],
        "submission_instructions": "Upload one ZIP file with a mask for each image.",
    }
    assert found["challenge_schedule"].words.endswith("submissions_close_at: 2027-08-15T23:59:00+02:00")
    assert result.source_words == "file of Grand Challenge"


def test_metrics_ranking_and_task_are_asked():
    found, result = read("phase.json")
    assert found["metrics"].entry.value == [
        {
            "name": {"other": "Mean Dice"},
            "abbreviation": "Mean Dice",
            "definition": "aggregates.dice.mean in metrics.json",
            "orientation": "higher",
            "used_for_ranking": True,
        },
        {
            "name": {"other": "Mean HD95 (mm)"},
            "abbreviation": "Mean HD95 (mm)",
            "definition": "aggregates.hd95.mean in metrics.json",
            "orientation": "lower",
            "used_for_ranking": False,
        },
    ]
    assert "Which metric of the catalogue" in found["metrics"].question
    [ranking] = found["ranking_method"].entry.value
    assert ranking["metrics"] == ["Mean Dice"]
    assert "scheme" not in ranking
    assert found["counted_submission_rule"].suggestions == ("best",)
    assert found["challenge_platform"].suggestions == ("grand_challenge", "this_platform")
    asked = {name for name, item in found.items() if item.question}
    assert asked == {"metrics", "ranking_method", "counted_submission_rule", "challenge_platform", "task_name"}
    assert "display_all_metrics: true" in result.unplaced[0].words


def test_serialized_phases_for_algorithms_with_a_preliminary_phase():
    found, _ = read("phases.json")
    assert stated(found) == {
        "challenge_name": "Lesions in Whole-Body PET",
        "challenge_acronym": "PETLES",
        "challenge_abstract": "Segment lesions in FDG-PET/CT of two hospitals.",
        "submission_method": ["docker_container"],
    }
    assert "When do submissions close in Preliminary Test?" in found["challenge_schedule"].question
    assert [row["phase"] for row in found["challenge_schedule"].entry.value] == [
        "Preliminary Test",
        "Final Test",
        "Final Test",
    ]
    limits = found["phase_settings"]
    assert limits.entry.value == [{"phase": "Preliminary Test"}, {"phase": "Final Test", "submissions_in_total": 1}]
    assert limits.question.startswith("Preliminary Test permits 2 submissions in 7 days.")
    assert found["algorithm_execution"].entry.value == {"case_seconds": 900.0, "memory_mib": 32768}
    assert "The phases offer T4, A10G." in found["algorithm_execution"].question
    assert "phases of one task, or different tasks" in found["task_name"].question
    # Equal in both phases, therefore one ranking.
    [ranking] = found["ranking_method"].entry.value
    assert ranking["metrics"] == ["Dice", "Volume error (%)"]
    assert "Algorithm Description" in found["method_description_requirement"].words
    assert found["method_description_requirement"].entry.value is None


def test_a_challenge_pack_gives_the_files_of_algorithms():
    found, _ = read("pack.json")
    assert stated(found) == {
        "challenge_acronym": "vessels27",
        "submission_method": ["docker_container"],
        "algorithm_execution": {
            "adapter": "grand_challenge",
            "input_slug": "head-ct-angiography",
            "input_path": "images/head-ct-angio",
            "output_slug": "head-angio-segmentation",
            "output_path": "images/head-angio-segmentation",
        },
    }
    assert found["challenge_website"].question


def test_what_the_api_returns_about_evaluations_and_challenges_is_read(tmp_path):
    phase = {"challenge": {"title": "Polyps", "short_name": "P27"}, "title": "Final", "slug": "final"}
    evaluation = {"pk": "1", "submission": {"pk": "2", "phase": phase}, "rank": 1, "outputs": []}
    public = {"slug": "P27", "title": "Polyps", "submission_types": ["Algorithm"], "description": "Find polyps."}
    for data, expected in (
        ({"count": 2, "next": None, "previous": None, "results": [evaluation, evaluation]}, "Final"),
        ([public, phase], "Final"),
        (phase, "Final"),
    ):
        path = tmp_path / "api.json"
        path.write_text(json.dumps(data))
        found = {item.parameter: item for item in read_design_file(path).proposals}
        assert found["challenge_name"].entry.value == "Polyps"
        assert expected in found["task_name"].words
        assert "phase_settings" not in found
        assert ("submission_method" in found) == ("submission_types" in str(data))


def test_every_setting_of_a_file_is_mapped_asked_listed_or_only_display():
    """A key that no rule reads must be one that changes only how Grand Challenge shows or bills something."""
    shown_only = {
        *("title", "slug", "challenge", "archive", "score_error_jsonpath", "score_decimal_places"),
        *("allow_submission_comments", "display_submission_comments", "show_supplementary_file_link"),
        *("supplementary_url_label", "supplementary_url_help_text", "show_supplementary_url"),
        *("average_algorithm_job_duration", "compute_cost_euro_millicents"),
        "submission_page_markdown",  # its words are those of the proposal
    }
    for name in ("phase.json", "phases.json"):
        found, result = read(name)
        text = "\n".join([item.words for item in found.values()] + [item.words for item in result.unplaced])
        data = json.loads((FOLDER / name).read_text())
        phases = [data] if isinstance(data, dict) else [row["fields"] for row in data[1:]]
        for key in {key for phase in phases for key, value in phase.items() if value not in (None, "", [])}:
            is_default = key.startswith("supplementary_file") and all(
                phase["supplementary_file_choice"] == "off" for phase in phases
            )
            assert key in text or key in shown_only or is_default, key


BROKEN = {
    "a date that is none": ({"submissions_close_at": "soon"}, r"Validation: submissions_close_at is soon, which is no"),
    "a date without a zone": ({"submissions_open_at": "2027-03-01T09:00:00"}, "which has no time zone"),
    "an end before the start": ({"submissions_close_at": "2027-01-01T00:00:00Z"}, "is before submissions_open_at"),
    "another order": ({"score_default_sort": "up"}, "score_default_sort is up; possible are desc, asc"),
    "a kind that was removed": ({"submission_kind": 2}, "submission_kind is 2; possible are 1, 3"),
    "a limit that is no number": ({"submissions_limit_per_user_per_period": "3"}, "which is no whole number"),
    "a column without a path": ({"extra_results_columns": [{"title": "A"}]}, "a column without title, path or order"),
    "no title": ({"title": " "}, "Phase 1 has no title"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_the_setting_and_the_reason(tmp_path, name):
    changes, reason = BROKEN[name]
    path = tmp_path / "phase.json"
    path.write_text(json.dumps(json.loads((FOLDER / "phase.json").read_text()) | changes))
    with pytest.raises(DesignFileError, match=reason) as error:
        read_design_file(path)
    assert error.value.remedy


def test_a_file_that_was_cut_off_or_is_something_else_is_refused(tmp_path):
    path = tmp_path / "phase.json"
    path.write_bytes((FOLDER / "phase.json").read_bytes()[:200])
    with pytest.raises(DesignFileError, match=r"no complete JSON \(line \d+"):
        read_design_file(path)
    path.write_bytes(b"[" * 200_000)
    with pytest.raises(DesignFileError, match=r"nested too deeply|no complete JSON"):
        read_design_file(path)
    for data in ({"challenge": {"challenge_name": "X"}, "tasks": []}, [], {"title": "X", "slug": "x"}):
        assert not is_grand_challenge(data)
        path.write_text(json.dumps(data))
        with pytest.raises(DesignFileError, match="contains no phase of Grand Challenge"):
            read_design_file(path)


def test_phases_of_two_challenges_are_refused(tmp_path):
    phase = json.loads((FOLDER / "phase.json").read_text())
    other = phase | {"title": "Final", "challenge": {"title": "Other", "short_name": "OTHER"}}
    path = tmp_path / "two.json"
    path.write_text(json.dumps([phase, other]))
    with pytest.raises(DesignFileError, match="phases of two challenges"):
        read_design_file(path)
    path.write_text(json.dumps([phase, phase]))
    with pytest.raises(DesignFileError, match="Two phases have the title Validation"):
        read_design_file(path)


def test_the_command_writes_the_exact_values_and_lists_the_questions(tmp_path, capsys):
    output = tmp_path / "design.json"
    assert main(["design", "import", str(FOLDER / "phase.json"), "--output", str(output)]) == 0
    assert json.loads(output.read_text())["challenge"]["challenge_acronym"] == "PolypSeg27"
    told = capsys.readouterr().err
    assert "Draft from a file of Grand Challenge: 6 fields" in told
    assert "open: [metrics, task 1] Which metric" in told
