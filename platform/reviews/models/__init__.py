from reviews.models.automatic import AutomaticAssignment
from reviews.models.calls import Anonymity, Audience, Call, Chair, MailText, Question, Showing
from reviews.models.filings import Decision, FiledVersion, Filing, Outcome, Transition
from reviews.models.people import Bid, Conflict, Part, Reviewer
from reviews.models.reviews import Answer, Assignment, Confidence, Review, SentReview
from reviews.models.states import OVER, PAIRS, RUNNING, WAYS, State
from reviews.models.threads import DiscussionEntry, ReviewComment, ReviewThread, Side

__all__ = [
    "OVER",
    "PAIRS",
    "RUNNING",
    "WAYS",
    "Anonymity",
    "Answer",
    "Assignment",
    "Audience",
    "AutomaticAssignment",
    "Bid",
    "Call",
    "Chair",
    "Confidence",
    "Conflict",
    "Decision",
    "DiscussionEntry",
    "FiledVersion",
    "Filing",
    "MailText",
    "Outcome",
    "Part",
    "Question",
    "Review",
    "ReviewComment",
    "ReviewThread",
    "Reviewer",
    "SentReview",
    "Showing",
    "Side",
    "State",
    "Transition",
]
