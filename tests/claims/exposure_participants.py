"""Meanings of the conclusions about participants in the exposure report."""

from reports.exposure.queries.facts import Facts, PhaseFacts
from tests.claims.exposure_facts import begun, in_design, left_out, means, ranked


@means("There is no phase with an assessment yet\\.")
def _(facts: Facts) -> bool:
    return not begun(facts)


@means("Missing cases are left out of the mean, so that withholding bad cases pays\\.")
def _(facts: Facts) -> bool:
    return any(left_out(phase) and phase.incomplete_allowed for phase in begun(facts))


@means("Every submission has to hold every case\\.")
def _(facts: Facts) -> bool:
    return bool(begun(facts)) and not any(phase.incomplete_allowed for phase in begun(facts))


@means("Missing cases count by the stated rule; the ranking shows how many each team has\\.")
def _(facts: Facts) -> bool:
    # Of a detection with one value for the whole data set, rows do not tell.
    return (
        not any(left_out(phase) and phase.incomplete_allowed for phase in begun(facts))
        and bool(ranked(facts))
        and not any(phase.assessment["problem"] == "object_detection" for phase in ranked(facts))
    )


@means("Missing cases count by the stated rule\\.")
def _(facts: Facts) -> bool:
    return not any(left_out(phase) and phase.incomplete_allowed for phase in begun(facts))


@means("The rule is stated and leaves missing cases out\\.")
def _(facts: Facts) -> bool:
    return any(left_out(phase) for phase in begun(facts))


@means("For some metric, nothing says what a missing case counts as\\.")
def _(facts: Facts) -> bool:
    return any(without_rule(phase) for phase in begun(facts))


def without_rule(phase: PhaseFacts) -> bool:
    return phase.assessment["problem"] in ("table", "external") and any(
        "missing" not in metric.get("policy", {}) and phase.assessment["problem"] == "table"
        for metric in phase.assessment["metrics"]
    )


@means("What a missing case counts as is stated for every metric\\.")
def _(facts: Facts) -> bool:
    return bool(begun(facts)) and not any(without_rule(phase) or left_out(phase) for phase in begun(facts))


@means(
    "Teams have the test images, but which of them are scored was secret; their predictions for the others are on record."
)
def _(facts: Facts) -> bool:
    with_any = [phase for phase in begun(facts) if phase.test_sets]
    if any(phase.runs_algorithms for phase in begun(facts)):
        return False
    return bool(with_any) and all(phase.test_sets[-1]["decoys"] > 0 for phase in with_any)


def runs_hidden(facts: Facts) -> bool:
    phases = begun(facts)
    running = [phase for phase in phases if phase.runs_algorithms]
    return bool(phases) and len(running) == len(phases) and in_design(facts, "test_data_access") == "hidden"


@means("Algorithms are run here on images that are registered as hidden: no team can correct a prediction by hand\\.")
def _(facts: Facts) -> bool:
    return runs_hidden(facts)


@means(
    "Algorithms are run here, but not in every phase on images that are registered as hidden: what was made with a look at "
    "test images leaves no trace\\."
)
def _(facts: Facts) -> bool:
    return any(phase.runs_algorithms for phase in begun(facts)) and not runs_hidden(facts)


@means("Teams have the test images and submit predictions; corrections by hand leave no trace\\.")
def _(facts: Facts) -> bool:
    with_any = [phase for phase in begun(facts) if phase.test_sets]
    if any(phase.runs_algorithms for phase in begun(facts)):
        return False
    return not with_any or any(not phase.test_sets[-1]["decoys"] for phase in with_any)


def limited(phase: PhaseFacts) -> bool:
    return phase.per_day is not None or phase.in_total is not None


def blind(phase: PhaseFacts) -> bool:
    return phase.leaderboard == "sealed" and phase.results == "validation"


@means("Attempts were not limited in every phase\\.")
def _(facts: Facts) -> bool:
    return not begun(facts) or not all(map(limited, begun(facts)))


@means("Attempts were limited and brought no score of the ranked cases\\.")
def _(facts: Facts) -> bool:
    return all(phase.in_total is not None and blind(phase) for phase in begun(facts))


@means(
    "Attempts were limited, but scores of the ranked cases were shown; the number of attempts stands beside each team."
)
def _(facts: Facts) -> bool:
    return all(map(limited, begun(facts))) and not all(map(blind, begun(facts)))


@means("Attempts brought no score of the ranked cases, but a phase limits them by day and not in total\\.")
def _(facts: Facts) -> bool:
    phases = begun(facts)
    return all(map(blind, phases)) and all(map(limited, phases)) and any(phase.in_total is None for phase in phases)


@means(
    "In each task an account has one team; several accounts of one person show only where their results are the same\\."
)
def _(facts: Facts) -> bool:
    return facts is not None


@means("Who had access to the references is on record; the platform cannot see copies elsewhere\\.")
def _(facts: Facts) -> bool:
    return bool(in_design(facts, "test_label_access"))


@means("Who had access to the references before they were sealed is not on record\\.")
def _(facts: Facts) -> bool:
    return not in_design(facts, "test_label_access")


@means("No rule about further training data is on record\\.")
def _(facts: Facts) -> bool:
    return in_design(facts, "training_data_policy") in (None, "no_training_data")


@means("There is a rule, and teams have to describe their methods; what they leave out cannot be seen\\.")
def _(facts: Facts) -> bool:
    return in_design(facts, "training_data_policy") not in (None, "no_training_data") and bool(
        in_design(facts, "method_description_requirement")
    )


@means("There is a rule, but nothing by which a breach would show\\.")
def _(facts: Facts) -> bool:
    return bool(in_design(facts, "training_data_policy")) and not in_design(facts, "method_description_requirement")
