"""Data of a challenge, from the viewpoint of a visitor."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet, Sum
from django.urls import reverse
from rules import test_rule

from challenges.models import Challenge
from challenges.queries.people import participation_of
from challenges.queries.projections import projection_of, public_document
from datastore.datasets.models import Dataset, DatasetFile, DatasetUpload, DatasetVersion, Download
from datastore.datasets.queries.naming import names_are_allowed
from evaluation.designs.catalogue import shipped

LOCATIONS = "data_locations"
DOWNLOAD_COLUMNS = (
    *("issued_at", "last_used_at", "data_set", "version", "file", "user", "requests", "bytes_sent", "agreement_sha256"),
)


@dataclass(frozen=True)
class Offer:
    """A data set as a visitor sees it.

    Attributes
    ----------
    versions
        Released versions, the newest first; for organizers the draft as well.
    current
        The newest version that can be used.
    may_have
        True if this person gets the files.
    takes_files
        True if the page has the form of uploads for its draft; the page has room for one form.
    """

    dataset: Dataset
    versions: list[DatasetVersion]
    current: DatasetVersion | None
    may_have: bool
    takes_files: bool = False

    @property
    def draft(self) -> DatasetVersion | None:
        """The version that organizers are filling."""
        return next((version for version in self.versions if version.released_at is None), None)

    @property
    def next_number(self) -> int:
        """Number of the version after the last."""
        return self.versions[0].number + 1 if self.versions else 1

    @property
    def files(self) -> list[DatasetFile]:
        """Files of the current version."""
        return list(self.current.files.all()) if self.current else []

    @property
    def size(self) -> int:
        """Bytes of the current version."""
        return sum(file.size for file in self.files)


def offers(challenge: Challenge, user: Any) -> list[Offer]:
    """The data sets of a challenge with released versions; in a fixed number of queries, however many there are."""
    organizes = user.has_perm("datasets.offer_data", challenge)
    versions = DatasetVersion.objects.order_by("-number").prefetch_related("files")
    rows = Dataset.objects.filter(challenge=challenge).select_related("challenge", "task").order_by("pk")
    rows = rows.prefetch_related(Prefetch("versions", queryset=versions))
    may = {
        access: test_rule("datasets.have_dataset", user, Dataset(challenge=challenge, access=access))
        for access in Dataset.Access
    }
    dataset_offers = []
    for dataset in rows:
        visible_versions = [
            version for version in dataset.versions.all() if organizes or version.released_at is not None
        ]
        for version in visible_versions:
            version.dataset = dataset
        if not organizes:
            # The names of the files name teams as well.
            visible_versions = [version for version in visible_versions if names_are_allowed(version)]
        if not (visible_versions or dataset.is_link or organizes):
            continue
        current = next((entry for entry in visible_versions if entry.released_at and entry.withdrawn_at is None), None)
        dataset_offers.append(Offer(dataset, visible_versions, current, may[Dataset.Access(dataset.access)]))
    return dataset_offers


@dataclass(frozen=True)
class Location:
    """Location of data according to the registered design, as text."""

    task: str
    split: str
    place: str
    is_hosted: bool
    url: str
    access: str
    licence: str
    facts: tuple[tuple[str, str], ...]
    purpose: str = ""


def locations(challenge: Challenge) -> list[Location]:
    """Return the locations of data in the registered design; none for a challenge without a registration."""
    projection = projection_of(challenge)
    if projection is None:
        return []
    fields = {field.key: field for field in shipped()[LOCATIONS].item_fields}
    words = {
        key: {choice.value: choice.label for choice in fields[key].choices} for key in ("split", "place", "access")
    }
    data_locations = []
    document = public_document(projection.version)
    several = len(document.tasks) > 1
    for values in document.each_task():
        for row in values.rows(LOCATIONS):
            url = str(row.get("url") or "")
            facts = tuple(
                (fields[key].label, str(row[key])) for key in ("conditions", "size", "format", "sha256") if row.get(key)
            )
            data_locations.append(
                Location(
                    task=values.name if several else "",
                    split=words["split"].get(str(row.get("split")), ""),
                    place=words["place"].get(str(row.get("place")), ""),
                    is_hosted=row.get("place") == "hosted",
                    # What is written there comes from people: only addresses that a browser opens as a page.
                    url=url if url.startswith("https://") else "",
                    access=words["access"].get(str(row.get("access")), ""),
                    licence=str(row.get("licence") or ""),
                    facts=facts,
                    purpose=str(row.get("split") or ""),
                )
            )
    return data_locations


@dataclass(frozen=True)
class Split:
    """Places of the training, validation or test data.

    Attributes
    ----------
    offers
        Data sets of this split on the page.
    locations
        Locations in the registered design, if the page has no data set of this split.
    """

    title: str
    offers: tuple[Offer, ...]
    locations: tuple[Location, ...]


def splits(dataset_offers: Iterable[Offer], data_locations: Iterable[Location]) -> list[Split]:
    """Return training, validation and test data with the places where each is."""
    rows = []
    for value, title in (("training", "Training data"), ("validation", "Validation data"), ("test", "Test data")):
        offered = tuple(offer for offer in dataset_offers if offer.dataset.split == value)
        named = tuple(entry for entry in data_locations if entry.purpose == value and not offered)
        rows.append(Split(title, offered, named))
    return rows


def why_not(challenge: Challenge, user: Any) -> tuple[str, str]:
    """Return the obstacle between a person and the data under the agreement, and the page that resolves it.

    Both are empty if there is no obstacle. The page is also empty if the person cannot resolve it.
    """
    if test_rule("datasets.have_dataset", user, Dataset(challenge=challenge, access=Dataset.Access.AGREEMENT)):
        return "", ""
    join = reverse("challenges:join", args=[challenge.slug])
    if not user.is_authenticated:
        return "Sign in and agree to the data usage agreement to download.", f"{reverse('account_login')}?next={join}"
    part = participation_of(user, challenge)
    if part is None:
        return "Agree to the data usage agreement to download; that is part of taking part.", join
    if part.state == part.State.PENDING:
        return "The organizers have not let you in yet; the data can be downloaded from then on.", ""
    if part.state == part.State.DECLINED:
        return "Your request to join was declined, so you can't download the data.", ""
    return "The data usage agreement has changed. Agree to the new version to download.", join


def hosted_bytes(challenge: Challenge) -> int:
    """Bytes that the files of a challenge take, those that are announced included."""
    stored_bytes = DatasetFile.objects.filter(version__dataset__challenge=challenge).aggregate(total=Sum("size"))[
        "total"
    ]
    arriving = DatasetUpload.objects.filter(
        version__dataset__challenge=challenge, state=DatasetUpload.State.RECEIVING
    ).aggregate(total=Sum("size"))["total"]
    return (stored_bytes or 0) + (arriving or 0)


def downloads_of(challenge: Challenge) -> QuerySet[Download]:
    """The access log of a challenge, the latest first."""
    rows = Download.objects.filter(file__version__dataset__challenge=challenge)
    return rows.select_related("file__version__dataset", "user").order_by("-issued_at", "-pk")


def download_rows(rows: QuerySet[Download]) -> Iterator[tuple[Any, ...]]:
    """Lines of the access log."""
    for entry in rows.iterator(chunk_size=2000):
        version = entry.file.version
        yield (
            entry.issued_at,
            entry.last_used_at,
            version.dataset.slug,
            version.number,
            entry.file.name,
            entry.user.username if entry.user else "",
            entry.requests,
            entry.bytes_sent,
            entry.agreement_digest,
        )
