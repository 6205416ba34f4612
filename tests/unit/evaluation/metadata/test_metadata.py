"""Descriptions of data and results: complete, without what is not public, and valid for the validators of each vocabulary."""

import hashlib
import json
import os
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evaluation
from evaluation import rank, verify
from evaluation.bundle import Published, TeamResult, chunks, result_digest
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json
from evaluation.metadata import (
    CRATE,
    ChallengeFacts,
    DataFile,
    DataSet,
    Person,
    ResultFacts,
    crate_of_files,
    croissant,
    datacite_record,
    dataset,
    event,
    every_eval_ever,
    model_index,
)
from evaluation.metadata.facts import people_of
from evaluation.metadata.responsible import SOURCES, responsible_entries
from evaluation.ranking import digest

ROOT = Path(__file__).resolve().parents[4]
VALIDATORS = Path(os.environ.get("PODIUM_VALIDATORS", ROOT / ".venv-validators")) / "bin" / "python"
EXAMPLES = sorted((Path(evaluation.__file__).parent / "designs" / "examples").glob("*.json"))
ROR = "Vanderbilt University Medical Center (https://ror.org/05dq2gs74)"
needs_validators = pytest.mark.skipif(not VALIDATORS.is_file(), reason="make validators was not run")


def values_of(path):
    document, _ = from_json(json.loads(path.read_text("utf-8")), catalogue=shipped(), lenient=True)
    return document.values(next(iter(document.tasks)))


def data_of(path):
    values = values_of(path)
    people = (*people_of(values), Person("Ada Lovelace", ROR, "0000-0002-1825-0097"))
    files = (
        DataFile("training.zip", 10_000, hashlib.sha256(b"a").hexdigest(), "https://example.org/d/training.zip"),
        DataFile("test images.zip", 20_000, hashlib.sha256(b"b").hexdigest()),
    )
    return DataSet(
        name=f"{values.text('challenge_name')}: training data",
        description=values.text("challenge_abstract"),
        address="https://example.org/challenges/hippo/data/",
        version="2",
        released="2026-02-01",
        licence="CC BY-SA 4.0",
        publisher="Podium",
        people=people,
        files=files,
        keywords=("MRI", "hippocampus"),
        citation="Antonelli et al., The Medical Segmentation Decathlon, 2022",
        design=values,
    )


@pytest.fixture(scope="module")
def results():
    random = np.random.default_rng(3)
    rows = [
        (name, f"case {case}", value)
        for name, centre in (("U-Net", 0.9), ("Atlas & Co", 0.8), ("Forest", 0.79))
        for case, value in enumerate(np.clip(random.normal(centre, 0.05, 20), 0, 1))
    ]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}],
    }
    ranking = rank(document, table, bootstrap=200)
    return ResultFacts(
        challenge="Hippocampus Segmentation 2026",
        task="Segmentation",
        data_name="Hippocampus test cases",
        document=ranking,
        address="https://example.org/challenges/hippo/leaderboard/1/",
        data_address="https://example.org/challenges/hippo/data/",
        digest=digest(ranking),
        published=1_790_000_000,
        publisher="Podium",
        publisher_address="https://example.org",
        version=evaluation.__version__,
        ranges={"value": (0, 1)},
    )


def bundle_with_crate(folder, results):
    from evaluation.assessment import parse

    assessment = parse(
        {
            "problem": "external",
            "schema": 1,
            "metrics": [{"id": "v", "label": "value", "direction": "higher", "policy": {"missing": 0}}],
        }
    )
    rows = {
        "case": ["1", "2"],
        "region": "",
        "metric": "value",
        "outcome": "ok",
        "image_diagonal": float("nan"),
        "flag": "",
    }
    tables = {name: pd.DataFrame(rows | {"value": [value, value]}) for name, value in (("a", 0.9), ("b", 0.4))}
    from evaluation.ranking import rank as rank_assessment

    every = pd.concat([table.assign(algorithm=name) for name, table in tables.items()])
    document = rank_assessment(assessment, every)
    published = Published(digest=digest(document), document=document, facts={"title": "Two teams"})
    teams = [TeamResult(name, result_digest(table), table) for name, table in tables.items()]
    path = folder / "bundle.zip"
    path.write_bytes(b"".join(chunks(published, assessment, teams)))
    return path, published.digest


