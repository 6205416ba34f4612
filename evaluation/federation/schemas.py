"""Forms of the messages between sites and centre, as JSON Schemas.

No object accepts an unnamed key. Messages can therefore transport only the intended data. A form is never changed
under the same number.
"""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]
SITE_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
MOST_ALGORITHMS: Final = 500
MOST_CELLS: Final = 200
_MOST_COUNT: Final = 1_000_000_000
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": _MOST_COUNT}
_DIGEST: Final[Schema] = {"type": "string", "pattern": "[0-9a-f]{64}", "title": "64 hexadecimal digits"}
_TIME: Final[Schema] = {
    "type": "string",
    "pattern": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "title": "a moment such as 2027-03-01T09:00:00Z",
}
_SITE: Final[Schema] = {
    "type": "string",
    "pattern": SITE_NAME,
    "title": "1 to 64 letters, digits, dots, underscores or hyphens, the first a letter or digit",
}
_NAME: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 200}
_FLAG: Final[Schema] = {"type": "boolean"}
_DISCLOSURE: Final[Schema] = {"enum": ["places", "means", "moments"]}


def _object(properties: Schema, *optional: str) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [key for key in properties if key not in optional],
    }


def _list(items: Schema, least: int = 0, most: int = MOST_ALGORITHMS) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_GRADES: Final = _object(
    {"acceptable": _COUNT, "borderline": _COUNT, "insufficient": _COUNT}, "acceptable", "borderline", "insufficient"
)
_NUMBERS: Final = _list({"type": ["number", "null"]})
_DISPLAYED: Final = ("mean", "sd", "median", "tail", "p10")
_CELL: Final = _object(
    {
        "metric": _NAME,
        "region": _or_null(_NAME),
        "task": _or_null(_NAME),
        "missing": _list(_COUNT),
        "n": _list(_COUNT),
        "scale": {"type": "integer", "minimum": 1, "maximum": _MOST_COUNT},
        "sum": _list({"type": "integer"}),
        "place": _list({"type": "number", "minimum": 1, "maximum": MOST_ALGORITHMS}),
        **dict.fromkeys(_DISPLAYED, _NUMBERS),
    },
    "n", "scale", "sum", "place", *_DISPLAYED,
)  # fmt: skip
_COVARIANCE: Final = _object(
    {
        "kind": {"enum": ["full", "variances"]},
        "divisor": _COUNT,
        "rows": _list(_list({"type": "number"}, 1, 5000), 1, 5000),
        "variances": _list({"type": "number", "minimum": 0}, 1, MOST_ALGORITHMS * MOST_CELLS),
    },
    "rows", "variances",
)  # fmt: skip
_REPLICATES: Final = _object(
    {
        "number": {"type": "integer", "minimum": 200, "maximum": 10_000},
        "rows": _list(
            {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "prefixItems": [{"type": "integer", "minimum": 1, "maximum": 10_000}, _list({"type": "number"}, 2)],
            },
            1,
            10_000,
        ),
    }
)
_RANKING: Final = _object(
    {
        "name": _or_null(_NAME),
        "kind": {"enum": ["places", "sums"]},
        "cells": _list(_CELL, 1, MOST_CELLS),
        "site_score": _list({"type": "number"}, 2),
        "covariance": _or_null(_COVARIANCE),
        "replicates": _or_null(_REPLICATES),
    },
    "site_score", "covariance", "replicates",
)  # fmt: skip
SUMMARY: Final = _object(
    {
        "schema": {"const": "podium.site-summary/1"},
        "assessment": _DIGEST,
        "site": _SITE,
        "units": {"type": "integer", "minimum": 1, "maximum": _MOST_COUNT},
        "minimum": {"type": "integer", "minimum": 2, "maximum": _MOST_COUNT},
        "disclosure": _DISCLOSURE,
        "algorithms": {**_list(_NAME, 2), "uniqueItems": True},
        "rankings": _list(_RANKING, 1, 20),
        "grades": _GRADES,
        "test": {"const": True},
    },
    "grades", "test",
)  # fmt: skip


def _message(kind: str, properties: Schema, *optional: str) -> Schema:
    header: Schema = {
        "schema": {"const": f"podium.{kind}/1"},
        "site": _SITE,
        "federation": _DIGEST,
        "sequence": {"type": "integer", "minimum": 1, "maximum": _MOST_COUNT},
        "previous": _DIGEST,
        "sent_at": _TIME,
    }
    return _object({**header, **properties}, *optional)


