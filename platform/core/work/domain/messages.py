"""Messages that are queued at the broker and that no worker has taken yet.

Celery has no way to ask whether a task is queued. The Redis transport keeps each queue as a list of JSON texts, whose
headers name the task and whose body carries its arguments, so one command reads a queue.
"""

import base64
import json
from collections import Counter
from typing import Any

from celery import Celery

Arguments = tuple[str | int, ...]
Queued = Counter[tuple[str, Arguments]]
"""Number of queued messages by task and arguments."""


def queue_of(app: Celery, task: str) -> str:
    """Return the name of the queue to which the messages of a task go."""
    return str(app.amqp.router.route({}, task)["queue"].name)


def queued_on(channel: Any, queue: str) -> Queued:
    """Read what is queued, over an open channel of the Redis transport; messages with a priority are not used here.

    Parameters
    ----------
    channel
        Channel of an open connection of the application.
    queue
        Name of the queue.

    Returns
    -------
    Counter
        Number of messages by task and arguments; empty for another transport than Redis, as tests use it.
    """
    if not hasattr(channel, "global_keyprefix"):
        return Queued()
    # The client adds the prefix of the installation to the commands that Celery uses, which this is none of.
    key = channel.global_keyprefix + queue
    counts: Queued = Counter()
    for text in channel.client.lrange(key, 0, -1):
        message = json.loads(text)
        body = json.loads(base64.b64decode(message["body"]))
        counts[message["headers"]["task"], tuple(body[0])] += 1
    return counts
