"""Values that statistics and search take from a document; an unstated value is unknown, never zero."""

import pytest

from registry.models import Facet, Listing
from registry.services.statistics import count_registry
from tests.unit.registry.world import filled, person, save

pytestmark = pytest.mark.django_db


def registered_with(owner, **values):
    from registry.services import register_design

    made = filled(owner)
    for parameter, value in values.items():
        save(made, parameter, value)
    return register_design(design=made, actor=owner, by_system=True)


@pytest.fixture
def ada():
    return person("ada")


def test_facets_come_from_choices_and_from_words(ada):
    version = registered_with(
        ada,
        imaging_modality=["mri", {"other": "Photoacoustics"}],
        algorithm_target="The left atrium; not the lungs' vessels",
        metrics=[
            {"name": "dice_similarity_coefficient_dsc", "used_for_ranking": True},
            {"name": {"other": "My score"}},
        ],
    )
    found = {(facet.kind, facet.label) for facet in Facet.objects.filter(registration=version.registration)}
    assert {("modality", "Photoacoustics"), ("modality", "Magnetic Resonance Imaging (MRI)")} <= found
    assert {label for kind, label in found if kind == "anatomy"} == {"Brain", "Heart", "Lung", "Vessels"}
    assert {label for kind, label in found if kind == "metric"} == {"Dice similarity coefficient (DSC)", "My score"}


def test_a_number_that_nobody_stated_is_unknown(ada):
    version = registered_with(ada, number_training_cases=None)
    (figures,) = Listing.objects.get(version=version).figures
    assert figures["training"] is None
    assert figures["centers"] is None
    assert figures["test"] == 60


def test_the_statistics_are_those_of_a_worked_example(ada):
    dsc = {"name": "dice_similarity_coefficient_dsc", "used_for_ranking": True}
    hd = {"name": "95_hausdorff_distance_hd95", "used_for_ranking": True}
    registered_with(
        ada,
        number_training_cases=100,
        number_test_cases=50,
        metrics=[dsc, hd],
        ranking_method=[{"scheme": "metric_based"}],
    )
    registered_with(
        ada, number_training_cases=300, number_test_cases=100, metrics=[dsc], ranking_method=[{"scheme": "case_based"}]
    )
    registered_with(
        ada,
        number_training_cases=None,
        number_test_cases=None,
        task_category=["classification"],
        statistical_tests=["t_test"],
    )
    content = count_registry().content
    rows = {row["key"]: (row["here"], row["number"]) for row in content["rows"]}
    assert content["challenges"] == content["tasks"] == 3
    assert rows["training"] == ("200 (IQR 150–250)", 2)
    assert rows["test"] == ("75 (IQR 62.5–87.5)", 2)
    assert rows["ratio"] == ("2.5 (IQR 2.25–2.75)", 2)
    assert rows["one_metric"] == ("50 %", 2)
    assert rows["metric_based"] == ("50 %", 2)
    assert rows["tested"] == ("33 %", 3)
    assert rows["dsc"] == ("100 %", 2)
    assert rows["hd"] == ("50 %", 2)
    assert rows["centers"] == ("–", 0)
    categories = {row["label"]: (row["count"], row["before"]) for row in content["shares"]["categories"]}
    assert categories["Segmentation"] == (2, 70)
    coverage = {row["number"]: row for row in content["coverage"]}
    assert coverage[31]["here"] == pytest.approx(200 / 3)
    assert coverage[31]["before"] == 89
    assert len(coverage) == 50


def test_an_empty_registry_has_no_figures():
    content = count_registry().content
    assert content["challenges"] == 0
    assert all(row["here_value"] is None for row in content["rows"])
