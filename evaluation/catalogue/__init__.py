"""The registry of metrics: what each is called, needs, takes and means, and the function that computes it.

Metrics declare themselves where their functions stand (`evaluation.metrics.declaration`). Assessments are validated
against this registry, and the command line, the web pages and the documentation are generated from it.
"""

from evaluation.catalogue.registry import all_metrics, catalogue_version, get, readable, register, unregister
from evaluation.metrics.declaration import CatalogueError, Metric
from evaluation.metrics.options import Option, OptionError

__all__ = [
    "CatalogueError",
    "Metric",
    "Option",
    "OptionError",
    "all_metrics",
    "catalogue_version",
    "get",
    "readable",
    "register",
    "unregister",
]
