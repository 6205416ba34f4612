"""Facts of a version of a ranking for records of evaluations and model cards."""

import datetime as dt

from django.conf import settings
from django.urls import reverse

from datastore.uploads.storage import load_json
from evaluation.metadata import ResultFacts
from leaderboards.models import RankingVersion
from leaderboards.queries import names
from web.addresses import absolute


def result_facts(version: RankingVersion, *, key: str) -> ResultFacts:
    """Return the facts of a version, with the names and the values that its reader may see.

    Parameters
    ----------
    version
        Version as `leaderboards.views.place.Place.version` returns it for the reader.
    key
        Name of its phase in addresses.
    """
    phase = version.phase
    challenge = phase.challenge
    document = names.substitute(load_json(version.document_name), version.shown_names)
    shown = {(order["metric"], order["region"]) for order in version.table["orders"]}
    document["rankings"] = [
        board for board in document["rankings"] if (board.get("metric"), board.get("region")) in shown
    ]
    return ResultFacts(
        challenge=challenge.title,
        task=phase.task.name,
        data_name=f"{challenge.title}: test cases of {phase.name}",
        document=document,
        address=absolute(reverse("leaderboards:version", args=[challenge.slug, key, version.number])),
        data_address=absolute(reverse("datasets:data", args=[challenge.slug])),
        digest=version.digest,
        published=_start_of_day(version.created_at),
        publisher=settings.PODIUM_PUBLISHER,
        publisher_address=settings.PODIUM_ADDRESS,
        version=str(document["versions"].get("podium", "")),
    )


def _start_of_day(moment: dt.datetime) -> int:
    """Return the start of a day in UTC as Unix time: records state the day of a ranking, not its second."""
    day = moment.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return int(day.timestamp())
