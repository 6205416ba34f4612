"""Meanings of the sentences about the registered design: which parameter has which value, by the text alone."""

import re

from reports.domain.registered import Registered
from tests.claims.meanings import Meanings

MEANINGS = Meanings()
CHOSEN = {
    "life_cycle_type": {
        "one_time_fixed_deadline": r".*one-time .* fixed submission deadline\.",
        "repeated_fixed_deadline": r".*repeated, .* fixed submission deadline\.",
        "one_time_open_call": r".*one-time .* after its deadline, too\.",
        "repeated_open_call": r".*repeated .* after its deadlines, too\.",
    },
    "challenge_venue": {"none": r".*online, without an associated event\."},
    "challenge_platform": {
        "this_platform": r".*planned to run on this platform\.",
        "own_website": r".*a website of its own\.",
        "none": r".*without a hosting platform\.",
    },
    "interaction_level_handling": {
        "indication": r".*ranking marks the level of interaction.*",
        "separate_ranking": r"Fully automatic methods are ranked apart\.",
        "only_automatic": r"Only automatic methods .*",
        "weighting": r"Automatic methods are weighted higher.*",
    },
    "training_data_policy": {
        "no_training_data": r".*needs no training data\.",
        "challenge_data_only": r".*data of the challenge alone\.",
        "public_data_allowed": r"Publicly available data and pre-trained networks could be added.*",
        "public_pretrained_only": r"Publicly available pre-trained networks .* no further data\.",
        "private_data_allowed": r"Private data could be added.*",
    },
    "organizer_participation_policy": {
        "not_allowed": r"Members .* were not to participate\.",
        "allowed_unranked": r"Members .* without award and outside of the leaderboard\.",
        "allowed_ranked_no_award": r"Members .* be listed, but not win awards\.",
        "allowed_separate_listing": r"Members .* listed apart and marked.*",
        "allowed_fully": r"Members .* without restriction\.",
    },
    "results_announcement_policy": {
        "all_public": r"All results were to be announced publicly\.",
        "top_three_public": r"The three best methods were to be announced.*",
        "top_n_public": r"A number of the best methods .*",
        "team_choice": r"The teams were to choose .* become public\.",
        "anonymous_listing": r".* teams anonymous where they wished\.",
    },
    "independent_publication_policy": {
        "allowed_immediately": r"Teams may publish .* at any time\.",
        "allowed_after_embargo": r"Teams may publish .* after an embargo\.",
        "allowed_after_challenge_paper": r"Teams may publish .* challenge paper is public\.",
        "not_allowed": r"Teams may not publish.*",
    },
    "incomplete_submissions_allowed": {
        "no": r"Incomplete submissions were to be rejected\.",
        "yes_penalized": r"Incomplete submissions were to be accepted, with a penalty.*",
        "yes_tasks_only": r"Teams could skip tasks, but no case.*",
        "yes_ignored": r"Incomplete submissions were to be accepted, and missing cases ignored\.",
    },
    "counted_submission_rule": {
        "last": r"The last valid submission .* was to count\.",
        "selected_by_team": r".*was to count that the team chose.*",
        "best": r"The best submission .* was to count\.",
        "only_one": r"Each team could make one submission\.",
    },
    "pre_evaluation_method": {
        "none": r"No evaluation before the final one was planned\.",
        "private_results": r"Teams were to see results of their own before.*",
        "public_leaderboard_pretest": r"A public leaderboard on another test set was planned before.*",
        "validation_dataset": r"Teams were to see results on a validation set before.*",
        "feedback_on_test_set": r"Teams were to see results on the final test set before.*",
    },
    "ethics_status": {
        "approved": r"Ethics approval was required and obtained\.",
        "pending": r"Ethics approval was required and was to be there.*",
        "not_needed_in_silico": r"No ethics approval .* in silico\.",
        "not_needed_public_database": r"No ethics approval .* public database\.",
        "covered_by_source": r".*ethics approval of their source\.",
        "not_needed_anonymized": r"No ethics approval .* fully anonymized\.",
        "not_needed_other": r"No ethics approval was needed\.",
    },
    "data_license": {
        "no_redistribution": r".*may not be passed on.*",
        "all_purposes_with_citation": r".*any purpose, .* cited\.",
        "custom_agreement": r".*usage agreement of their own\.",
    },
    "evaluation_code_availability": {
        "not_available": r"The evaluation software is not available\.",
        "public": r"The evaluation software is public\.",
        "partial": r"The evaluation software .* in part\.",
        "after_registration": r"The evaluation software .* after registration\.",
        "on_platform_only": r"The evaluation software .* evaluation platform alone.*",
    },
    "participant_code_availability": {
        "required_public": r"Release of .* as open source was required\.",
        "required_to_organizers": r"Release of .* to the organizers was required\.",
        "required_for_awards": r"Release of .* required for awards\.",
        "encouraged": r"Release of .* encouraged\.",
        "not_collected": r"Release of .* not asked for\.",
    },
    "split_strategy": {
        "no_training_data": r"No training data were provided.*",
        "random": r"Cases were assigned .* at random\.",
        "balanced": r"Cases were assigned .* balanced\.",
        "fixed_ratio": r"Cases were assigned .* fixed ratio\.",
        "stratified": r"Cases were assigned .* stratified.*",
        "by_center_or_device": r"Cases were assigned .* centre or device\.",
        "by_subject": r"Cases were assigned .* subject or procedure\.",
        "by_time": r"Cases were assigned .* time of acquisition\.",
    },
    "ranking_type": {
        "single_ranking": r".*a single ranking\.",
        "multiple_rankings": r".*several separate rankings\.",
        "no_ranking": r".*not ranked; .*",
    },
    "tie_handling": {
        "standard_competition": r".*better rank \(1, 2, 2, 4\)\.",
        "modified_competition": r".*worse rank \(1, 3, 3, 4\)\.",
        "dense": r".*no rank is skipped \(1, 2, 2, 3\)\.",
        "ordinal": r"Ties are broken .* \(1, 2, 3, 4\)\.",
        "fractional": r".*mean of their ranks \(1, 2\.5, 2\.5, 4\)\.",
    },
    "missing_data_handling": {
        "not_allowed": r"Submissions with missing cases are not evaluated\.",
        "worst_value": r"Missing cases get the worst possible value.*",
        "worst_rank": r"Missing cases get the last rank\.",
        "counted_as_incorrect": r"Missing results count as incorrect\.",
        "ignored": r"Missing cases are ignored\.",
    },
}
MADE = {
    "ground_truth_from_simulation_exact": "exact ground truth from a simulation",
    "reference_from_algorithm": "made by an algorithm",
    "reference_from_single_human_rater": "made by a single human rater",
    "reference_from_multiple_human_raters": "made by several human raters",
    "hybrid": "begun by an algorithm and refined by an expert",
    "clinical_practice": "from clinical practice",
    "crowdsourced": "crowdsourced",
    "validated_method": "methods that were validated before",
}
MERGED = {
    "no_aggregation": "were not merged",
    "majority_vote": "majority vote",
    "additional_annotator": "further annotator who resolved conflicts",
    "average": "averaged",
    "strict": "strictly: positive only where all annotators agree",
    "ranking_per_annotator": "not merged; there is a ranking for each annotator",
    "consensus": "consensus of a group",
    "staple": "STAPLE",
    "simple": "SIMPLE",
    "lsml": "a level-set approach \\(LSML\\)",
    "single_annotator": "need no merging, since there is one annotator",
}
for _data in ("training", "test"):
    CHOSEN[f"reference_method_{_data}"] = {
        choice: rf"The reference of the {_data} data .*{words}\." for choice, words in MADE.items()
    }
    CHOSEN[f"annotation_aggregation_{_data}"] = {
        choice: rf"Annotations of {_data} data .*{words}\." for choice, words in MERGED.items()
    }
