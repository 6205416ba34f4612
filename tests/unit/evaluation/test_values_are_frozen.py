"""Immutable inputs of computations: all dataclasses of the computing packages are frozen, with named exceptions."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

CHANGING = {
    "evaluation.readers.confidences.ConfidenceTable": "is filled row by row",
    "evaluation.readers.instance_tables.InstanceTable": "is filled row by row",
    "evaluation.readers.landmark_tables.LandmarkTable": "is filled row by row",
    "evaluation.readers.object_tables.ObjectTable": "is filled row by row",
}


def dataclasses_of(area):
    package = importlib.import_module(f"evaluation.{area}")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for name, own in vars(module).items():
            if inspect.isclass(own) and own.__module__ == found.name and dataclasses.is_dataclass(own):
                yield f"{found.name}.{name}", own


@pytest.mark.parametrize("area", ["aggregation", "matching", "metrics", "ranking", "readers"])
def test_values_are_frozen(area):
    changing = {name for name, own in dataclasses_of(area) if not own.__dataclass_params__.frozen}
    assert changing == {name for name in CHANGING if name.startswith(f"evaluation.{area}.")}
