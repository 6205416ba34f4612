"""How cases of a kind of problem are pictured, and who may see what of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from evaluation.assessment import Assessment
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.problems.case_answers import CaseAnswers


class PicturedProblem:
    """What `evaluation.problems.base.Problem` says of pictures; a kind of which nothing is drawn has nothing to add.

    Attributes
    ----------
    picture_words
        What a picture of a case shows, behind “The picture shows”: the prediction, and the reference for who may see it.
    picture_caption
        A sentence below it, ``{shown}`` being ``prediction`` or ``reference``; may be empty.
    outlines
        What is drawn in the colours of a prediction and a reference; empty where a picture has no such colours.
    """

    picture_words: str = "{case} with the prediction"
    picture_caption: str = ""
    outlines: tuple[str, ...] = ("prediction", "reference")

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """Whether there is something to draw of a case; `facts` are what participants may know of it."""
        return False

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """Type and shape of `outline_of`, as NumPy names them; -1 stands for any length."""
        return "float64", (-1,)

    def outline_of(self, value: Any) -> NDArray[Any]:
        """What a picture shows of a reference or a prediction; a confined child runs it for predictions.

        Parameters
        ----------
        value
            Of a kind with a file a case: what was read of the file. Of a table: a prepared reference or a prediction.
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
            Grey levels of the case's image, 0 to 255, axes x, y[, z], where organizers sent one.
        prediction, reference
            From `outline_of`; ``None`` without a valid prediction, and for whoever may not see the reference.
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
        """What stands below a picture behind the names of its colours; may be empty."""
        return self.picture_caption.format(shown="reference" if with_reference else "prediction")

    def legend_of(self, *, with_reference: bool) -> str:
        """Colours and caption of a picture in one text, for print.

        Examples
        --------
        >>> PicturedProblem().legend_of(with_reference=True)
        'Prediction in blue, reference in yellow.'
        """
        colours = {"prediction": "prediction in blue", "reference": "reference in yellow"}
        named = ", ".join(colours[name] for name in self.outlines if with_reference or name != "reference")
        sentences = [
            f"{named[:1].upper()}{named[1:]}." if named else "",
            self.caption_of(with_reference=with_reference),
        ]
        return " ".join(filter(None, sentences))

    def answer_numbers_of(self, value: Any, shared: Mapping[str, Any]) -> NDArray[Any]:
        """An answer as numbers for `case_answers`; a confined child runs it.

        Parameters
        ----------
        value
            What a table of predictions has `of` the case.
        shared
            Classes of the task, as participants know them.
        """
        raise NotImplementedError

    def case_answers(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: Any
    ) -> CaseAnswers:
        """What was answered for a case, line by line.

        Parameters
        ----------
        shared
            What all cases have in common.
        answer
            From `answer_numbers_of`; ``None`` without a valid prediction.
        reference
            The prepared reference.
        """
        raise NotImplementedError
