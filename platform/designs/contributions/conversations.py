"""Conversations about parameters of a design (`accounts.conversations.hooks.policies`)."""

from typing import Any

from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.conversations.hooks import Acts, ConversationPolicy, policies
from accounts.conversations.models import Thread
from designs.models import Design
from evaluation.designs.catalogue import shipped


class DesignConversations(ConversationPolicy[Design]):
    """Conversations about the parameters of a design, for its writers and reviewers.

    Each of them can resolve a thread.
    The topic of a thread is the name of a parameter, and its part is the key of a task.
    No e-mails are sent: the form shows the open threads.
    """

    model = Design
    acts = Acts(
        started="design_thread_opened",
        written="design_comment_added",
        closed="design_thread_resolved",
        reopened="design_thread_reopened",
    )
    readers = writers = closers = "designs.comment_on_design"
    text_length = 5000

    def scope(self, target: Design) -> str:
        """The design's short name."""
        return target.slug

    def path(self, thread: Thread, target: Design) -> str:
        """The comments on the parameter."""
        if thread.part:
            return reverse("designs:task_comments", args=[target.slug, thread.topic, thread.part])
        return reverse("designs:comments", args=[target.slug, thread.topic])

    def check_topic(self, target: Design, *, topic: str, part: str) -> None:
        """Refuse a parameter or task that the design does not have."""
        if topic not in shipped().parameters or (part and not target.tasks.filter(key=part).exists()):
            raise ValidationError("There is no such parameter in this design.")

    def facts(self, thread: Thread) -> dict[str, Any]:
        """Return the parameter and its task."""
        return {"parameter": thread.topic, "task": thread.part or None}


DESIGN_CONVERSATIONS = policies.register(DesignConversations())
