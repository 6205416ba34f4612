"""Comparison of the images of a sealed test set with each other, with other phases, and with data for participants."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import structlog
from django.utils import timezone

from confinement import archive
from confinement.limits import ArchiveLimits
from confinement.sandbox import answers
from core.work.services import UNEXPECTED, Lease, LeaseLostError, claim
from datastore.datasets.models import Dataset, DatasetFile
from datastore.test_sets import vault
from datastore.test_sets.domain import backgrounds
from datastore.test_sets.models import OverlapCheck, OverlapPair, TestCase, TestSet
from datastore.test_sets.queries.work import OVERLAPS
from datastore.uploads.storage import child_limits, delete, local_path, working_folder
from evaluation.readers import ReadError
from evaluation.test_set_quality.folders import image_case
from evaluation.test_set_quality.overlap import Pair, Signature, overlaps
from evaluation.test_set_quality.signatures import load_signature, read_signature, write_signature

log = structlog.get_logger(__name__)

OWN: Final = "this test set"
MOST_IMAGES: Final = 5000
"""Images of other sources that are compared."""
MOST_PAIRS: Final = 200
"""Pairs that are stored with pictures; more of them mean that a whole set occurs twice. The page states their number."""


@dataclass(frozen=True)
class Source:
    """An image in a file of the private storage, or in an archive there."""

    name: str
    where: str
    stored: str
    member: str = ""


def compare_images(*, check_id: int) -> None:
    """Compare the images of a test set, unless another worker does it."""
    lease = claim(OVERLAPS, check_id, give_up=_give_up)
    if lease is None:
        return
    check = OverlapCheck.objects.select_related("test_set__phase__task__challenge").get(pk=lease.pk)
    try:
        with lease.renewed():
            _compare(check, lease)
    except LeaseLostError:
        return
    except Exception:
        log.exception("overlap_failed", check=check.pk)
        if lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc(), state=OverlapCheck.State.WAITING)
        else:
            lease.complete(state=OverlapCheck.State.FAILED, failure=UNEXPECTED, finished_at=timezone.now())


def _give_up(lease: Lease) -> None:
    lease.complete(state=OverlapCheck.State.FAILED, failure=UNEXPECTED, finished_at=timezone.now())


def _compare(check: OverlapCheck, lease: Lease) -> None:
    test_set = check.test_set
    own_images = [
        Source(case.name, OWN, case.image_file)
        for case in test_set.cases.exclude(image_file="").order_by("position").only("name", "image_file")
    ]
    offered = [*_of_phases(test_set), *_of_data(test_set)]
    others = offered[:MOST_IMAGES]
    by_key = {f"{number}": source for number, source in enumerate([*own_images, *others])}
    own_keys = {key for key, source in by_key.items() if source.where == OWN}
    with working_folder() as folder:
        signatures = _signatures(by_key, folder, lease)
        first = {key: item for key, item in signatures.items() if key in own_keys}
        second = {key: item for key, item in signatures.items() if key not in own_keys}
        pairs = _by_axes(first, None) + _by_axes(first, second)
    compared: dict[str, int] = {}
    for key in second:
        compared[by_key[key].where] = compared.get(by_key[key].where, 0) + 1
    rows = [_row(check, pair, by_key, number) for number, pair in enumerate(pairs[:MOST_PAIRS])]
    with lease.completing() as row:
        for old in row.pairs.all():
            for name in set(old.pictures) - {name for entry in rows for name in entry.pictures}:
                delete(name)
        row.pairs.all().delete()
        OverlapPair.objects.bulk_create(rows)
        row.state, row.finished_at, row.progress = OverlapCheck.State.DONE, timezone.now(), {}
        row.images, row.compared = len(first), compared
        row.unread, row.left_out = len(by_key) - len(signatures), len(offered) - len(others)
        row.pair_count = len(pairs)


def _by_axes(first: Mapping[str, Signature], second: Mapping[str, Signature] | None) -> list[Pair]:
    """Compare images of two axes, and images of three axes."""
    pairs: list[Pair] = []
    for axes in (2, 3):
        one = {key: item for key, item in first.items() if item.axes == axes}
        other = None if second is None else {key: item for key, item in second.items() if item.axes == axes}
        if len(one) > (other is None) and (other is None or other):
            pairs += overlaps(one, other)
    return pairs


def _of_phases(test_set: TestSet) -> Iterator[Source]:
    """Yield the images of the active test sets of the other phases of the challenge."""
    challenge = test_set.phase.task.challenge_id
    rows = TestCase.objects.filter(test_set__phase__task__challenge=challenge, test_set__is_active=True)
    rows = rows.exclude(test_set__phase=test_set.phase_id).exclude(image_file="").order_by("pk")
    for name, phase, stored in rows.values_list("name", "test_set__phase__name", "image_file"):
        yield Source(name, f"phase {phase}", stored)


def _of_data(test_set: TestSet) -> Iterator[Source]:
    """Yield the images that participants get: image files, and images in ZIP archives. Test images are not compared."""
    rows = DatasetFile.objects.filter(
        version__dataset__challenge=test_set.phase.task.challenge_id,
        version__withdrawn_at=None,
        state=DatasetFile.State.READY,
    ).exclude(version__dataset__split__in=(Dataset.Split.TEST, Dataset.Split.PUBLISHED))
    for file in rows.select_related("version__dataset").order_by("pk"):
        where = f"data set {file.version.dataset.name}"
        if image_case(PurePosixPath(file.name).name):
            yield Source(file.name, where, file.stored)
        elif file.name.lower().endswith(".zip"):
            yield from _in_archive(file, where)


def _in_archive(file: DatasetFile, where: str) -> Iterator[Source]:
    path = local_path(file.stored)
    names: list[str] = []

    def work(_: str, _folder: Path) -> object:
        with suppress(archive.ArchiveError):
            return [member.path for member in archive.members(path, ArchiveLimits())][: 2 * MOST_IMAGES]
        return []

    for answer in answers(["archive"], work, limits=child_limits(), reads=[path]):
        if answer.failure is None and isinstance(answer.value, list):
            names = [str(name) for name in answer.value]
    for name in names:
        if image_case(PurePosixPath(name).name):
            yield Source(f"{file.name}/{name}"[:300], where[:200], file.stored, name)


def _signatures(by_key: Mapping[str, Source], folder: Path, lease: Lease) -> dict[str, Signature]:
    """Return the signatures of images, read in confined children; images that cannot be read are absent."""
    paths = {key: local_path(source.stored) for key, source in by_key.items()}

    def work(key: str, own_folder: Path) -> object:
        try:
            path = _in_place(by_key[key], paths[key], own_folder)
            write_signature(read_signature(path), folder / key)
            if path != paths[key]:
                path.unlink()
        except (ReadError, archive.ArchiveError, OSError, ValueError):
            return "unread"
        return "done"

    signatures = {}
    reads = list(dict.fromkeys(paths.values()))
    children = answers(list(by_key), work, limits=child_limits(), reads=reads, beat=lease.beat, hands_over=folder)
    for number, answer in enumerate(children, start=1):
        file = folder / answer.item
        if answer.failure is None and file.is_file():
            with suppress(ValueError):
                signatures[answer.item] = load_signature(file)
        file.unlink(missing_ok=True)
        lease.tell(progress={"done": number, "total": len(by_key)})
    return signatures


def _in_place(source: Source, path: Path, folder: Path) -> Path:
    """Return a path with the ending that readers need: extracted, or linked if the stored name has another one."""
    name = PurePosixPath(source.member or source.name).name
    if source.member:
        archive.extract(path, source.member, folder / name, limit=ArchiveLimits().entry_bytes)
        return folder / name
    if source.where == OWN or image_case(path.name):
        return path
    (folder / name).symlink_to(path)
    return folder / name


def _row(check: OverlapCheck, pair: Pair, by_key: Mapping[str, Source], number: int) -> OverlapPair:
    sources = [by_key[pair.first], by_key[pair.second]]
    if sources[0].where != OWN:
        sources.reverse()
    pictures = []
    for side, source in enumerate(sources):
        picture = _picture(source)
        if picture is not None:
            name = f"overlaps/{check.pk}/{timezone.now():%Y%m%d%H%M%S}-{number}-{side}.png{vault.SUFFIX}"
            vault.keep_bytes(name, picture)
            pictures.append(name)
    return OverlapPair(
        check_run=check,
        case=sources[0].name,
        other=sources[1].name,
        source=sources[1].where,
        exact=pair.exact,
        agreeing=pair.agreeing,
        correlation=round(pair.correlation, 3),
        reflected=pair.reflected,
        pictures=pictures if len(pictures) == len(sources) else [],
    )


def _picture(source: Source) -> bytes | None:
    """Draw an image in a confined child."""
    path = local_path(source.stored)

    with working_folder() as folder:

        def work(_: str, own_folder: Path) -> object:
            with suppress(ReadError, archive.ArchiveError, OSError, RuntimeError, ValueError):
                image = backgrounds.read(_in_place(source, path, own_folder))
                if image is not None:
                    (folder / "picture").write_bytes(backgrounds.picture(image))
            return "done"

        for answer in answers(["picture"], work, limits=child_limits(), reads=[path], hands_over=folder):
            if answer.failure is None and (folder / "picture").is_file():
                return (folder / "picture").read_bytes()
    return None
