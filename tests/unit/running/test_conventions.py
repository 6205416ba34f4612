"""Conventions of running a container: their registration, their entry in `interface.json`, and their effects."""

from pathlib import Path

import pytest

from evaluation.running.conventions import conventions_of, mapping_of
from evaluation.running.grand_challenge import ExpectedOutput, GrandChallengeSocket
from evaluation.running.identity import identity
from evaluation.running.interface import LIMITS, InterfaceError, Socket, interface_document, read_interface
from evaluation.running.registered import Registered, RegisteredError

INPUTS, OUTPUTS = [Socket("t1", "image", ".nii.gz", 3)], [Socket("labels", "label_image", ".mha", 3)]
THEIRS = {"adapter": "grand_challenge", "input_socket": "t1", "output_socket": "labels"}


def document(**changes):
    into, out = Registered.of(THEIRS).there()
    whole = interface_document(
        INPUTS,
        OUTPUTS,
        limits=dict.fromkeys(LIMITS, 1),
        interface="grand-challenge",
        more={"grand_challenge": mapping_of({"t1": into}, {"labels": out})},
    )
    return whole | changes


def test_by_our_own_a_case_has_a_folder_and_the_interface_is_told(tmp_path: Path) -> None:
    own = conventions_of({"interface": "podium-exec-1"}, INPUTS, OUTPUTS)

    assert (own.is_flat, own.tells_interface, own.writes_inputs) == (False, True, False)
    assert own.files_of_case("c1", {"t1": tmp_path / "a.nii.gz"}, tmp_path) == {"t1.nii.gz": tmp_path / "a.nii.gz"}
    assert own.expected() == [ExpectedOutput("labels.mha", True)]
    assert own.model_targets(has_model=False) == ("/model",)
    assert own.environment(2**30) == {}


def test_by_theirs_the_only_case_lies_flat_and_nothing_of_ours_is_there() -> None:
    own = conventions_of(document(), INPUTS, OUTPUTS)

    assert (own.is_flat, own.tells_interface, own.writes_inputs) == (True, False, True)
    assert own.expected() == [ExpectedOutput("labels.mha", True, "images/labels", (".mha", ".tif", ".tiff"))]
    assert own.environment(2**30)["LOG_LEVEL"] == "INFO"
    assert read_interface(document())[0] == INPUTS


def test_weights_that_an_image_holds_itself_are_not_hidden_by_an_empty_folder() -> None:
    own = conventions_of(document(), INPUTS, OUTPUTS)

    assert own.model_targets(has_model=False) == ()
    assert "/opt/ml/model" in own.model_targets(has_model=True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"grand_challenge": None}, "grand_challenge has to say"),
        ({"grand_challenge": {"inputs": {}, "outputs": {}}}, "lacks the socket t1"),
        (
            {"grand_challenge": {"inputs": {"t1": {"slug": "T1", "relative_path": "images/x", "super_kind": "Image"}}}},
            "no slug",
        ),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(changes: dict, says: str) -> None:
    with pytest.raises(InterfaceError, match=says):
        conventions_of(document(**changes), INPUTS, OUTPUTS)


def test_names_there_follow_from_those_here_unless_they_are_registered() -> None:
    assert Registered.of(THEIRS).there() == (
        GrandChallengeSocket("t1", "images/t1", "Image"),
        GrandChallengeSocket("labels", "images/labels", "Image"),
    )
    named = Registered.of(
        THEIRS | {"input_slug": "brain-mri", "output_slug": "hippocampus", "output_path": "images/hc"}
    )
    assert named.there() == (
        GrandChallengeSocket("brain-mri", "images/brain-mri", "Image"),
        GrandChallengeSocket("hippocampus", "images/hc", "Image"),
    )
    assert Registered.of({}).there() is None


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ({"batch_cases": 2}, "a start has one case, not 2"),
        ({"input_slug": "Brain MRI"}, "no slug"),
        ({"output_path": "out.json"}, "begin with images/"),
        ({"input_path": "images/../x"}, "plain relative path"),
        ({"adapter": "sagemaker"}, "known are none and grand_challenge"),
    ],
)
def test_what_cannot_be_run_by_is_refused_when_it_is_registered(stated: dict, says: str) -> None:
    with pytest.raises(RegisteredError, match=says):
        Registered.of(THEIRS | stated)


def test_the_same_image_run_by_other_conventions_is_another_algorithm() -> None:
    image = f"sha256:{'a' * 64}"
    assert identity(image, None, Registered.of(THEIRS).interface) != identity(image)
    assert identity(image, None, Registered.of({}).interface) == identity(image)
