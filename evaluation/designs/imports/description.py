"""The structured description of a challenge design of the MICCAI conferences: its headings, items and own words.

The form prints its instructions above each answer. `Item.prompts` identifies them by their first and last words, so
that an answer contains only what the organizers wrote. The items follow the BIAS guideline (Maier-Hein et al.,
Medical Image Analysis 66, 2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CHALLENGE: Final = "challenge"
TASK: Final = "task"


@dataclass(frozen=True, slots=True)
class Role:
    """Rule by which an answer of the form gives the value of a parameter.

    Attributes
    ----------
    parameter
        Id in the catalogue.
    rule
        Name of a rule of `evaluation.designs.imports.values`.
    """

    parameter: str
    rule: str


@dataclass(frozen=True, slots=True)
class Item:
    """One answer of the form.

    Attributes
    ----------
    letter
        Letter of the answer below its heading; empty for the only one.
    roles
        Parameters that the answer describes. Empty for an answer without a field in the catalogue.
    prompts
        Instructions of the form in order, each as ``first words … last words``, or complete if it is short. Editions
        of the first one are separated by ``||``.
    titles
        Other headings under which documents give this answer.
    """

    letter: str
    roles: tuple[Role, ...]
    prompts: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the form, and the answers below it.

    Attributes
    ----------
    part
        `CHALLENGE` or `TASK`.
    names
        The heading in the editions of the form.
    notes
        Instructions above the first answer.
    """

    part: str
    names: tuple[str, ...]
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()


SECTIONS: Final = {
    CHALLENGE: (
        "CHALLENGE ORGANIZATION",
        "FURTHER INFORMATION FOR CONFERENCE ORGANIZERS",
        "FURTHER INFORMATION FOR MICCAI ORGANIZERS",
        "ADDITIONAL POINTS",
    ),
    TASK: (
        "SUMMARY",
        "ORGANIZATION",
        "MISSION OF THE CHALLENGE",
        "DATA SETS",
        "CHALLENGE DATA SETS",
        "ASSESSMENT METHODS",
    ),
}
"""Headings above headings: they carry no answer."""


def _roles(text: str) -> tuple[Role, ...]:
    return tuple(Role(*pair.split(":")) for pair in text.split())


def _item(letter: str, roles: str, *prompts: str, titles: tuple[str, ...] = ()) -> Item:
    return Item(letter, _roles(roles), prompts, titles)


def _heading(part: str, names: str, *items: Item, notes: tuple[str, ...] = ()) -> Heading:
    return Heading(part, tuple(names.split(" / ")), items, notes)


_EXAMPLES: Final = "Examples:"
_LICENCES: Final = tuple(
    f"CC {short} ({words})"
    for short, words in (
        ("BY", "Attribution"),
        ("BY-SA", "Attribution-ShareAlike"),
        ("BY-ND", "Attribution-NoDerivs"),
        ("BY-NC", "Attribution-NonCommercial"),
        ("BY-NC-SA", "Attribution-NonCommercial-ShareAlike"),
        ("BY-NC-ND", "Attribution-NonCommercial-NoDerivs"),
    )
)
_FIELDS: Final = (
    "Diagnosis",
    "Education",
    "Intervention assistance",
    "Intervention follow-up",
    "Intervention planning",
    "Prognosis",
    "Research",
    "Screening",
    "Training",
    "Cross-phase",
)
_CATEGORIES: Final = (
    "Classification",
    "Detection",
    "Localization",
    "Modeling",
    "Prediction",
    "Reconstruction",
    "Registration",
    "Retrieval",
    "Segmentation",
    "Tracking",
)
_SUMMARY: Final = "Provide a summary of the … biomedical impact of the challenge"