def validated(folder):
    done = subprocess.run(
        [VALIDATORS, Path(__file__).with_name("validating.py"), folder],
        check=True,
        capture_output=True,
        text=True,
        timeout=280,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )
    return json.loads(done.stdout.splitlines()[-1])


def write(folder, name, document):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")


@needs_validators
@pytest.mark.slow
def test_every_document_is_valid_for_the_validator_of_its_vocabulary(tmp_path, results):
    for path in EXAMPLES:
        data = data_of(path)
        write(tmp_path, f"croissant/{path.stem}.json", croissant(data))
        write(tmp_path, f"datacite/{path.stem}.json", datacite_record(data, doi="10.5072/podium.1"))
    for number, record in enumerate(every_eval_ever(results).values()):
        write(tmp_path, f"every_eval_ever/{number}.json", record)
    for number, card in enumerate(model_index(results).values()):
        write(tmp_path, f"model_index/{number}.json", card)
    bundle, _ = bundle_with_crate(tmp_path, results)
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "ro_crate" / "bundle")
    # Broken on purpose: a validator that accepts these checks nothing.
    broken = croissant(data_of(EXAMPLES[0]))
    del broken["name"], broken["distribution"][0]["sha256"]
    write(tmp_path, "croissant/broken.json", broken)
    write(tmp_path, "every_eval_ever/broken.json", {"schema_version": "0.3.0"})
    write(tmp_path, "model_index/broken.json", {"model-index": [{"name": "x"}]})
    write(tmp_path, "datacite/broken.json", {"titles": []})
    write(
        tmp_path,
        "ro_crate/broken/ro-crate-metadata.json",
        {"@context": "https://w3id.org/ro/crate/1.2/context", "@graph": []},
    )
    found = validated(tmp_path)
    assert {name for name in found if "broken" in name} == {
        *(f"{kind}/broken.json" for kind in ("croissant", "datacite", "every_eval_ever", "model_index")),
        "ro_crate/broken/ro-crate-metadata.json",
    }
    assert all(problems for name, problems in found.items() if "broken" in name), found
    assert {name: problems for name, problems in found.items() if problems and "broken" not in name} == {}
    assert len(found) == 2 * len(EXAMPLES) + 3 + 3 + 1 + 5


def test_a_bundle_describes_its_files_and_is_still_verified(tmp_path, results):
    path, identity = bundle_with_crate(tmp_path, results)
    assert verify(path, digest=identity).same
    with zipfile.ZipFile(path) as archive:
        graph = {entity["@id"]: entity for entity in json.loads(archive.read(CRATE))["@graph"]}
        parts = {part["@id"] for part in graph["./"]["hasPart"]}
        assert parts == set(archive.namelist()) - {CRATE, "bundle.json"}
        for name in parts:
            assert graph[name]["sha256"] == hashlib.sha256(archive.read(name)).hexdigest()
            assert graph[name]["contentSize"] == str(len(archive.read(name)))


def test_responsible_entries_follow_from_the_design_alone():
    entries = responsible_entries(values_of(next(path for path in EXAMPLES if path.stem == "hippocampus")))
    assert set(SOURCES) <= set(entries)
    assert "rai:dataCollectionType" in entries
    assert "rai:machineAnnotationTools" not in entries
    assert "Philips Achieva" in entries["rai:dataCollectionRawData"]
    assert "@" not in json.dumps(entries)


def test_no_description_contains_an_e_mail_address():
    for path in EXAMPLES:
        data = data_of(path)
        text = json.dumps([croissant(data)["creator"], dataset(data), datacite_record(data)])
        assert 'example.org"' not in text.replace("https://example.org", "")
        assert "@example.org" not in text


