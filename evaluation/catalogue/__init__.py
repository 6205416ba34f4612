"""The registry of metrics: what each is called, needs, takes and means, and the function that computes it.

Assessments are validated against this registry, and the command line, the web pages and the documentation are
generated from it. Nothing else in the project knows a metric by name.
"""

from evaluation.catalogue.options import Option, OptionError
from evaluation.catalogue.registry import (
    CatalogueError,
    Metric,
    all_metrics,
    catalogue_version,
    get,
    register,
    unregister,
)

__all__ = [
    "CatalogueError",
    "Metric",
    "Option",
    "OptionError",
    "all_metrics",
    "catalogue_version",
    "get",
    "register",
    "unregister",
]
