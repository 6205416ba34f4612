"""What a team says about its method, as a ranking shows it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """What a team says about the method behind a submission.

    Attributes
    ----------
    url
        Address of its description.
    uses_extra_data
        Whether it was trained on data from outside the challenge.
    """

    url: str
    uses_extra_data: bool = False
