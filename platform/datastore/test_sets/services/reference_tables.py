"""References that are one table for all cases: read from the organizers' folder, stored once, looked up case by case."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from datastore.test_sets import vault
from datastore.test_sets.models import Annotation, TestCase
from evaluation.canonical import sha256
from evaluation.problems.tables import ReferenceTable, table_problem
from evaluation.readers.instance_tables import InstanceRules, Instances, InstanceTable, read_instances

ANNOTATORS_INSTANCES: Final = "annotator_instances"
"""Under what a test set keeps where the table of instances of each annotator is."""
_TABLES_KEPT: Final = 24
"""Those of one test set: the references, and of twenty annotators each."""


def digest_of(case: str, file_digest: str) -> str:
    """Return the digest of the reference of one case.

    The digest covers the whole table. A digest of the case's own rows would reveal their class to a person
    who tries all classes.
    """
    return sha256({"case": case, "table": file_digest})


@lru_cache(maxsize=_TABLES_KEPT)
def stored(name: str, problem: str) -> ReferenceTable:
    """Return the table in the private storage; its name is its digest, so that it can be kept."""
    with vault.opened(name) as path:
        return table_problem(problem).read_references(path)


def digest_with_instances(case: str, image_digest: str, table_digest: str) -> str:
    """Digest of a label map and the classes of its objects; over the whole table, as that of a case in a table is.

    With the name of the case: two may have the same label map and different rows.
    """
    return sha256({"case": case, "image": image_digest, "instances": table_digest})


def instances_file(shared: Mapping[str, Any]) -> str:
    """Return the name of the stored table of instances, from the shared data of a test set; empty without one."""
    return str(shared.get("instances", ""))


def instances_of(case: TestCase | Annotation) -> Instances | None:
    """Return the classes of the objects of a case; None if its annotator has no table of instances."""
    shared = case.test_set.shared
    if isinstance(case, Annotation):
        name = shared.get(ANNOTATORS_INSTANCES, {}).get(case.annotator, "")
    else:
        name = instances_file(shared)
    return _stored_instances(name).of(case.name) if name else None


@lru_cache(maxsize=_TABLES_KEPT)
def _stored_instances(name: str) -> InstanceTable:
    with vault.opened(name) as path:
        return read_instances(path, InstanceRules(None), scored=False)
