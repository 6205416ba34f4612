"""The boundary: what people type into the form of a design."""

from designs.forms.plain import AnswerForm, CommentForm, ImportForm, InvitationForm, StartForm, VersionForm
from designs.forms.posted import Posted, read_posted

__all__ = [
    "AnswerForm",
    "CommentForm",
    "ImportForm",
    "InvitationForm",
    "Posted",
    "StartForm",
    "VersionForm",
    "read_posted",
]
