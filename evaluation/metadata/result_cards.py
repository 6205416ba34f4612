"""Results of a ranking for collections of evaluations: Every Eval Ever 0.3 and ``model-index`` of model cards.

Both take one record per algorithm. A value comes with its confidence interval where the ranking has one, and otherwise with
the range of its resamples under a name of its own. A rank always comes with its rank set.

Structures: eval.schema.json (evaleval/every_eval_ever), and the metadata of model cards on Hugging Face.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evaluation.metadata.facts import ResultFacts

SCHEMA_VERSION: Final = "0.3.0"
_METHODS: Final = {
    "hall_and_t": "wider of Student's t and Hall's transformation at each end",
    "perfect": "one-sided lower limit of perfect values",
}
_RESAMPLING: Final = "percentiles of resampled cases, no confidence interval"


def every_eval_ever(facts: ResultFacts) -> dict[str, dict[str, Any]]:
    """Return one record of Every Eval Ever per algorithm, by the name of the algorithm."""
    records: dict[str, dict[str, Any]] = {}
    for board, entry in _entries(facts):
        name = entry["name"]
        record = records.setdefault(name, _record(facts, name))
        record["evaluation_results"].append(_result(facts, board, entry))
    return records


def model_index(facts: ResultFacts) -> dict[str, dict[str, Any]]:
    """Return the metadata of a model card per algorithm, by the name of the algorithm."""
    cards: dict[str, dict[str, Any]] = {}
    for board, entry in _entries(facts):
        name = entry["name"]
        card = cards.setdefault(name, {"name": name, "results": []})
        metric = {
            "type": _slug(board["metric"]),
            "name": _title(board),
            "value": entry["score"],
            "args": _arguments(facts, board, entry),
            "verified": False,
        }
        card["results"].append({
            "task": {"type": "other", "name": facts.task},
            "dataset": {"type": _slug(facts.data_name), "name": facts.data_name},
            "metrics": [metric],
            "source": {"name": f"{facts.challenge} ({facts.publisher})", "url": facts.address},
        })  # fmt: skip
    return {name: {"model-index": [card]} for name, card in cards.items()}


def _entries(facts: ResultFacts) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each value of a metric over all cases; ranks that combine several metrics have no value to export."""
    for board in facts.document["rankings"]:
        if board.get("metric") is None:
            continue
        for entry in board["algorithms"]:
            if entry.get("score") is not None and board.get("score_direction") == board.get("direction"):
                yield board, entry


def _record(facts: ResultFacts, name: str) -> dict[str, Any]:
    identity = f"podium/{_slug(name)}"
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{_slug(facts.challenge)}/{identity.replace('/', '_')}/{facts.published}",
        "retrieved_timestamp": str(facts.published),
        "source_metadata": {
            "source_name": facts.challenge,
            "source_type": "evaluation_run",
            "source_organization_name": facts.publisher,
            **({"source_organization_url": facts.publisher_address} if facts.publisher_address else {}),
            "evaluator_relationship": "third_party",
            "additional_details": {"ranking": facts.address, "ranking_sha256": facts.digest},
        },
        "eval_library": {"name": "podium-evaluation", "version": facts.version or "unknown"},
        "model_info": {
            "name": name,
            "id": identity,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [],
    }


def _result(facts: ResultFacts, board: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "evaluation_description": f"{facts.task}: {_title(board)}",
        "metric_id": _slug(board["metric"]),
        "metric_name": str(board["metric"]),
        "lower_is_better": board["direction"] == "lower",
    }
    low_bound, high_bound = facts.ranges.get(str(board["metric"]), (None, None))
    if low_bound is not None and high_bound is not None:
        # The type "continuous" requires both bounds; without them, it is left out.
        config |= {"score_type": "continuous", "min_score": low_bound, "max_score": high_bound}
    if board.get("unit"):
        config["metric_unit"] = str(board["unit"])
    arguments = _arguments(facts, board, entry)
    details = {key: _text(value) for key, value in arguments.items() if key.startswith(("rank", "resampling"))}
    score: dict[str, Any] = {"score": entry["score"], "details": details}
    uncertainty: dict[str, Any] = {"num_samples": board["cases"]} if board.get("cases") else {}
    if "confidence_interval" in arguments:
        low, high = arguments["confidence_interval"]
        uncertainty["confidence_interval"] = {
            "lower": low,
            "upper": high,
            "confidence_level": arguments["confidence_level"],
            "method": arguments["confidence_method"],
        }
    if uncertainty:
        score["uncertainty"] = uncertainty
    source = {"dataset_name": facts.data_name, "source_type": "url", "url": [facts.data_address]}
    return {
        "evaluation_result_id": f"{facts.digest[:16]}/{_slug(_title(board))}/{_slug(entry['name'])}",
        "evaluation_name": f"{facts.challenge}: {_title(board)}",
        "source_data": source,
        "metric_config": config,
        "score_details": score,
    }


def _arguments(facts: ResultFacts, board: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that qualify a value: interval or resampling range, rank, rank set, number of cases."""
    values: dict[str, Any] = {"cases": board.get("cases"), "rank": entry["rank"], "rank_set": entry.get("rank_set")}
    interval = entry.get("score_confidence_interval")
    if interval:
        values |= {
            "confidence_interval": list(interval["interval"]),
            "confidence_level": interval["level"],
            "confidence_method": _METHODS.get(interval["method"], interval["method"]),
        }
    elif entry.get("score_interval"):
        values |= {
            "resampling_range": list(entry["score_interval"]),
            "resampling_share": float(facts.document["resampling"]["interval"]),
            "resampling_samples": facts.document["bootstrap"],
            "resampling_method": _RESAMPLING,
        }
    if entry.get("rank_set") is None:
        values["rank_set_words"] = "not known: the ranking states no certainty"
    return {key: value for key, value in values.items() if value is not None}


def _title(board: Mapping[str, Any]) -> str:
    where = [str(board[key]) for key in ("task", "region") if board.get(key)]
    return f"{board['metric']} ({', '.join(where)})" if where else str(board["metric"])


def _text(value: Any) -> str:
    return " to ".join(str(part) for part in value) if isinstance(value, (list, tuple)) else str(value)


def _slug(text: str) -> str:
    """A name in lower case, with digits and hyphens only.

    Examples
    --------
    >>> _slug("Dice (anterior)"), _slug("Müller & Söhne")
    ('dice-anterior', 'muller-sohne')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.casefold()).strip("-") or "unnamed"
