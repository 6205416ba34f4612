"""The visibility policy: what a reader may see of the cases of a phase.

Every page, picture, file, API field, report, letter and publication with content of a case asks `access`. Nothing else decides.
"""

from dataclasses import dataclass, replace
from enum import Enum


class Reader(Enum):
    """The part that a reader has in the cases of a phase."""

    PUBLIC = "anyone who may see the challenge"
    PARTICIPANT = "a member of any team of the challenge"
    TEAM = "a member of the team that the results belong to"
    PUBLICATION = "the published data set, which contains consenting teams only"
    ADMINISTRATOR = "an administrator of the platform who is not named as an organizer"
    ORGANIZER = "a named owner or manager of the challenge"


@dataclass(frozen=True)
class PhaseFacts:
    """The facts of a phase that decide what is visible.

    Attributes
    ----------
    runs_algorithms
        Predictions are computed here, on images that no team has.
    shows_own_values
        The design registers own scores case by case while the phase is open, and no decoys are kept.
    reveals_references
        The design registers that references are shown after the end.
    is_released
        The phase has closed and its results are released.
    has_public_cases
        A dry run that has opened, whose references are hidden in no other phase.
    """

    runs_algorithms: bool
    shows_own_values: bool
    reveals_references: bool
    is_released: bool
    has_public_cases: bool

    @property
    def is_revealed(self) -> bool:
        """True if teams may see the cases themselves: always, or after a registered release."""
        return self.has_public_cases or (self.reveals_references and self.is_released)


@dataclass(frozen=True)
class CaseAccess:
    """Permissions of one reader on the cases of a phase.

    Attributes
    ----------
    names
        Names of cases.
    values
        Results of single cases.
    evidence
        Data from which values of the whole data set are computed, such as the probability of each class:
        numbers of the prediction.
    notes
        Reports of validation, or of the run of an algorithm, about single cases. A program can choose their
        text.
    pictures
        The image, the prediction and the answers, as pictures, slices, thumbnails and lines.
    references
        The reference in pictures, in answers, and in results that contain it.
    costs
        Costs of running an algorithm on single cases.
    files
        Predictions, logs and tables of runs, byte for byte.
    reference_files
        References, byte for byte.
    """

    names: bool = False
    values: bool = False
    evidence: bool = False
    notes: bool = False
    pictures: bool = False
    references: bool = False
    costs: bool = False
    files: bool = False
    reference_files: bool = False


NOTHING = CaseAccess()
EVERYTHING = CaseAccess(**dict.fromkeys(CaseAccess.__dataclass_fields__, True))


def access(reader: Reader, facts: PhaseFacts) -> CaseAccess:
    """Return what a reader may see of the cases of a phase.

    Examples
    --------
    >>> closed = PhaseFacts(True, False, False, is_released=True, has_public_cases=False)
    >>> team = access(Reader.TEAM, closed)
    >>> team.values, team.pictures, team.files
    (True, False, False)
    >>> access(Reader.TEAM, replace(closed, runs_algorithms=False)).pictures
    True
    """
    if reader is Reader.ORGANIZER:
        return EVERYTHING
    # An algorithm may copy the image into its prediction: where teams lack the images, both are hidden together.
    knows_images = not facts.runs_algorithms or facts.is_revealed
    has_files = not facts.runs_algorithms or facts.has_public_cases
    own_values = facts.is_released or facts.shows_own_values
    common = CaseAccess(
        names=knows_images or own_values,
        values=facts.is_released,
        evidence=facts.is_released and knows_images,
        references=facts.is_revealed,
        costs=facts.is_revealed,
    )
    match reader:
        case Reader.PUBLIC:
            return replace(common, names=facts.is_released)
        case Reader.PARTICIPANT:
            return replace(common, reference_files=facts.has_public_cases)
        case Reader.TEAM:
            return replace(
                common,
                values=own_values,
                notes=knows_images,
                pictures=own_values and knows_images,
                files=has_files,
                reference_files=facts.has_public_cases,
            )
        case Reader.PUBLICATION:
            # Registered by the design, which names what is published; teams consent to what is theirs.
            return replace(
                common,
                names=facts.is_released,
                files=facts.is_released and has_files,
                reference_files=facts.is_released,
            )
        case Reader.ADMINISTRATOR:
            return replace(
                common,
                names=True,
                values=True,
                evidence=knows_images,
                notes=knows_images,
                pictures=knows_images,
                files=has_files,
                reference_files=facts.has_public_cases,
            )


def without_consent(reader: Reader, allowed: CaseAccess) -> CaseAccess:
    """Reduce what a reader may see to what remains of a case whose consent was withdrawn.

    Values stay where they were counted; nothing of the case enters a publication.
    """
    if reader is Reader.ORGANIZER:
        return allowed
    if reader is Reader.PUBLICATION:
        return NOTHING
    return replace(allowed, pictures=False, references=False, notes=False, files=False, reference_files=False)


HIDDEN_IMAGES = (
    "No picture is shown. Algorithms run here on hidden images, and a prediction can contain a copy of its image. "
    "Both are visible only to the organizers of the challenge."
)
CONSENT_WITHDRAWN = "No picture is shown. Consent to the use of this case was withdrawn."
HIDDEN_NOTE = "The reason is hidden: it can describe the image, which no team sees."
HIDDEN_PREDICTIONS = "Predictions of {phase} are not published: algorithms ran on hidden images, and a prediction can contain a copy of its image."
HIDDEN_BUNDLE = (
    "The bundle contains numbers of predictions for every case. Algorithms of this phase ran on hidden images, so only the "
    "organizers of the challenge can download it."
)
