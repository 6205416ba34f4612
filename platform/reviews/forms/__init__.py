"""The boundary: what people enter, checked."""

from reviews.forms.calls import CallForm, MailTextForm, MessageForm, QuestionForm
from reviews.forms.people import BidForm, ChairForm, ConflictForm, InvitationForm, ReviewerForm
from reviews.forms.reviews import AnswerForm, DecisionForm, PointForm, ReasonForm, RevisionForm, VerdictForm

__all__ = [
    "AnswerForm",
    "BidForm",
    "CallForm",
    "ChairForm",
    "ConflictForm",
    "DecisionForm",
    "InvitationForm",
    "MailTextForm",
    "MessageForm",
    "PointForm",
    "QuestionForm",
    "ReasonForm",
    "ReviewerForm",
    "RevisionForm",
    "VerdictForm",
]
