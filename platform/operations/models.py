"""What operators look at."""

from django.db import models


class Heartbeat(models.Model):
    """When a worker last ran a task that came through the broker, one row a queue."""

    queue = models.CharField(max_length=40, primary_key=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.queue} at {self.seen_at:%Y-%m-%d %H:%M:%S}"
