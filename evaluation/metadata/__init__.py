"""Descriptions of data, challenges and results in published vocabularies, made of plain facts.

The functions know no page and no permission: whoever calls them passes facts that may be public. Each document is checked
by the validator of its vocabulary in the tests (`make validators`).
"""

from evaluation.metadata.croissant import croissant
from evaluation.metadata.datacite_records import datacite_record
from evaluation.metadata.facts import ChallengeFacts, DataFile, DataSet, Person, ResultFacts
from evaluation.metadata.result_cards import every_eval_ever, model_index
from evaluation.metadata.ro_crate import CRATE, crate_of_files
from evaluation.metadata.schema_org import dataset, event

__all__ = [
    "CRATE",
    "ChallengeFacts",
    "DataFile",
    "DataSet",
    "Person",
    "ResultFacts",
    "crate_of_files",
    "croissant",
    "datacite_record",
    "dataset",
    "event",
    "every_eval_ever",
    "model_index",
]
