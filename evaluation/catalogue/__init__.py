"""The registry of metrics: what each is called, needs, takes and means, and the function that computes it.

Metrics declare themselves where their functions stand (`evaluation.metrics.declaration`). Assessments are validated
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