def test_institutions_have_their_ror_address_and_people_their_orcid_id():
    data = data_of(EXAMPLES[0])
    creator = datacite_record(data)["creators"][-1]
    assert creator["affiliation"][0] == {
        "name": "Vanderbilt University Medical Center",
        "affiliationIdentifier": "https://ror.org/05dq2gs74",
        "affiliationIdentifierScheme": "ROR",
        "schemeUri": "https://ror.org",
    }
    assert creator["nameIdentifiers"][0]["nameIdentifier"] == "https://orcid.org/0000-0002-1825-0097"
    person = dataset(data)["creator"][-1]
    assert (person["@id"], person["affiliation"]["@id"]) == (
        "https://orcid.org/0000-0002-1825-0097",
        "https://ror.org/05dq2gs74",
    )


def test_an_event_has_its_days_and_place():
    facts = ChallengeFacts("Hippo", "Segment.", "https://example.org/c/", "2026-01-15", "2026-12-31", "Podium", "")
    document = event(facts)
    assert (document["@type"], document["startDate"], document["endDate"]) == ("Event", "2026-01-15", "2026-12-31")
    assert document["location"]["url"] == facts.address


def test_values_come_with_intervals_and_ranks_with_rank_sets(results):
    [board] = results.document["rankings"]
    entries = {entry["name"]: entry for entry in board["algorithms"]}
    for name, record in every_eval_ever(results).items():
        [result] = record["evaluation_results"]
        stored = entries[name]["score_confidence_interval"]
        interval = result["score_details"]["uncertainty"]["confidence_interval"]
        assert [interval["lower"], interval["upper"]] == stored["interval"]
        assert interval["confidence_level"] == stored["level"]
        assert result["score_details"]["details"]["rank_set"] == " to ".join(map(str, entries[name]["rank_set"]))
    for name, card in model_index(results).items():
        [metric] = card["model-index"][0]["results"][0]["metrics"]
        assert metric["args"]["confidence_interval"] == entries[name]["score_confidence_interval"]["interval"]
        assert "resampling_range" not in metric["args"]
        assert metric["args"]["rank_set"] == entries[name]["rank_set"]


def test_a_range_of_resamples_is_never_exported_as_a_confidence_interval(results):
    document = json.loads(json.dumps(results.document))
    for entry in document["rankings"][0]["algorithms"]:
        entry["score_confidence_interval"] = None
    ranged = replace(results, document=document)
    entries = {entry["name"]: entry for entry in document["rankings"][0]["algorithms"]}
    for name, record in every_eval_ever(ranged).items():
        score = record["evaluation_results"][0]["score_details"]
        assert "confidence_interval" not in json.dumps(record)
        assert score["details"]["resampling_range"] == " to ".join(map(str, entries[name]["score_interval"]))
    for name, card in model_index(ranged).items():
        arguments = card["model-index"][0]["results"][0]["metrics"][0]["args"]
        assert arguments["resampling_range"] == entries[name]["score_interval"]
        assert "confidence_interval" not in arguments


def test_a_ranking_without_certainty_exports_no_interval_and_says_so(results):
    document = json.loads(json.dumps(results.document))
    for entry in document["rankings"][0]["algorithms"]:
        entry["score_interval"] = entry["score_confidence_interval"] = entry["rank_set"] = None
    silent = replace(results, document=document)
    for record in every_eval_ever(silent).values():
        score = record["evaluation_results"][0]["score_details"]
        assert "confidence_interval" not in score["uncertainty"]
        assert score["details"]["rank_set_words"].startswith("not known")


def test_a_crate_of_published_results_names_people_licence_and_program():
    files = [DataFile("results.csv", 3, hashlib.sha256(b"abc").hexdigest())]
    crate = crate_of_files(
        *("Results", "Values of all cases.", files),
        published="2026-08-01",
        licence="CC BY 4.0",
        publisher="Podium",
        people=[Person("Ada", ROR, "0000-0002-1825-0097"), Person("Bob", "Example Institute")],
        software="Podium 0.2.0",
    )
    graph = {entity["@id"]: entity for entity in crate["@graph"]}
    assert graph["https://orcid.org/0000-0002-1825-0097"]["affiliation"]["@id"] == "https://ror.org/05dq2gs74"
    assert graph["./"]["license"]["@id"] == "https://creativecommons.org/licenses/by/4.0/"
    references = [value["@id"] for entity in graph.values() for value in entity.values() if isinstance(value, dict)]
    assert {reference for reference in references if not reference.startswith("https://w3id.org")} <= set(graph)
