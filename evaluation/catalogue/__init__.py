"""Registry of metrics: their names, inputs, options and meanings, and the functions that compute them.

Metrics declare themselves next to their functions (`evaluation.metrics.declaration`). Assessments are validated
against this registry, and the command line, the web pages and the documentation are generated from it.
"""

from evaluation.catalogue.registry import all_metrics, catalogue_version, get, register, unregister
from evaluation.catalogue.words import choice_words, option_name, option_words, readable
from evaluation.metrics.declaration import CatalogueError, Metric
from evaluation.metrics.options import Option, OptionError

__all__ = [
    "CatalogueError",
    "Metric",
    "Option",
    "OptionError",
    "all_metrics",
    "catalogue_version",
    "choice_words",
    "get",
    "option_name",
    "option_words",
    "readable",
    "register",
    "unregister",
]
