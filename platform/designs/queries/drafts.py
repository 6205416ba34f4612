"""Completeness of the other designs with a named version."""

from typing import Final

from django.core.cache import cache
from django.db.models import F, Max, QuerySet

from designs.models import Design, DesignVersion
from designs.queries.documents import document_of_version
from evaluation.designs.catalogue import shipped
from evaluation.designs.completeness import Drafts, completeness

LATEST: Final = 500
_SECONDS: Final = 30 * 24 * 3600


def drafts_beside(design: Design | None) -> Drafts | None:
    """Return the completeness of the last version of every other design, or ``None`` if there are too few.

    Designs from the literature are excluded: their sources were written for people, and they are counted as history.
    A version never changes. Its share is therefore computed once and cached.
    Runs two queries for any number of designs.
    """
    versions = DesignVersion.objects.annotate(last=Max("design__versions__number")).filter(
        number=F("last"), design__legacy_import=False
    )
    if design is not None:
        versions = versions.exclude(design_id=design.pk)
    rows = list(versions.order_by("-pk").values_list("pk", "digest")[:LATEST])
    shares = cache.get_many([_key(digest) for _, digest in rows])
    unknown = [pk for pk, digest in rows if _key(digest) not in shares]
    fresh = {_key(version.digest): _share(version) for version in _with_documents(unknown)} if unknown else {}
    if fresh:
        cache.set_many(fresh, _SECONDS)
    shares |= fresh
    return Drafts.of([shares[_key(digest)] for _, digest in rows])


def _key(digest: str) -> str:
    return f"designs.share.{shipped().version}.{digest}"


def _with_documents(keys: list[int]) -> QuerySet[DesignVersion]:
    return DesignVersion.objects.filter(pk__in=keys).defer("sealed")


def _share(version: DesignVersion) -> int:
    return completeness(document_of_version(version, sealed=False)).lowest.design.percent
