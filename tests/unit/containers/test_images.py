"""Taking images: one id however they are packed, and a sentence for everything that is not taken."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from confinement.containers import making
from confinement.containers.images import ADAPTED, ImageError, ImageReport, take_image
from confinement.containers.layout import write_layout
from confinement.containers.limits import ImageLimits
from confinement.containers.making import Entry
from confinement.limits import GIB, MIB, PROGRAMS, Packing

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "containers" / "vectors.json").read_text())
RUN = Entry("opt/run.sh", b"#!/bin/sh\nexit 0\n", 0o755)
SHELL = Entry("bin/sh", b"a shell", 0o755)
SMALL = ImageLimits(archive_bytes=8 * MIB, unpacked_bytes=4 * MIB)
KINDS = [
    (kind, suffix, packed) for kind in ("oci", "docker") for suffix in ("", ".gz", ".zst") for packed in (False, True)
]


def made(*entries: Entry, ordered: bool = False, **options: object) -> making.Image:
    options.setdefault("entrypoint", ["/bin/sh", "/opt/run.sh"])
    layers = [making.layer([SHELL]), making.layer(entries or [RUN], ordered=ordered)]
    return making.image(layers, **options)


def taken(
    folder: Path,
    image: making.Image | list[tuple[str, bytes]],
    *,
    limits: ImageLimits = SMALL,
    kind: str = "oci",
    suffix: str = "",
    interface: str = "podium-exec-1",
) -> ImageReport:
    archive, store = folder / f"image.tar{suffix}", folder / "store"
    store.mkdir()
    making.archive(archive, image if isinstance(image, list) else making.parts(image, kind))
    return take_image(archive, store, limits=limits, architectures=["amd64"], interface=interface)


def refusal(folder: Path, image: making.Image | list[tuple[str, bytes]], **options: object) -> str:
    with pytest.raises(ImageError) as error:
        taken(folder, image, **options)
    said = str(error.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said


def replaced(parts: list[tuple[str, bytes]], name: str, change: Callable[[dict], object]) -> list[tuple[str, bytes]]:
    """The parts with a JSON document changed."""
    changed = []
    for own, data in parts:
        if own == name:
            document = json.loads(data)
            change(document)
            changed.append((own, json.dumps(document).encode()))
        else:
            changed.append((own, data))
    return changed


def test_archive_at_a_relative_path_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    making.archive(tmp_path / "image.tar.gz", making.parts(made(), "docker"))
    (tmp_path / "store").mkdir()
    monkeypatch.chdir(tmp_path)

    report = take_image(Path("image.tar.gz"), Path("store"), limits=SMALL, architectures=["amd64"])

    assert (tmp_path / "store" / "config.json").is_file()
    assert all((tmp_path / "store" / layer.stored_name).is_file() for layer in report.layers)


def test_image_of_the_vector_has_its_id(tmp_path: Path) -> None:
    own = VECTORS["image"]
    image = making.image(
        [making.layer([RUN])], entrypoint=["/bin/sh", "/opt/run.sh"], labels={"org.podium.interface": "podium-exec-1"}
    )

    report = taken(tmp_path, image)

    assert report.image_id == own["image_id"]
    assert (tmp_path / "store" / "config.json").read_text() == own["config"]
    assert f"sha256:{hashlib.sha256(image.manifest()).hexdigest()}" == own["manifest_plain"]


@pytest.mark.parametrize(("kind", "suffix", "packed"), KINDS)
def test_one_id_and_one_stored_form_however_it_is_packed(tmp_path: Path, kind: str, suffix: str, packed: bool) -> None:
    plain, other = made(), made(gzip_layers=packed)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()

    first = taken(tmp_path / "first", plain)
    second = taken(tmp_path / "second", other, kind=kind, suffix=suffix)

    assert first == second
    assert first.image_id == plain.image_id
    stored = [
        sorted((own.name, own.read_bytes()) for own in (tmp_path / name / "store").iterdir())
        for name in ("first", "second")
    ]
    assert stored[0] == stored[1]


def test_report_goes_through_json(tmp_path: Path) -> None:
    report = taken(tmp_path, made(labels={"team": "a"}))

    assert ImageReport.from_json(json.loads(json.dumps(report.as_json()))) == report
    assert report.labels == {"team": "a"}
    assert report.interface == "podium-exec-1"
    assert report.warnings == ()


def test_layout_that_we_write_has_no_name_and_the_same_id(tmp_path: Path) -> None:
    report = taken(tmp_path, made(tag="podium:latest"))
    store, folder = tmp_path / "store", tmp_path / "layout"
    folder.mkdir()
    stored = {layer.diff_id: store / layer.stored_name for layer in report.layers}

    write_layout(folder, (store / "config.json").read_bytes(), report.layers, stored.__getitem__)

    assert "podium:latest" not in (folder / "index.json").read_text()
    parts = [(own.relative_to(folder).as_posix(), own.read_bytes()) for own in folder.rglob("*") if own.is_file()]
    (tmp_path / "again").mkdir()
    assert taken(tmp_path / "again", parts) == report


def test_index_of_several_machines_and_attestations_give_the_one_that_fits(tmp_path: Path) -> None:
    ours, other = made(), made(architecture="arm64")
    parts = dict(making.parts(ours, "oci")) | dict(making.parts(other, "oci"))
    entries = [json.loads(dict(making.parts(own, "oci"))["index.json"])["manifests"][0] for own in (ours, other)]
    attested = {
        **entries[0],
        "platform": {"os": "unknown", "architecture": "unknown"},
        "annotations": {"vnd.docker.reference.type": "attestation-manifest"},
    }
    inner = json.dumps({"schemaVersion": 2, "manifests": [*entries, attested]}).encode()
    digest = hashlib.sha256(inner).hexdigest()
    kind = "application/vnd.oci.image.index.v1+json"
    outer = {"schemaVersion": 2, "manifests": [{"mediaType": kind, "digest": f"sha256:{digest}", "size": len(inner)}]}
    parts |= {f"blobs/sha256/{digest}": inner, "index.json": json.dumps(outer).encode()}

    assert taken(tmp_path, list(parts.items())).image_id == ours.image_id


def test_layers_of_old_docker_archives_may_be_links_to_each_other(tmp_path: Path) -> None:
    image = making.image([making.layer([SHELL])] * 2, entrypoint=["/bin/sh"])
    parts = dict(making.parts(image, "docker"))
    archive, store = tmp_path / "image.tar", tmp_path / "store"
    store.mkdir()
    [layer] = [name for name in parts if name.endswith("layer.tar")]
    listed = json.loads(parts["manifest.json"])
    listed[0]["Layers"] = [layer, "second/layer.tar"]
    with tarfile.open(archive, "w") as tar:
        for name, data in {**parts, "manifest.json": json.dumps(listed).encode()}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("second/layer.tar")
        link.type, link.linkname = tarfile.SYMTYPE, f"../{layer}"
        tar.addfile(link)

    report = take_image(archive, store, limits=SMALL, architectures=["amd64"])

    assert report.image_id == image.image_id
    assert len(report.layers) == 2


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        ({"entrypoint": ["/opt/lacking"]}, "No layer holds the entry point /opt/lacking"),
        ({"entrypoint": ["lacking"]}, "No layer holds the entry point lacking"),
        ({"user": "root"}, "USER of the image has no effect"),
        (
            {"more": {"Volumes": {"/input": {}}, "Healthcheck": {"Test": ["CMD", "x"]}}},
            "VOLUME, HEALTHCHECK of the image have",
        ),
    ],
)
def test_what_has_no_effect_or_cannot_start_is_said(tmp_path: Path, options: dict, warning: str) -> None:
    assert warning in " ".join(taken(tmp_path, made(**options)).warnings)


def test_entry_point_behind_links_or_on_the_path_is_seen(tmp_path: Path) -> None:
    entries = [
        Entry("usr/bin/python3.11", b"x", 0o755),
        Entry("usr/bin/python3", kind=tarfile.SYMTYPE, target="python3.11"),
        Entry("sbin", kind=tarfile.SYMTYPE, target="/usr/bin"),
    ]

    for number, program in enumerate(("python3", "/usr/bin/python3", "/sbin/python3")):
        (tmp_path / str(number)).mkdir()
        assert taken(tmp_path / str(number), made(*entries, entrypoint=[program])).warnings == ()


def test_entry_point_that_only_its_owner_may_enter_is_said(tmp_path: Path) -> None:
    image = made(
        Entry("home/user", kind=tarfile.DIRTYPE, mode=0o700),
        Entry("home/user/run", b"x", 0o755),
        entrypoint=["/home/user/run"],
    )

    assert "/home/user may be executed or entered by its owner only" in " ".join(taken(tmp_path, image).warnings)


def test_setuid_programs_are_noted(tmp_path: Path) -> None:
    assert "setuid" in " ".join(taken(tmp_path, made(RUN, Entry("bin/su", b"x", 0o4755))).warnings)


def test_an_image_made_for_grand_challenge_is_taken_and_told_that_the_folders_are_others(tmp_path: Path) -> None:
    label = {"org.grand-challenge.api-method": "exec"}
    says = "whose folders are not laid out here"
    for name in ("theirs", "both"):
        (tmp_path / name).mkdir()
    assert says in " ".join(taken(tmp_path / "theirs", made(RUN, labels=label)).warnings)
    both = label | {"org.podium.interface": "podium-exec-1"}
    assert says not in " ".join(taken(tmp_path / "both", made(RUN, labels=both)).warnings)


def test_where_their_folders_are_laid_out_images_without_our_label_are_taken(tmp_path: Path) -> None:
    for number, labels in enumerate(({}, {"org.grand-challenge.api-method": "exec"})):
        (tmp_path / str(number)).mkdir()
        report = taken(tmp_path / str(number), made(RUN, labels=labels), interface=ADAPTED)
        assert (report.interface, report.warnings) == (ADAPTED, ())
    (tmp_path / "ours").mkdir()
    ours = made(RUN, labels={"org.podium.interface": "podium-exec-1"})
    assert "Grand Challenge's folders are laid out here" in refusal(tmp_path / "ours", ours, interface=ADAPTED)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"entrypoint": []}, "neither ENTRYPOINT nor CMD"),
        ({"architecture": "s390x"}, "for s390x, but the machines here are amd64"),
        ({"labels": {"org.podium.interface": "podium-exec-9"}}, "known are podium-exec-1"),
        ({"labels": {"org.podium.interface": "podium-invoke-1"}}, "serves `invoke`"),
        ({"labels": {"Org.Grand-Challenge.Api-Method": "invoke"}}, "serves `invoke`"),
        ({"workdir": "/proc/self/fd/7"}, "WORKDIR"),
        ({"workdir": "opt"}, "WORKDIR"),
        ({"workdir": "/opt/../proc"}, "WORKDIR"),
        ({"more": {"Entrypoint": "sh -c true"}}, "list of texts"),
        ({"more": {"workingDir": "/proc/self/fd/7"}}, "mistaken for another"),
        ({"more": {"Labels": {"a": 1}}}, "Labels"),
    ],
)
def test_configurations_that_are_refused(tmp_path: Path, options: dict, says: str) -> None:
    assert says in refusal(tmp_path, made(**options), kind="docker")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (Entry("../../etc/cron.d/x", b"x"), "points outside"),
        (Entry("/etc/cron.d/x", b"x"), "points outside"),
        (Entry("dev/sda", kind=tarfile.BLKTYPE, major=8), "is a device"),
        (Entry("dev/mem", kind=tarfile.CHRTYPE, major=1, minor=1), "is a device"),
        (Entry("x", kind=tarfile.LNKTYPE, target="../../etc/shadow"), "points outside"),
        (Entry("a" * 5000, b"x"), "longer than"),
    ],
    ids=["dots", "absolute", "disk", "memory", "hard link", "long name"],
)
def test_entries_of_layers_that_are_refused(tmp_path: Path, entry: Entry, says: str) -> None:
    said = refusal(tmp_path, made(entry))

    assert "Layer 2 of 2" in said
    assert says in said


def test_a_file_behind_a_link_of_its_own_layer_is_refused(tmp_path: Path) -> None:
    entries = [Entry("x", kind=tarfile.SYMTYPE, target="../../etc"), Entry("x/passwd", b"root::0:0")]

    assert "lies behind the link x" in refusal(tmp_path, made(*entries, ordered=True))


def test_a_layer_that_is_not_what_its_digest_says_is_named(tmp_path: Path) -> None:
    image = made()
    bad = bytearray(image.layers[1].tar)
    bad[600] ^= 1
    parts = [(name, bytes(bad) if data == image.layers[1].tar else data) for name, data in making.parts(image, "oci")]

    assert "Layer 2 of 2: the content does not match its digest (sha256:" in refusal(tmp_path, parts)


def test_a_layer_of_docker_that_is_not_what_the_configuration_says_is_named(tmp_path: Path) -> None:
    image = made()
    other = making.layer([Entry("opt/run.sh", b"other", 0o755)]).tar
    parts = [(name, other if data == image.layers[1].tar else data) for name, data in making.parts(image, "docker")]

    assert "Layer 2 of 2: the content does not match its digest" in refusal(tmp_path, parts)


def test_a_bomb_ends_at_the_limit(tmp_path: Path) -> None:
    bomb = making.layer([Entry("opt/zeros", bytes(64 * MIB))])
    image = making.image([making.layer([SHELL]), bomb], entrypoint=["/bin/sh"], gzip_layers=True)

    said = refusal(tmp_path, image, limits=SMALL)

    assert "Layer 2 of 2: with it, the upload unpacks to more than 4,194,304 bytes" in said
    assert sum(own.stat().st_size for own in (tmp_path / "store").iterdir()) < SMALL.unpacked_bytes


def test_a_layer_that_unpacks_to_far_more_than_its_size_is_refused_at_the_usual_limits(tmp_path: Path) -> None:
    """Three GiB of zeros in three MiB are within the 30 GiB that an image may have, and no ordinary image has them."""
    head, piece = tarfile.TarInfo("opt/zeros"), 64 * MIB
    head.size = 3 * GIB
    bomb = gzip.compress(head.tobuf(tarfile.PAX_FORMAT)) + head.size // piece * gzip.compress(bytes(piece), 9)
    parts = making.parts(making.image([making.layer([SHELL])], entrypoint=["/bin/sh"]), "docker")
    first = next(name for name, _ in parts if name.endswith("layer.tar"))
    changed = replaced(
        [*parts, ("bomb/layer.tar", bomb)],
        "manifest.json",
        lambda listed: listed[0].update(Layers=[first, "bomb/layer.tar"]),
    )
    changed = replaced(
        changed, parts[0][0], lambda document: document["rootfs"]["diff_ids"].append(f"sha256:{'0' * 64}")
    )
    assert len(bomb) < 5 * MIB

    said = refusal(tmp_path, changed, limits=ImageLimits())

    assert said.startswith("Layer 2 of 2: with it, the upload of")
    assert f"over {PROGRAMS.ratio} times its own size. Remove files that are filled with one value" in said
    assert sum(own.stat().st_size for own in (tmp_path / "store").iterdir()) < MIB


def test_what_all_layers_unpack_to_is_bounded_by_the_size_of_the_upload(tmp_path: Path) -> None:
    zeros = [making.layer([Entry(f"opt/{number}", bytes(MIB))]) for number in range(2)]
    limits = replace(SMALL, packing=Packing(ratio=100, harmless_bytes=5 * MIB // 2))
    for name, layers, refused in (("two", zeros, False), ("twice", [*zeros, zeros[0]], True)):
        (tmp_path / name).mkdir()
        image = making.image([making.layer([SHELL]), *layers], entrypoint=["/bin/sh"], gzip_layers=True)
        if refused:
            assert "Layer 4 of 4: with it, the upload of" in refusal(tmp_path / name, image, limits=limits)
        else:
            assert taken(tmp_path / name, image, limits=limits).size > 2 * MIB


def test_a_bomb_of_the_archive_itself_ends_at_the_limit(tmp_path: Path) -> None:
    archive, store = tmp_path / "image.tar.gz", tmp_path / "store"
    store.mkdir()
    archive.write_bytes(gzip.compress(bytes(256 * MIB), 9))

    with pytest.raises(ImageError, match="The archive: with it, the upload"):
        take_image(archive, store, limits=SMALL)


def test_a_file_stored_with_holes_is_refused(tmp_path: Path) -> None:
    image = made()
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as layer:
        info = tarfile.TarInfo("opt/hole")
        info.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": "opt/hole",
            "GNU.sparse.realsize": str(2**40),
        }
        content = b"1\n0\n0\n".ljust(512, b"\0")
        info.size = len(content)
        layer.addfile(info, io.BytesIO(content))
    holed = making.Layer(tar.getvalue())
    image = making.image([making.layer([SHELL]), holed], entrypoint=["/bin/sh"])

    assert "without its empty parts" in refusal(tmp_path, image)


def test_several_images_are_refused_by_their_tags(tmp_path: Path) -> None:
    first, second = made(tag="podium:latest"), made(RUN, Entry("x", b"x"), tag="postgres:15")
    parts = dict(making.parts(first, "oci")) | dict(making.parts(second, "oci"))
    entries = [json.loads(dict(making.parts(own, "oci"))["index.json"])["manifests"][0] for own in (first, second)]
    parts["index.json"] = json.dumps({"schemaVersion": 2, "manifests": entries}).encode()

    said = refusal(tmp_path, list(parts.items()))

    assert "2 images (podium:latest, postgres:15)" in said


def test_several_images_of_docker_are_refused_and_several_tags_of_one_are_fine(tmp_path: Path) -> None:
    image, other = made(tag="one:1"), made(RUN, Entry("x", b"x"), tag="two:2")
    parts = dict(making.parts(image, "docker")) | dict(making.parts(other, "docker"))
    listed = [json.loads(dict(making.parts(own, "docker"))["manifest.json"])[0] for own in (image, other)]
    twice = [listed[0], listed[0] | {"RepoTags": ["three:3"]}]
    for name in ("several", "tags"):
        (tmp_path / name).mkdir()

    said = refusal(tmp_path / "several", list((parts | {"manifest.json": json.dumps(listed).encode()}).items()))
    report = taken(tmp_path / "tags", list((parts | {"manifest.json": json.dumps(twice).encode()}).items()))

    assert "one:1, two:2" in said
    assert report.image_id == image.image_id


def test_archives_that_hold_no_image(tmp_path: Path) -> None:
    samples = {
        "zip": (b"PK\x03\x04" + bytes(600), "packed with ZIP"),
        "text": (b"hello" * 200, "no tar archive"),
        "empty": (b"", "no tar archive"),
        "cut": (gzip.compress(bytes(2000))[:20], "cannot be unpacked"),
        "xz": (b"\xfd7zXZ\x00" + bytes(600), "packed with xz"),
    }
    for name, (content, says) in samples.items():
        store = tmp_path / name
        store.mkdir()
        (tmp_path / f"{name}.tar").write_bytes(content)
        with pytest.raises(ImageError, match=says):
            take_image(tmp_path / f"{name}.tar", store, limits=SMALL)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("../outside", b"x", "points outside"),
        ("/absolute", b"x", "points outside"),
        ("index.json", b"{}", "twice"),
        ("./index.json", b"{}", "twice"),
    ],
)
def test_names_of_the_archive_that_are_refused(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    assert says in refusal(tmp_path, [*making.parts(made(), "oci"), (name, data)])


def test_documents_that_are_refused(tmp_path: Path) -> None:
    parts = making.parts(made(), "oci")

    def case(name: str, own: list[tuple[str, bytes]]) -> str:
        (tmp_path / name).mkdir()
        return refusal(tmp_path / name, own)

    assert "is no JSON" in case("json", [(n, b"{" if n == "index.json" else d) for n, d in parts])
    assert "is no JSON" in case("deep", [(n, b"[" * 100_000 if n == "index.json" else d) for n, d in parts])
    assert "at most" in case("long", [(n, b" " * (2 * MIB) if n == "index.json" else d) for n, d in parts])
    assert "key twice" in case(
        "twice", [(n, b'{"manifests":[],"manifests":[]}' if n == "index.json" else d) for n, d in parts]
    )
    assert "no list manifests" in case("list", replaced(parts, "index.json", lambda own: own.update(manifests={})))
    assert "no image for amd64" in case("none", replaced(parts, "index.json", lambda own: own.update(manifests=[])))
    assert "lacks blobs" in case(
        "lacking",
        [(n, d) for n, d in parts if json.loads(dict(parts)["index.json"])["manifests"][0]["digest"][7:] not in n],
    )

    def elsewhere(own: dict) -> None:
        own["manifests"][0]["digest"] = "sha512:abc"

    assert "no SHA-256 digest" in case("digest", replaced(parts, "index.json", elsewhere))


def test_foreign_layers_are_refused(tmp_path: Path) -> None:
    image = made()
    manifest = json.loads(image.manifest())
    manifest["layers"][0] |= {"urls": ["https://example.org/layer"]}
    content = json.dumps(manifest).encode()
    digest = hashlib.sha256(content).hexdigest()
    index = {"schemaVersion": 2, "manifests": [{"digest": f"sha256:{digest}", "size": len(content)}]}
    parts = [own for own in making.parts(image, "oci") if own[0] != "index.json"]

    said = refusal(tmp_path, [*parts, ("index.json", json.dumps(index).encode()), (f"blobs/sha256/{digest}", content)])

    assert "Layer 1 of 2 is not in the archive but at an address" in said


def test_bounds_on_archive_layers_and_entries(tmp_path: Path) -> None:
    for name in ("archive", "layers", "entries", "sum"):
        (tmp_path / name).mkdir()
    many = making.image([making.layer([SHELL])] * 6, entrypoint=["/bin/sh"])
    full = made(*(Entry(f"x/{number}") for number in range(40)))
    noise = making.layer([Entry("noise", hashlib.shake_128(b"x").digest(3 * MIB))])
    large = making.image(
        [making.layer([SHELL]), noise, making.layer([Entry("y", bytes(2 * MIB))])], entrypoint=["/bin/sh"]
    )

    assert "at most 100 are taken" in refusal(tmp_path / "archive", made(), limits=ImageLimits(archive_bytes=100))
    assert "6 layers; at most 5" in refusal(tmp_path / "layers", many, limits=ImageLimits(layers=5))
    assert "more than 30 files" in refusal(tmp_path / "entries", full, limits=ImageLimits(entries=30))
    assert "Layer 3 of 3: with it, the upload unpacks to more than" in refusal(tmp_path / "sum", large)