_RUN: Final = _object(
    {
        "algorithm": _NAME,
        "image": _or_null({"type": "string", "pattern": "sha256:[0-9a-f]{64}", "title": "sha256: and 64 digits"}),
        "predictions": _or_null(_DIGEST),
        "status": {"enum": ["completed", "partial", "failed"]},
        "fault": {"enum": ["image", "runtime", "software", "data", "submission", None]},
        "attribution": {"enum": ["submission", "site", "platform", None]},
    },
    "predictions", "fault", "attribution",
)  # fmt: skip
_GUESTS: Final = {**_list(_SITE, 1), "uniqueItems": True}
"""Small sites whose cases are among those of the site that sends."""
MESSAGES: Final[dict[str, Schema]] = {
    "site-registration": _message(
        "site-registration",
        {
            "invitation": {"type": "string", "pattern": "[0-9a-f]{32}", "title": "32 hexadecimal digits"},
            "terms": _DIGEST,
            "confirmed_by": {"type": "string", "minLength": 1, "maxLength": 200},
            "key": _object({"algorithm": {"const": "ed25519"}, "public": _DIGEST}),
            "kit": {"type": "string", "maxLength": 100},
            "country": {"type": "string", "pattern": "[A-Z]{2}", "title": "two capital letters, such as DE"},
        },
        "kit", "country",
    ),
    "manifest-seal": _message(
        "manifest-seal",
        {
            "manifest": _DIGEST,
            "version": {"type": "integer", "minimum": 1, "maximum": 1000},
            "units": _COUNT,
            "cases": _COUNT,
            "grades": _GRADES,
            "preparation": _DIGEST,
            "reason": {"type": "string", "maxLength": 2000},
            "with": _GUESTS,
        },
        "preparation", "reason", "with",
    ),
    "compatibility": _message(
        "compatibility",
        {
            "package": _DIGEST,
            "kit": {"type": "string", "maxLength": 100},
            "dry_run": _object(
                {"passed": _FLAG, "largest_difference": {"type": "number", "minimum": 0},
                 "fault": {"enum": ["software", "image", "runtime", None]}}, "fault"
            ),
            "local": _object(
                {"passed": _FLAG, "without_value": _COUNT, "fault": {"enum": ["data", "runtime", None]}}, "fault"
            ),
            "seconds_a_case": {"type": ["number", "null"], "minimum": 0},
            "peak_memory_mb": {"type": ["number", "null"], "minimum": 0},
        },
        "kit", "seconds_a_case", "peak_memory_mb",
    ),
    "result": _message(
        "result",
        {
            "manifest": _DIGEST,
            "package": _DIGEST,
            "attempt": {"type": "integer", "minimum": 1, "maximum": 1000},
            "supersedes": _or_null(_DIGEST),
            "runs": _list(_RUN, 1),
            "summary": SUMMARY,
            "with": _GUESTS,
        },
        "supersedes", "with",
    ),
    "site-hand-over": _message("site-hand-over", {"package": _DIGEST, "to": _SITE, "document": _DIGEST}),
    "site-progress": _message(
        "site-progress", {"package": _DIGEST, "algorithms": {"type": "integer", "minimum": 1, "maximum": MOST_ALGORITHMS}}
    ),
    "site-withdrawal": _message(
        "site-withdrawal", {"reason": {"type": "string", "maxLength": 2000}, "results": {"enum": ["keep", "remove"]}}
    ),
}  # fmt: skip
"""The messages of a site that are understood, by the word in their type."""
ENVELOPE: Final = _object(
    {
        "payload": {"type": "string", "minLength": 1},
        "payloadType": {"type": "string", "minLength": 1, "maxLength": 200},
        "signatures": _list(
            _object({"keyid": {"type": "string", "maxLength": 100}, "sig": {"type": "string", "maxLength": 200}}), 1, 2
        ),
    }
)
STATES: Final = ("included", "not_arrived", "withdrawn", "refused", "left_out", "joined")
FEDERATION: Final = _object(
    {
        "schema": {"const": "podium.federation/1"},
        "sites": _list(
            _object({"site": _SITE, "state": {"enum": list(STATES)}, "reason": {"type": ["string", "null"]}}, "reason"), 1, 1000
        ),
        "sites_required": {"anyOf": [{"enum": ["all"]}, {"type": "integer", "minimum": 1, "maximum": 1000}]},
        "if_missing": {"enum": ["wait", "rank_without"]},
    },
    "sites_required", "if_missing",
)  # fmt: skip
