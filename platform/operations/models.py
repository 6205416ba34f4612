"""Models for operators: heartbeats of workers and completed backups."""

from django.db import models


class Heartbeat(models.Model):
    """The last time a machine ran a task of a queue, and how it confines child processes.

    Only tasks that came through the broker count.
    """

    queue = models.CharField(max_length=40)
    host = models.CharField(max_length=100, blank=True)
    seen_at = models.DateTimeField()
    confinement = models.JSONField(default=dict, blank=True, help_text="guarantee → whether it holds on this machine")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["queue", "host"], name="operations_one_heartbeat_a_queue_and_host")
        ]

    def __str__(self) -> str:
        return f"{self.queue} at {self.seen_at:%Y-%m-%d %H:%M:%S}"


class BackupMade(models.Model):
    """A completed backup.

    `doctor` and ``/healthz`` report when the last backup is too old.
    """

    name = models.CharField(max_length=40)
    made_at = models.DateTimeField()
    files = models.PositiveIntegerField()
    timestamps = models.PositiveIntegerField(null=True, help_text="timestamps of a third party that it has")

    class Meta:
        verbose_name_plural = "backups made"
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return self.name
