"""Figures for operators in the Prometheus format, read from the database at each request.

The figures are counted at the source, not in each process. Any number of web processes and workers
therefore gives the same answer, and a restart loses nothing. Labels are states and queues, never people,
teams or challenges.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Avg, Count, F, Max, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from accounts.notifications.models import Email
from core.audit.models import Entry
from core.work.queries import figures as figures_by_kind
from core.work.queries import queued_messages
from datastore.uploads.models import Upload
from datastore.uploads.storage import free_bytes
from leaderboards.queries.work import failing
from operations.models import Heartbeat
from operations.queries.health import health, held_everywhere
from submissions.models import Chunk, Run, Submission

RECENT = timedelta(hours=1)


class Collector:
    """Collector that provides the figures to `prometheus_client`."""

    def collect(self) -> Iterator[Metric]:
        """Yield whether each part works and, if the database answers, the state of the work."""
        parts = health()
        up = GaugeMetricFamily("podium_up", "Whether a part of the installation works", labels=["part"])
        for name, part in parts.items():
            up.add_metric([name], float(part.ok))
        yield up
        yield GaugeMetricFamily("podium_free_bytes", "Free space where uploads arrive", value=float(free_bytes()))
        if parts["database"].ok:
            for family in (_states, _queues, _messages, _uploads, _recent, _heartbeats, _audit):
                try:
                    yield from family(timezone.now())
                except DatabaseError:
                    # The rest is worth having when one table does not answer.
                    continue


def exposition() -> bytes:
    """Return all figures in the text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector())
    return generate_latest(registry)


def _states(now: datetime) -> Iterable[Metric]:  # noqa: ARG001 (one signature for all)
    for name, model in (("submissions", Submission), ("runs", Run), ("chunks", Chunk), ("emails", Email)):
        counts = dict(model.objects.order_by().values_list("state").annotate(rows=Count("pk")))
        family = GaugeMetricFamily(f"podium_{name}", f"Number of {name} by state", labels=["state"])
        for state in model.State.values:
            family.add_metric([state], counts.get(state, 0))
        yield family


def _queues(now: datetime) -> Iterable[Metric]:
    length = GaugeMetricFamily("podium_queue_length", "What waits for a worker or is being worked on", labels=["queue"])
    oldest = GaugeMetricFamily("podium_queue_oldest_seconds", "Age of the oldest of it", labels=["queue"])
    put_off = GaugeMetricFamily("podium_queue_put_off", "What is tried again later", labels=["queue"])
    repeated = GaugeMetricFamily(
        "podium_queue_repeated", "What is open and was begun before without coming to an end", labels=["queue"]
    )
    for figures in figures_by_kind():
        name = [figures.kind.name]
        length.add_metric(name, figures.length)
        oldest.add_metric(name, _seconds(now, figures.oldest))
        put_off.add_metric(name, figures.put_off)
        repeated.add_metric(name, figures.repeated)
    return length, oldest, put_off, repeated


def _messages(now: datetime) -> Iterable[Metric]:  # noqa: ARG001
    """Yield the number of messages at the broker that no worker has accepted.

    If they far outnumber the remaining work, some part of the system sends messages without end.
    """
    family = GaugeMetricFamily("podium_broker_messages", "Messages queued at the broker", labels=["queue"])
    for queue in settings.PODIUM_QUEUES:
        queued = queued_messages(queue)
        if queued is None:
            break  # `podium_up` says that the broker does not answer
        family.add_metric([queue], queued.total())
    yield family


def _uploads(now: datetime) -> Iterable[Metric]:  # noqa: ARG001
    open_ones = Upload.objects.filter(state=Upload.State.RECEIVING).aggregate(
        rows=Count("pk"), size=Sum("size"), received=Sum("offset")
    )
    archives_size = Submission.objects.aggregate(size=Sum("archive_size"))["size"]
    return (
        GaugeMetricFamily("podium_uploads_open", "Uploads under way", value=open_ones["rows"]),
        GaugeMetricFamily("podium_uploads_open_bytes", "Declared size of them", value=open_ones["size"] or 0),
        GaugeMetricFamily("podium_uploads_received_bytes", "What of it has arrived", value=open_ones["received"] or 0),
        GaugeMetricFamily("podium_archives_bytes", "Size of all archives of submissions", value=archives_size or 0),
    )


def _recent(now: datetime) -> Iterable[Metric]:
    """Yield the number and duration of the runs scored in the last hour.

    Alerts need current values, not the average since the start.
    """
    scored = Run.objects.filter(finished_at__gt=now - RECENT, state__in=(Run.State.SCORED, Run.State.SUPERSEDED))
    statistics = scored.aggregate(
        rows=Count("pk"), mean=Avg(F("finished_at") - F("queued_at")), longest=Max(F("finished_at") - F("queued_at"))
    )
    yield GaugeMetricFamily("podium_runs_scored_last_hour", "Runs scored in the last hour", value=statistics["rows"])
    duration = GaugeMetricFamily(
        "podium_run_seconds_last_hour", "From queued to scored, in the last hour", labels=["statistic"]
    )
    for name in ("mean", "longest"):
        if statistics[name] is not None:
            duration.add_metric([name], statistics[name].total_seconds())
    yield duration
    failed = Run.objects.filter(finished_at__gt=now - RECENT, state=Run.State.FAILED).count()
    yield GaugeMetricFamily("podium_runs_failed_last_hour", "Runs failed in the last hour", value=failed)
    yield GaugeMetricFamily(
        "podium_rankings_failing", "Rankings, and what follows them, whose last attempt failed", value=failing()
    )


def _heartbeats(now: datetime) -> Iterable[Metric]:
    family = GaugeMetricFamily(
        "podium_worker_silence_seconds", "Since a task last came through the broker", labels=["queue"]
    )
    beats = list(Heartbeat.objects.order_by("seen_at"))
    for queue, last in {beat.queue: beat.seen_at for beat in beats}.items():
        family.add_metric([queue], _seconds(now, last))
    yield family
    confined = GaugeMetricFamily(
        "podium_confinement",
        "Whether a guarantee about children holds on all machines of workers",
        labels=["guarantee"],
    )
    for name, held in held_everywhere(beats).items():
        confined.add_metric([name], float(held))
    yield confined


def _audit(now: datetime) -> Iterable[Metric]:  # noqa: ARG001
    length = Entry.objects.aggregate(length=Max("sequence"))["length"] or 0
    yield CounterMetricFamily("podium_audit_entries", "Entries of the audit log", value=length)


def _seconds(now: datetime, since: datetime | None) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0
