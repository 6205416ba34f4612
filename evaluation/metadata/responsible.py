"""Entries of the Responsible AI vocabulary of Croissant that follow from a design without a further question.

Vocabulary: https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html. Not derived, because a design does not state
them: time frame of the collection, imputation, missing data of the collection, manipulation, platform of annotation.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from evaluation.designs.catalogue import shipped
from evaluation.designs.document.words import value_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.designs.document import Values

SOURCES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "rai:dataCollection": ("acquisition_protocols", "data_centers"),
    "rai:dataCollectionRawData": ("data_origin", "imaging_modality", "acquisition_devices"),
    "rai:dataPreprocessingProtocol": ("preprocessing_methods",),
    "rai:dataAnnotationProtocol": (
        *("reference_method_training", "reference_method_test"),
        *("annotation_instructions_training", "annotation_instructions_test", "annotation_protocol_url"),
    ),
    "rai:dataAnnotationAnalysis": (
        *("annotation_aggregation_training", "annotation_aggregation_test", "annotation_error_sources"),
    ),
    "rai:annotationsPerItem": ("number_of_annotators_training", "number_of_annotators_test"),
    "rai:annotatorDemographics": ("annotators_training", "annotators_test"),
    "rai:dataUseCases": ("field_of_application", "task_category", "primary_objective", "data_usage_agreement"),
    "rai:dataBiases": ("target_cohort", "challenge_cohort"),
    "rai:dataLimitations": ("other_error_sources", "case_number_justification"),
    "rai:dataSocialImpact": ("biomedical_motivation",),
    "rai:personalSensitiveInformation": ("ethics_status", "context_information_patient"),
    "rai:dataReleaseMaintenancePlan": ("continuation_plan", "publication_and_future_plans"),
})  # fmt: skip
"""Parameters of the design from which each entry is made."""
MEASURED: Final = "Direct measurement"
"""Kind of collection, of data that devices acquired."""


def responsible_entries(values: Values) -> dict[str, str | list[str]]:
    """Return the entries that a design fills in, each with the names of the parameters that it is made of.

    Parameters
    ----------
    values
        Values of a task. They are shown to anyone, so that cells which only reviewers see are excluded here.
    """
    catalogue = shipped()
    entries: dict[str, str | list[str]] = {}
    for term, parameters in SOURCES.items():
        texts = []
        for identity in parameters:
            parameter = catalogue.parameters[identity]
            text = value_words(parameter, values.get(identity), public=True)
            details = values.get(f"{identity}__details")
            stated = " ".join(part for part in (text, f"({details})" if details and text else "") if part)
            if stated:
                texts.append(f"{parameter.label}: {stated}")
        if texts:
            entries[term] = "\n".join(texts)
    if values.get("acquisition_devices"):
        entries["rai:dataCollectionType"] = MEASURED
    programs = [
        str(row.get("who", "an algorithm"))
        for identity in ("annotators_training", "annotators_test")
        for row in values.rows(identity)
        if row.get("is_algorithm")
    ]
    if programs:
        entries["rai:machineAnnotationTools"] = list(dict.fromkeys(programs))
    return entries
