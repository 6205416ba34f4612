"""A kind of work of the tests: errands, with owners between whom workers are shared."""

from contextlib import contextmanager
from datetime import timedelta

from django.db import connection, models
from django.db.models import Q
from django.test.utils import isolate_apps

from core.work import kinds
from core.work.models import Work
from core.work.queries import shared_now

with isolate_apps("core.work"):

    class Errand(Work):
        state = models.CharField(max_length=10, default="waiting")
        owner = models.CharField(max_length=10, blank=True)
        done = models.PositiveIntegerField(default=0)
        created_at = models.DateTimeField()

        class Meta:
            app_label = "work"


def kind(**changes):
    """Return the kind of errands, not registered."""
    return kinds.Kind(
        **{
            "name": "errands",
            "doing": "running an errand",
            "model": Errand,
            "is_open": Q(state__in=["waiting", "running"]),
            "begins": {"state": "running"},
            "task": "tests.run_errand",
            "lease": timedelta(seconds=30),
            "attempts": 3,
            "errors": 2,
            "patience": timedelta(seconds=5),
        }
        | changes
    )


def errand(**values):
    return Errand.objects.create(**{"created_at": shared_now()} | values)


@contextmanager
def table():
    """The table of errands, for as long as a test runs."""
    with connection.schema_editor() as editor:
        editor.create_model(Errand)
    try:
        yield
    finally:
        with connection.schema_editor() as editor:
            editor.delete_model(Errand)