HEADINGS: Final = (
    _heading(CHALLENGE, "Title", _item("", "challenge_name:text", "Use the title to convey … challenge mission")),
    _heading(
        CHALLENGE,
        "Challenge acronym / Acronym",
        _item("", "challenge_acronym:text", "Preferable, provide a short … (if any) || Preferably, provide … (if any)"),
    ),
    _heading(CHALLENGE, "Challenge abstract / Abstract", _item("", "challenge_abstract:text", _SUMMARY)),
    _heading(
        CHALLENGE,
        "Challenge keywords / Keywords",
        _item("", "challenge_keywords:tags", "List the primary keywords … the challenge"),
    ),
    _heading(CHALLENGE, "Year", _item("", "challenge_year:year", "The challenge will take place in")),
    _heading(CHALLENGE, "Novelty of the challenge", _item("", "", "Briefly describe … novelty of the challenge")),
    _heading(
        CHALLENGE,
        "Task description and application scenarios",
        _item("", "", "Briefly describe … tasks in the challenge"),
    ),
    _heading(CHALLENGE, "Lighthouse challenge agreement", _item("", "")),
    _heading(CHALLENGE, "Lighthouse challenge information", _item("", "", "In two sentences … a lighthouse challenge")),
    _heading(CHALLENGE, "Previous challenge(s)", _item("", "", "What is the closest … total data set")),
    _heading(CHALLENGE, "Test set status", _item("", "", "Was the test set … publicly available")),
    _heading(
        CHALLENGE,
        "What major scientific advances or insights are expected from the challenge?",
        _item("", "", "Please describe the major … answers or solutions"),
    ),
    _heading(CHALLENGE, "Clinical body affiliation", _item("", "", "Please describe your … set to impact")),
    _heading(CHALLENGE, "Deadline for data acquisition and annotation", _item("", "", "What’s the … and annotation")),
    _heading(
        CHALLENGE, "How much prize money has been secured?", _item("", "", "Please state how … for the challenge")
    ),
    _heading(
        CHALLENGE,
        "Computing requirements per participant",
        _item("", "", "Roughly estimate … per challenge participant"),
    ),
    _heading(
        CHALLENGE,
        "Workshop",
        _item("", "event_workshop:text", "If the challenge is part … indicate the workshop"),
    ),
    _heading(
        CHALLENGE,
        "Duration",
        _item("", "event_duration:choice", "How long does the challenge take"),
        _item("", "", "In case you selected half … for your challenge"),
    ),
    _heading(
        CHALLENGE,
        "Expected number of participants",
        _item("", "expected_participants:number", "Please explain the basis … willingness to contribute"),
    ),
    _heading(
        CHALLENGE,
        "Publication and future plans",
        _item("", "publication_and_future_plans:text", "Please indicate if you … challenge results"),
    ),
    _heading(
        CHALLENGE,
        "MICCAI LNCS proceedings",
        _item("", "", "Indicate if you want to offer … publication process"),
    ),
    _heading(
        CHALLENGE,
        "Collaboration with European Society of Radiology (ESR)",
        _item(
            "",
            "",
            "In collaboration with European … corresponding clinician",
            "Challenge in collaboration … contact point",
        ),
    ),
    _heading(
        CHALLENGE,
        "Space and hardware requirements",
        _item("", "space_and_hardware_requirements:text", "Organizers of on-site … provided to all"),
    ),
    _heading(TASK, "Abstract", _item("", "task_description:task_abstract", _SUMMARY)),
    _heading(TASK, "Keywords", _item("", "challenge_keywords:tags", "List the primary keywords … the task")),
    _heading(
        TASK,
        "Organizers",
        _item("a", "organizing_team:people", "Provide information on the organizing … affiliations"),
        _item("b", "contact_person:contact", "Provide information on the primary contact person"),
        _item("c", "", "Indicate whether clinicians … their role"),
    ),
    _heading(
        TASK,
        "Life cycle type",
        _item(
            "",
            "life_cycle_type:choice continuation_plan:ask",
            "Define the intended submission … has taken place",
            "Not every challenge closes … repeated event",
            _EXAMPLES,
            "One-time event with fixed conference submission deadline",
            "One-time event with fixed submission deadline",
            "Open call (challenge … conference deadline)",
            "Open call",
            "Repeated event with annual … submission deadline",
        ),
    ),
    _heading(
        TASK,
        "Challenge venue and platform",
        _item("a", "challenge_venue:choice", "Report the event … challenge (if any)"),
        _item("b", "challenge_platform:choice", "Report the platform … run the challenge"),
        _item("", "", "Do you agree that … you indicated", "Please note: … submission request)"),
        _item("c", "challenge_website:url", "Provide the URL … website (if any)"),
    ),
    _heading(
        TASK,
        "Participation policies",
        _item(
            "a",
            "interaction_level_policy:choice",
            "Define the allowed user … methods allowed || Define the allowed user … training steps",
        ),
        _item(
            "b",
            "training_data_policy:choice",
            "Define the policy on the usage of training data",
            "The data used to train … pre-trained nets",
            "Clarify whether such … public data is allowed",
        ),
        _item(
            "c",
            "organizer_participation_policy:choice",
            "Define the participation policy … organizers' institutes",
            "For example, members … for awards",
        ),
        _item("d", "award_policy:text", "Define the award policy", "In particular, provide … challenge prizes"),
        _item(
            "e",
            "results_announcement_policy:choice",
            "Define the policy for result announcement || Define the policy for results announcement",
            _EXAMPLES,
            "Top 3 performing … announced publicly",
            "Participating teams can … made public",
        ),
        _item(
            "f",
            "publication_policy:text independent_publication_policy:ask embargo_period:ask",
            "Define the publication policy",
            "In particular, provide details on",
            "who of the participating … as author",
            "whether the participating … and (if so)",
            "whether an embargo time … paper first",
        ),
    ),
    _heading(
        TASK,
        "Submission method",
        _item(
            "a",
            "submission_instructions:text submission_method:choice submission_instructions_url:url",
            "Describe the method used for result submission",
            "Preferably, provide a link to the submission instructions",
            _EXAMPLES,
            "Docker container on the Synapse … <URL>",
            "Algorithm output was … sent by e-mail",
        ),
        _item(
            "b",
            "pre_evaluation_method:choice max_submissions:ask counted_submission_rule:ask",
            "Provide information on the possibility … final results",
            "For example, many … challenge results",
        ),
    ),
    _heading(
        TASK,
        "Challenge schedule / Challenge schedules",
        _item(
            "",
            "challenge_schedule:dates",
            "Provide a timetable for the challenge",
            "Preferably, this should include",
            "the release date(s) of the training cases (if any)",
            "the registration date/period",
            "the release date(s) of the test … (if any)",
            "the submission date(s)",
            "associated workshop days (if any)",
            "the release date(s) of the results",
        ),
    ),
    _heading(
        TASK,
        "Ethics approval",
        _item(
            "",
            "ethics_status:choice ethics_approval_details:ask",
            "Indicate whether ethics approval is necessary … approval (if available)",
        ),
    ),
    _heading(
        TASK,
        "Data usage agreement",
        _item(
            "",
            "data_usage_agreement:text data_license:choice",
            "Clarify how the data can … and after the challenge",
            "This should include the … license applied",
            _EXAMPLES,
            *_LICENCES,
            "Please note that the data license … the proposal",
        ),
    ),
    _heading(
        TASK,
        "Code availability",
        _item(
            "a",
            "evaluation_code_availability:choice evaluation_code_url:url",
            "Provide information on the accessibility of the organizers … produce rankings",
            "Preferably, provide a link … supported platforms",
        ),
        _item("b", "participant_code_availability:choice", "In an analogous manner, provide … teams' code"),
    ),
    _heading(
        TASK,
        "Conflicts of interest",
        _item(
            "",
            "conflicts_of_interest:text funding_and_sponsorship:ask test_label_access:ask",
            "Provide information related to conflicts of interest",
            "In particular provide … of the challenge",
            "Also, state explicitly … labels and when",
        ),
    ),
    _heading(
        TASK,
        "Field(s) of application",
        _item("", "field_of_application:choice", "State the main field(s) … algorithms target", _EXAMPLES, *_FIELDS),
    ),
    _heading(
        TASK,
        "Task category(ies) / Task categories",
        _item("", "task_category:choice", "State the task category(ies)", _EXAMPLES, *_CATEGORIES),
    ),
    _heading(
        TASK,
        "Cohorts",
        _item(
            "a", "target_cohort:text", "Describe the target cohort … biomedical application", titles=("Target cohort",)
        ),
        _item(
            "b", "challenge_cohort:text", "Describe the challenge cohort … was acquired", titles=("Challenge cohort",)
        ),
        notes=("We distinguish between the target … (target cohort)",),
    ),
    _heading(
        TASK,
        "Imaging modality(ies) / Imaging modality / Imaging modalities",
        _item("", "imaging_modality:choice", "Specify the imaging technique(s) … the challenge"),
    ),
    _heading(
        TASK,
        "Context information",
        _item("a", "context_information_image:text", "directly to the image … tumor volume"),
        _item("b", "context_information_patient:text", "to the patient in general … medical history"),
        notes=("Provide additional information given … may correspond",),
    ),
    _heading(
        TASK,
        "Target entity(ies) / Target entities",
        _item(
            "a",
            "data_origin:text",
            "Describe the data origin … fluoroscopy video",
            "If necessary, differentiate … challenge cohort",
            titles=("Data origin",),
        ),
        _item(
            "b",
            "algorithm_target:text",
            "Describe the algorithm target … fluoroscopy scan",
            "If necessary, differentiate … challenge cohort",
            titles=("Algorithm target",),
        ),
    ),
    _heading(
        TASK,
        "Assessment aim(s) / Assessment aims",
        _item(
            "",
            "assessment_aims:rows.description",
            "Identify the property(ies) … in the challenge",
            "If multiple properties … if appropriate",
            "The properties should then … different properties",
            "Example 1: Find highly … CT images",
            "Example 2: Find lung … mammography images",
            "Corresponding metrics are listed … metric(s)",
        ),
    ),
    _heading(
        TASK,
        "Data source(s) / Data sources",
        _item(
            "a",
            "acquisition_devices:lines.device",
            "Specify the device(s) used … challenge data",
            "This includes details … surgical setting",
            titles=("Acquisition devices", "Acquisition device(s)"),
        ),
        _item(
            "b",
            "acquisition_protocols:rows.description",
            "Describe relevant details … acquisition protocol(s)",
            titles=("Acquisition protocol", "Acquisition protocol(s)"),
        ),
        _item(
            "c",
            "data_centers:lines.center",
            "Specify the center(s)/institute(s) … previous challenge",
            "If this information is not … specify why",
            titles=("Center", "Center(s)"),
        ),
        _item(
            "d",
            "acquisition_subjects:lines.note",
            "Describe relevant characteristics … process (if any)",
            titles=("Characteristics of the subjects",),
        ),
    ),
    _heading(
        TASK,
        "Training and test case characteristics",
        _item(
            "a",
            "case_definition:text",
            "State what is meant by one case in this challenge",
            "A case encompasses all … algorithm output",
            _EXAMPLES,
            "Training and test cases both … contour (if any)",
            "A case refers to all … image was taken",
            titles=("Definition of cases", "Case definition"),
        ),
        _item(
            "b",
            "number_training_cases:count.training number_validation_cases:count.validation"
            " number_test_cases:count.test total_number_of_cases:count.total",
            "State the total number … test cases",
            titles=("Total number of cases",),
        ),
        _item("", "", "How much of the data … in percentage"),
        _item(
            "c",
            "case_number_justification:text",
            "Explain why a total number … was chosen",
            titles=("Explanation of total number",),
        ),
        _item(
            "d",
            "training_case_characteristics:text test_case_characteristics:text",
            "Mention further important … justify the choice",
            titles=("Further important characteristics of the cases",),
        ),
        _item("e", "", "Challenge organizers are encouraged … proportion of new data"),
    ),
    _heading(
        TASK,
        "Annotation characteristics",
        _item(
            "a",
            "reference_method_training:choice reference_method_test:choice"
            " number_of_annotators_training:count.annotators number_of_annotators_test:count.annotators",
            "Describe the method for determining … algorithm output",
            "Provide the information separately … cases if necessary",
            "Possible methods include … automatic methods",
            "If human annotation was … of annotators",
            titles=("Annotation procedure", "Annotation process"),
        ),
        _item(
            "b",
            "annotation_instructions_training:text annotation_instructions_test:text annotation_protocol_url:url",
            "Provide the instructions given … to the annotation",
            "This may include description … with the software",
            "Provide the information separately … cases if necessary",
            "Preferably, provide a link … annotation protocol",
            titles=("Annotation protocol",),
        ),
        _item(
            "c",
            "annotators_training:lines.who annotators_test:lines.who",
            "Provide details on the subject(s)/algorithm(s) … trained or not",
            "Provide the information separately … cases if necessary",
        ),
        _item(
            "d",
            "annotation_aggregation_training:choice annotation_aggregation_test:choice",
            "Describe the method(s) used to merge … (if any)",
            "Provide the information separately … cases if necessary",
        ),
    ),
    _heading(
        TASK,
        "Data pre-processing method(s) / Data pre-processing methods",
        _item(
            "",
            "preprocessing_methods:text",
            "Describe the method(s) used for pre-processing … participating teams",
            "Provide the information separately … cases if necessary",
        ),
    ),
    _heading(
        TASK,
        "Sources of error / Sources of errors",
        _item(
            "a",
            "annotation_error_sources:lines.source",
            "Describe the most relevant … image annotation",
            "If possible, estimate … for example",
            "Provide the information separately … if necessary",
        ),
        _item("b", "other_error_sources:text", "In an analogous manner, describe … sources of error"),
    ),
    _heading(
        TASK,
        "Metric(s) / Metrics",
        _item(
            "a",
            "metrics:metrics",
            "Define the metric(s) to assess … of an algorithm",
            "These metrics should reflect … (see above)",
            "State which metric(s) … ranking(s) (if any)",
            "Example 1: Dice Similarity Coefficient (DSC)",
            "Example 2: Area under curve (AUC)",
        ),
        _item(
            "b",
            "metric_justification:text",
            "Justify why the metric(s) … biomedical application",
            titles=("Justification of metrics",),
        ),
    ),
    _heading(
        TASK,
        "Ranking method(s) / Ranking methods",
        _item(
            "a",
            "ranking_method:rows.description ranking_type:ask tie_handling:ask",
            "Describe the method used to compute … on the test cases",
            "Typically the text will … score/ranking",
            "Ideally, provide the ranking … pseudo code",
            titles=("Ranking scheme",),
        ),
        _item(
            "b",
            "missing_data_handling:choice incomplete_submissions_allowed:ask",
            "Describe the method(s) used to manage … on test cases",
            titles=("Submissions with missing results",),
        ),
        _item(
            "c",
            "ranking_justification:text",
            "Justify why the described ranking … were used",
            titles=("Justification of ranking method",),
        ),
    ),
    _heading(
        TASK,
        "Statistical analyses",
        _item(
            "a",
            "statistical_analyses:text uncertainty_handling:choice statistical_tests:choice statistical_software:ask",
            "Provide details for the statistical … challenge analysis",
            "This may include",
            "description of the missing data handling",
            "details about the assessment … of rankings",
            "description of any method … approach, or",
            "indication of any software … analysis methods",
        ),
        _item("b", "statistical_justification:text", "Justify why the described statistical … were used"),
        _item(
            "",
            "statistical_analyses:text",
            "Provide an overview of the statistical … challenge analysis",
            "Details can be provided … below",
            "For each parameter, justify … statistical approach",
        ),
        _item(
            "",
            "",
            "Provide a description of how the precision … the accuracy on the test set computed using percentile bootstrap",
        ),
        _item("", "", "Provide a description of how variability of the performance … outliers"),
        _item("", "uncertainty_handling:choice", "Provide a description of how variability of rankings is assessed"),
        _item("", "statistical_tests:choice", "Provide a description of statistical tests … statistically significant"),
        _item("", "", "Provide a description of the missing data handling"),
        _item("", "statistical_software:text", "Indicate any software product … data analysis methods"),
    ),
    _heading(
        TASK,
        "Further analyses",
        _item(
            "",
            "planned_further_analyses:choice",
            "Present further analyses … related to",
            "combining algorithms via ensembling",
            "inter-algorithm variability",
            "common problems/biases … submitted methods, or",
            "ranking variability",
        ),
    ),
    _heading(
        CHALLENGE,
        "References",
        _item("", "references_and_comments:text", "Please include any reference … data or code"),
    ),
    _heading(
        CHALLENGE, "Further comments", _item("", "references_and_comments:text", "Further comments from the organizers")
    ),
)
"""The headings in the order of the form."""
