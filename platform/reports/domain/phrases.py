"""Phrases for the registered values of a design, by parameter and choice.

`reports.domain.registered` defines when each phrase is true.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from evaluation.wording import joined
from reports.exposure.domain.words import capitalized

_CODE: Final = "the code of the teams"
CHOICES: Final[Mapping[str, Mapping[str, str]]] = {
    "life_cycle_type": {
        "one_time_fixed_deadline": "The challenge was planned as a one-time event with a fixed submission deadline.",
        "repeated_fixed_deadline": "The challenge is repeated, each time with a fixed submission deadline.",
        "one_time_open_call": "The challenge was planned as a one-time event that takes submissions after its deadline, too.",
        "repeated_open_call": "The challenge is repeated and takes submissions after its deadlines, too.",
    },
    "challenge_venue": {"none": "It was planned online, without an associated event."},
    "challenge_platform": {
        "this_platform": "It was planned to run on this platform.",
        "own_website": "It was planned to run on a website of its own.",
        "none": "It was planned to run without a hosting platform.",
    },
    "interaction_level_handling": {
        "indication": "The ranking marks the level of interaction of each method.",
        "separate_ranking": "Fully automatic methods are ranked apart.",
        "only_automatic": "Only automatic methods were allowed.",
        "weighting": "Automatic methods are weighted higher in the ranking.",
    },
    "training_data_policy": {
        "no_training_data": "The task needs no training data.",
        "challenge_data_only": "Methods were to be trained on the data of the challenge alone.",
        "public_data_allowed": "Publicly available data and pre-trained networks could be added to the training data.",
        "public_pretrained_only": "Publicly available pre-trained networks could be used, but no further data.",
        "private_data_allowed": "Private data could be added to the training data.",
    },
    "organizer_participation_policy": {
        "not_allowed": "Members of the organizers' institutes were not to participate.",
        "allowed_unranked": "Members of the organizers' institutes could participate without award and outside of the leaderboard.",
        "allowed_ranked_no_award": "Members of the organizers' institutes could participate and be listed, but not win awards.",
        "allowed_separate_listing": "Members of the organizers' institutes could participate, listed apart and marked as such.",
        "allowed_fully": "Members of the organizers' institutes could participate without restriction.",
    },
    "results_announcement_policy": {
        "all_public": "All results were to be announced publicly.",
        "top_three_public": "The three best methods were to be announced publicly.",
        "top_n_public": "A number of the best methods were to be announced publicly.",
        "team_choice": "The teams were to choose whether their results become public.",
        "anonymous_listing": "All results were to be listed, with teams anonymous where they wished.",
    },
    "independent_publication_policy": {
        "allowed_immediately": "Teams may publish their own results at any time.",
        "allowed_after_embargo": "Teams may publish their own results after an embargo.",
        "allowed_after_challenge_paper": "Teams may publish their own results once the challenge paper is public.",
        "not_allowed": "Teams may not publish their own results.",
    },
    "incomplete_submissions_allowed": {
        "no": "Incomplete submissions were to be rejected.",
        "yes_penalized": "Incomplete submissions were to be accepted, with a penalty for missing cases.",
        "yes_tasks_only": "Teams could skip tasks, but no case within a task.",
        "yes_ignored": "Incomplete submissions were to be accepted, and missing cases ignored.",
    },
    "counted_submission_rule": {
        "last": "The last valid submission of a team was to count.",
        "selected_by_team": "The submission was to count that the team chose before results were shown.",
        "best": "The best submission of a team was to count.",
        "only_one": "Each team could make one submission.",
    },
    "pre_evaluation_method": {
        "none": "No evaluation before the final one was planned.",
        "private_results": "Teams were to see results of their own before the final evaluation.",
        "public_leaderboard_pretest": "A public leaderboard on another test set was planned before the final evaluation.",
        "validation_dataset": "Teams were to see results on a validation set before the final evaluation.",
        "feedback_on_test_set": "Teams were to see results on the final test set before the final evaluation.",
    },
    "ethics_status": {
        "approved": "Ethics approval was required and obtained.",
        "pending": "Ethics approval was required and was to be there when the challenge began.",
        "not_needed_in_silico": "No ethics approval was needed, since the validation is in silico.",
        "not_needed_public_database": "No ethics approval was required, since the data come from a public database.",
        "covered_by_source": "The data are covered by the ethics approval of their source.",
        "not_needed_anonymized": "No ethics approval was needed, since the data are fully anonymized.",
        "not_needed_other": "No ethics approval was needed.",
    },
    "data_license": {
        "no_redistribution": "The data may not be passed on outside of a registered team.",
        "all_purposes_with_citation": "The data may be used for any purpose, provided that the challenge is cited.",
        "custom_agreement": "The data come with a usage agreement of their own.",
    },
    "evaluation_code_availability": {
        "not_available": "The evaluation software is not available.",
        "public": "The evaluation software is public.",
        "partial": "The evaluation software is available in part.",
        "after_registration": "The evaluation software is available after registration.",
        "on_platform_only": "The evaluation software runs on the evaluation platform alone, where its code can be seen.",
    },
    "participant_code_availability": {
        "required_public": f"Release of {_CODE} as open source was required.",
        "required_to_organizers": f"Release of {_CODE} to the organizers was required.",
        "required_for_awards": f"Release of {_CODE} was required for awards.",
        "encouraged": f"Release of {_CODE} was encouraged.",
        "not_collected": f"Release of {_CODE} was not asked for.",
    },
    "split_strategy": {
        "no_training_data": "No training data were provided, so that there was nothing to split.",
        "random": "Cases were assigned to training and test at random.",
        "balanced": "Cases were assigned to training and test with positive and negative ones balanced.",
        "fixed_ratio": "Cases were assigned to training and test by a fixed ratio.",
        "stratified": "Cases were assigned to training and test stratified by class or characteristic.",
        "by_center_or_device": "Cases were assigned to training and test by centre or device.",
        "by_subject": "Cases were assigned to training and test by subject or procedure.",
        "by_time": "Cases were assigned to training and test by the time of acquisition.",
    },
    "ranking_type": {
        "single_ranking": "The teams are ranked in a single ranking.",
        "multiple_rankings": "The teams are ranked in several separate rankings.",
        "no_ranking": "The teams are not ranked; results are only reported.",
    },
    "tie_handling": {
        "standard_competition": "Teams that tie share the better rank (1, 2, 2, 4).",
        "modified_competition": "Teams that tie share the worse rank (1, 3, 3, 4).",
        "dense": "Teams that tie share a rank, and no rank is skipped (1, 2, 2, 3).",
        "ordinal": "Ties are broken by a second criterion or at random (1, 2, 3, 4).",
        "fractional": "Teams that tie share the mean of their ranks (1, 2.5, 2.5, 4).",
    },
    "missing_data_handling": {
        "not_allowed": "Submissions with missing cases are not evaluated.",
        "worst_value": "Missing cases get the worst possible value of the metric.",
        "worst_rank": "Missing cases get the last rank.",
        "counted_as_incorrect": "Missing results count as incorrect.",
        "ignored": "Missing cases are ignored.",
    },
}
"""Whole sentences by choice; a choice that is missing here takes the pattern of its parameter."""
RATERS: Final = {
    "ground_truth_from_simulation_exact": "is exact ground truth from a simulation",
    "reference_from_algorithm": "was made by an algorithm",
    "reference_from_single_human_rater": "was made by a single human rater",
    "reference_from_multiple_human_raters": "was made by several human raters",
    "hybrid": "was begun by an algorithm and refined by an expert",
    "clinical_practice": "comes from clinical practice",
    "crowdsourced": "was crowdsourced",
    "validated_method": "was acquired by methods that were validated before",
}
MERGED: Final = {
    "no_aggregation": "were not merged",
    "majority_vote": "were merged by majority vote",
    "additional_annotator": "were merged by a further annotator who resolved conflicts",
    "average": "were averaged",
    "strict": "were combined strictly: positive only where all annotators agree",
    "ranking_per_annotator": "were not merged; there is a ranking for each annotator",
    "consensus": "were merged by consensus of a group",
    "staple": "were merged by STAPLE",
    "simple": "were merged by SIMPLE",
    "lsml": "were merged by a level-set approach (LSML)",
    "single_annotator": "need no merging, since there is one annotator",
}
DATA: Final = {"training": "training data", "test": "test data"}
PATTERNS: Final[Mapping[str, str]] = {
    "challenge_venue": "It was associated with {}.",
    "challenge_platform": "It was planned to run on {}.",
    "challenge_acronym": "Its acronym is {}.",
    "task_name": "The task is called “{}”.",
    "data_license": "The data are licensed under {}.",
    "embargo_period": "The embargo lasts: {}.",
    "challenge_website": "The challenge has a page of its own: {}.",
    "submission_instructions_url": "The instructions are public: {}.",
    "evaluation_code_url": "It stands at {}.",
    "annotation_protocol_url": "The protocol of the annotation is public: {}.",
    "max_submissions": "Submissions that a team could make: {}.",
    "max_methods_per_team": "Methods that a team could enter: {}.",
    "number_of_annotators_training": "Annotators of each training case: {}.",
    "number_of_annotators_test": "Annotators of each test case: {}.",
    "statistical_software": "Statistics were planned with {}.",
}
"""Sentences around a value of one word or number, which appears as it was written."""
NONE: Final[Mapping[str, str]] = {
    "funding_and_sponsorship": "The organizers state that there was no funding or sponsorship.",
    "conflicts_of_interest": "The organizers state that there are no conflicts of interest.",
    "context_information_image": "No context information on the images was given, as the organizers state.",
    "context_information_patient": "No context information on the patients was given, as the organizers state.",
    "context_information_acquisition": "No context information on the acquisition was given, as the organizers state.",
}
"""Statements of the organizers for parameters without a value."""
LISTS: Final[Mapping[str, str]] = {
    "interaction_level_policy": "Allowed were methods of these levels of interaction: {}.",
    "submission_method": "Submissions were to be handed in as: {}.",
    "field_of_application": "The field of application is {}.",
    "task_category": "The task is one of {}.",
    "imaging_modality": "The images come from {}.",
    "uncertainty_handling": "The uncertainty of the ranking was planned to be assessed by: {}.",
    "statistical_tests": "Planned statistical tests: {}.",
    "planned_further_analyses": "Further analyses were planned: {}.",
    "challenge_keywords": "Registered: {}.",
}
"""Sentences around several values."""
NOTHING: Final[Mapping[str, str]] = {
    "uncertainty_handling": "No assessment of the uncertainty of the ranking was planned.",
    "statistical_tests": "No statistical tests were planned.",
}
"""Sentences for parameters with several values if the chosen value is “none”."""
ROWS: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "organizing_team": ("The organizers were", "Name", ("Affiliation", "Role")),
    "people": ("The organizers were", "Name", ("Affiliation",)),
    "contact_person": ("Questions are answered by", "Name", ("Affiliation",)),
    "challenge_schedule": (
        "Planned dates:",
        "Event",
        ("Date", "End date (for periods)", "Time and time zone", "Phase or task", "Note"),
    ),
    "acquisition_devices": (
        "Images were acquired with",
        "Device",
        ("Data set or split", "Manufacturer", "Purpose", "Note"),
    ),
    "acquisition_protocols": ("Protocols of the acquisition:", "Description", ("Data set or split",)),
    "data_centers": ("The data come from", "Centre or source", ("Country", "URL")),
    "case_table": (
        "Cases by part:",
        "Data set or stratum",
        ("Split", "Stage or phase", "Number of cases", "Unit (image, volume, clip)", "Number of subjects", "Note"),
    ),
    "ethics_approval_details": (
        "The approval is that of",
        "Institutional review board",
        ("Location", "Date", "Approval number", "Document URL"),
    ),
    "assessment_aims": ("Assessed properties:", "Property", ("Description and acceptable level",)),
    "annotators_training": (
        "Training data were annotated by",
        "Annotator group",
        ("Number", "Level of expertise, years of experience"),
    ),
    "annotators_test": (
        "Test data were annotated by",
        "Annotator group",
        ("Number", "Level of expertise, years of experience"),
    ),
    "annotation_error_sources": (
        "Known errors of the annotation:",
        "Error source",
        ("Quantification", "Magnitude or range", "Applies to"),
    ),
    "test_label_access": (
        "As the organizers state, labels of test cases were open to",
        "Person or group",
        ("Affiliation", "From", "Until", "Reason"),
    ),
}
"""Start of the sentence, first column and columns in parentheses for each table of the design."""
_LABELLED: Final = frozenset(
    {"Number", "Number of cases", "Number of subjects", "Applies to", "From", "Until", "Purpose", "Quantification"}
)
"""Columns whose cells need their name to be understood."""


def table_words(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, topic: str = "") -> str:
    """Return a small table as a sentence, with a cell of each row followed by others in parentheses.

    Parameters
    ----------
    topic
        A parameter or name of `ROWS`, which defines the sentence. Without it, all cells follow their column names.

    Examples
    --------
    >>> table_words("Centres", ("Centre", "Country"), [("Oslo", "Norway"), ("Bergen", "")])
    'Centres: Oslo (country: Norway); Bergen.'
    >>> table_words("Centres", ("Data set or split", "Centre or source", "Country"), [("all", "Oslo", "Norway")], topic="data_centers")
    'The data come from Oslo (Norway).'
    """
    lead, first, beside = ROWS.get(topic, (f"{capitalized(title)}:", columns[0] if columns else "", tuple(columns[1:])))
    row_phrases = []
    for row in rows:
        cells = {
            column: " ".join(str(cell).split()).rstrip(".")
            for column, cell in zip(columns, row, strict=True)
            if cell not in ("", "–")
        }
        behind = [
            f"{_lower(column)}: {cells[column]}" if topic not in ROWS or column in _LABELLED else cells[column]
            for column in beside
            if column in cells
        ]
        head = cells.get(first) or (behind.pop(0) if behind else "")
        if head:
            row_phrases.append(f"{head} ({'; '.join(behind)})" if behind else head)
    if not row_phrases:
        return ""
    is_listed = topic not in ROWS or any(mark in part for part in row_phrases for mark in ";,")
    joined_rows = "; ".join(row_phrases) if is_listed else joined(row_phrases)
    return f"{lead} {joined_rows}."


def _lower(column: str) -> str:
    return column if column[:2].isupper() else column[:1].lower() + column[1:]
