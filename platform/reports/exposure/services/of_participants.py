"""Conclusions about attacks by participants."""

from typing import Final

from evaluation.assessment import parse
from reports.exposure.services.case import Cover, excluded
from reports.exposure.services.conclusions import always, group
from reports.exposure.services.questions import feedback, hidden, ignored, tells_missing, unstated

NO_POLICY: Final = "no_training_data"
"""Value in a design that has no policy for training data."""

_NO_PHASE = (
    Cover.UNCOVERED,
    "no_phase",
    "No phase has a test set or a ranking.",
    lambda case: not case.phases,
    "There is no phase with an assessment yet.",
)
SELECTIVE: Final = group(
    "selective",
    _NO_PHASE,
    (
        Cover.UNCOVERED,
        "ignored",
        "A phase takes incomplete submissions and leaves missing cases out.",
        ignored,
        "Missing cases are left out of the mean, so that withholding bad cases pays.",
    ),
    (
        Cover.PREVENTED,
        "complete",
        "No phase takes incomplete submissions.",
        lambda case: not any(phase.incomplete_allowed for phase in case.phases),
        "Every submission has to hold every case.",
    ),
    (
        Cover.DETECTABLE,
        "shown",
        "All rankings tell how many cases each team lacks.",
        tells_missing,
        "Missing cases count by the stated rule; the ranking shows how many each team has.",
    ),
    (Cover.DETECTABLE, "stated", "They do not.", always, "Missing cases count by the stated rule."),
)
MISSING_RULE: Final = group(
    "missing_rule",
    _NO_PHASE,
    (
        Cover.UNCOVERED,
        "unstated",
        "A metric has no rule for a missing case, and its kind of problem has none.",
        lambda case: any(unstated(parse(phase.assessment)) for phase in case.phases),
        "For some metric, nothing says what a missing case counts as.",
    ),
    (
        Cover.DETECTABLE,
        "left_out",
        "A metric leaves missing cases out.",
        lambda case: any(excluded(parse(phase.assessment)) for phase in case.phases),
        "The rule is stated and leaves missing cases out.",
    ),
    (
        Cover.PREVENTED,
        "stated",
        "Every metric has a rule, and none leaves missing cases out.",
        always,
        "What a missing case counts as is stated for every metric.",
    ),
)
BY_HAND: Final = group(
    "by_hand",
    (
        Cover.PREVENTED,
        "hidden",
        "Every phase runs algorithms here, and the design says that test images are hidden.",
        hidden,
        "Algorithms are run here on images that are registered as hidden: no team can correct a prediction by hand.",
    ),
    (
        Cover.UNCOVERED,
        "not_all_hidden",
        "A phase runs algorithms here, and not every phase does so on images that are registered as hidden.",
        lambda case: any(phase.runs_algorithms for phase in case.phases),
        (
            "Algorithms are run here, but not in every phase on images that are registered as hidden: what was made with a "
            "look at test images leaves no trace."
        ),
    ),
    (
        Cover.DETECTABLE,
        "decoys",
        "Every phase with a test set asks for more cases than it scores.",
        lambda case: case.has_decoys,
        "Teams have the test images, but which of them are scored was secret; their predictions for the others are on record.",
    ),
    (
        Cover.UNCOVERED,
        "no_trace",
        "One does not.",
        always,
        "Teams have the test images and submit predictions; corrections by hand leave no trace.",
    ),
)
ATTEMPTS: Final = group(
    "attempts",
    (
        Cover.UNCOVERED,
        "unlimited",
        "A phase has no limit of submissions.",
        lambda case: not case.phases or not all(phase.in_total or phase.per_day for phase in case.phases),
        "Attempts were not limited in every phase.",
    ),
    (
        Cover.PREVENTED,
        "blind",
        "All phases limit submissions in total and show no score before they close.",
        lambda case: all(phase.in_total is not None for phase in case.phases) and not any(map(feedback, case.phases)),
        "Attempts were limited and brought no score of the ranked cases.",
    ),
    (
        Cover.DETECTABLE,
        "shown",
        "A phase shows scores before it closes.",
        lambda case: any(map(feedback, case.phases)),
        "Attempts were limited, but scores of the ranked cases were shown; the number of attempts stands beside each team.",
    ),
    (
        Cover.DETECTABLE,
        "by_day",
        "Scores are sealed, and a phase limits submissions by day alone.",
        always,
        "Attempts brought no score of the ranked cases, but a phase limits them by day and not in total.",
    ),
)
ACCOUNTS: Final = group(
    "accounts",
    (
        Cover.DETECTABLE,
        "always",
        "Always.",
        always,
        "In each task an account has one team; several accounts of one person show only where their results are the same.",
    ),
)
LABELS: Final = group(
    "labels",
    (
        Cover.DETECTABLE,
        "on_record",
        "Who had access to the references is registered.",
        lambda case: bool(case.value("test_label_access")),
        "Who had access to the references is on record; the platform cannot see copies elsewhere.",
    ),
    (
        Cover.UNCOVERED,
        "not_on_record",
        "It is not.",
        always,
        "Who had access to the references before they were sealed is not on record.",
    ),
)
EXTRA_DATA: Final = group(
    "extra_data",
    (
        Cover.UNCOVERED,
        "no_rule",
        "No policy of training data is registered, or that there is none.",
        lambda case: case.value("training_data_policy") in (None, NO_POLICY),
        "No rule about further training data is on record.",
    ),
    (
        Cover.DETECTABLE,
        "described",
        "Teams have to describe their methods.",
        lambda case: bool(case.said("method_description_requirement")),
        "There is a rule, and teams have to describe their methods; what they leave out cannot be seen.",
    ),
    (
        Cover.UNCOVERED,
        "unseen",
        "They do not have to.",
        always,
        "There is a rule, but nothing by which a breach would show.",
    ),
)