# Sentences around what was written, with the word that tells which parameter it is of.
WRITTEN = {
    "challenge_venue": r"It was associated with (.+)\.",
    "challenge_platform": r"It was planned to run on (?!this platform|a website)(.+)\.",
    "challenge_acronym": r"Its acronym is (.+)\.",
    "task_name": r"The task is called “(.+)”\.",
    "data_license": r"The data are licensed under (.+)\.",
    "embargo_period": r"The embargo lasts: (.+)\.",
    "challenge_website": r"The challenge has a page of its own: (.+)\.",
    "submission_instructions_url": r"The instructions are public: (.+)\.",
    "evaluation_code_url": r"It stands at (.+)\.",
    "annotation_protocol_url": r"The protocol of the annotation is public: (.+)\.",
    "max_submissions": r"Submissions that a team could make: (.+)\.",
    "max_methods_per_team": r"Methods that a team could enter: (.+)\.",
    "number_of_annotators_training": r"Annotators of each training case: (.+)\.",
    "number_of_annotators_test": r"Annotators of each test case: (.+)\.",
    "statistical_software": r"Statistics were planned with (.+)\.",
}
NUMBER = ("number_of_annotators_training", "number_of_annotators_test", "max_submissions", "max_methods_per_team")
SEVERAL = {
    "interaction_level_policy": r"Allowed were methods of these levels of interaction: (.+)\.",
    "submission_method": r"Submissions were to be handed in as: (.+)\.",
    "field_of_application": r"The field of application is (.+)\.",
    "task_category": r"The task is one of (.+)\.",
    "imaging_modality": r"The images come from (.+)\.",
    "uncertainty_handling": r"The uncertainty of the ranking was planned to be assessed by: (.+)\.",
    "statistical_tests": r"Planned statistical tests: (.+)\.",
    "planned_further_analyses": r"Further analyses were planned: (.+)\.",
    "challenge_keywords": r"Registered: (.+)\.",
}
ABSENT = {
    "funding_and_sponsorship": r"The organizers state that there was no funding.*",
    "conflicts_of_interest": r"The organizers state that there are no conflicts of interest\.",
    "context_information_image": r"No context information on the images .* organizers state\.",
    "context_information_patient": r"No context information on the patients .* organizers state\.",
    "context_information_acquisition": r"No context information on the acquisition .* organizers state\.",
}
NOT_PLANNED = {
    "uncertainty_handling": r"No assessment of the uncertainty of the ranking was planned\.",
    "statistical_tests": r"No statistical tests were planned\.",
}


