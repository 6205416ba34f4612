"""Pictures of the cases of a kind of problem, and answers to a case line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.problems.case_answers import CaseAnswers


class Pictures(KindPart):
    """Pictures of the cases of a kind of problem; by default there are none.

    Attributes
    ----------
    description
        Content of a picture of a case, after “The picture shows”: the prediction, and the reference for people who may see it.
    caption
        A sentence below it, ``{shown}`` being ``prediction`` or ``reference``; may be empty.
    outlines
        Elements drawn in the colours of a prediction and a reference; empty where a picture has no such colours.
    """

    description: str = "{case} with the prediction"
    caption: str = ""
    outlines: tuple[str, ...] = ("prediction", "reference")

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """Return whether a case can be drawn; `facts` are the facts that participants may know about it."""
        return False

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """Return the type and shape of `outline_of`, in NumPy notation; -1 means any length."""
        return "float64", (-1,)

    def outline_of(self, value: Any) -> NDArray[Any]:
        """Return the part of a reference or a prediction that a picture shows.

        For predictions it runs in a confined child.

        Parameters
        ----------
        value
            For a kind with one file per case: the content of the file. For a table: a prepared reference or a prediction.
        """
        raise NotImplementedError

    def draw(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: NDArray[Any] | None,
    ) -> bytes | None:
        """Draw a case as a PNG picture; ``None`` if there is nothing to draw.

        Parameters
        ----------
        image
            Grey levels of the case's image, 0 to 255, axes x, y[, z], where organizers uploaded one.
        prediction, reference
            From `outline_of`; ``None`` without a valid prediction, and for people who may not see the reference.
        """
        return None

    def sheets(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: Any,
    ) -> CaseSheets | None:
        """Draw everything that the viewer of a case shows; ``None`` if there is nothing.

        Parameters
        ----------
        image, prediction
            As of `draw`.
        reference
            What `outline_of` takes of a reference.
        """
        return None

    def caption_of(self, *, with_reference: bool) -> str:
        """Return the text below a picture, after the names of its colours; may be empty."""
        return self.caption.format(shown="reference" if with_reference else "prediction")

    def legend_of(self, *, with_reference: bool) -> str:
        """Colours and caption of a picture in one text, for print.

        Examples
        --------
        >>> Pictures().legend_of(with_reference=True)
        'Prediction in blue, reference in yellow.'
        """
        colours = {"prediction": "prediction in blue", "reference": "reference in yellow"}
        named = ", ".join(colours[name] for name in self.outlines if with_reference or name != "reference")
        sentences = [
            f"{named[:1].upper()}{named[1:]}." if named else "",
            self.caption_of(with_reference=with_reference),
        ]
        return " ".join(filter(None, sentences))


class AnswerView(KindPart):
    """Answers to a case, line by line, for kinds with tables.

    `numbers_of` turns an answer into numbers in a confined child. `lines` turns these numbers into text.
    """

    def numbers_of(self, value: Any, shared: Mapping[str, Any]) -> NDArray[Any]:
        """An answer as numbers for `lines`; a confined child runs it.

        Parameters
        ----------
        value
            What a table of predictions has `of` the case.
        shared
            Classes of the task, as participants know them.
        """
        raise NotImplementedError

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: Any
    ) -> CaseAnswers:
        """Return the answer for a case, line by line.

        Parameters
        ----------
        shared
            Content that all cases have in common.
        answer
            From `numbers_of`; ``None`` without a valid prediction.
        reference
            The prepared reference.
        """
        raise NotImplementedError