def _is(identity, choice):
    return lambda entry: (entry.identity, entry.value, entry.is_none) == (identity, choice, False)


def _written(identity):
    def true(entry: Registered, words: str) -> bool:
        is_right = entry.identity == identity and not entry.is_none and words == str(entry.labels[0]).rstrip(".")
        return is_right and (identity not in NUMBER or words == str(entry.value))

    return true


def _several(identity):
    def true(entry: Registered, words: str) -> bool:
        """Return whether the text names each chosen option by a word of its label.

        “none” is not an option to list.
        """
        parts = re.split(r", | and (?!neck\b)", words)
        firsts = [re.findall(r"\w+", label.lower()) for label in entry.labels]
        named = all(any(word in words.lower() for word in label) for label in firsts)
        return entry.identity == identity and not entry.is_none and "none" not in parts and named

    return true


def _absent(identity):
    return lambda entry: entry.identity == identity and entry.is_none


def _nothing(identity):
    return lambda entry: entry.identity == identity and not entry.is_none and list(entry.value) == ["none"]


for _identity, _choices in CHOSEN.items():
    for _choice, _pattern in _choices.items():
        MEANINGS.means(_pattern)(_is(_identity, _choice))
for _identity, _pattern in WRITTEN.items():
    MEANINGS.means(_pattern)(_written(_identity))
for _identity, _pattern in SEVERAL.items():
    MEANINGS.means(_pattern)(_several(_identity))
for _identity, _pattern in ABSENT.items():
    MEANINGS.means(_pattern)(_absent(_identity))
for _identity, _pattern in NOT_PLANNED.items():
    MEANINGS.means(_pattern)(_nothing(_identity))
