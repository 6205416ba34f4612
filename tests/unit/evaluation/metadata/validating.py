"""Program of the environment of validators: checks the documents of a folder, and prints what is wrong with them.

It runs with the Python of `make validators` and imports nothing of this project.
"""

import json
import sys
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path


def croissant(path):
    mlcroissant = import_module("mlcroissant")
    issues = mlcroissant.Dataset(jsonld=path).metadata.issues
    return [*map(str, issues.errors)]


def context_without_network():
    """Serve the context of RO-Crate from the package rocrate: its version 1.3 has every term of 1.2 that is used here."""
    # Its file is read and nothing of it imported, so that it needs none of its dependencies.
    content = Path(find_spec("rocrate").origin).with_name("data").joinpath("ro-crate.jsonld").read_bytes()
    document = json.loads(content)
    context = import_module("rdflib.plugins.shared.jsonld.context")
    original = context.source_to_json

    def source_to_json(source, *arguments, **named):
        if str(source).startswith("https://w3id.org/ro/crate/"):
            return document, None
        return original(source, *arguments, **named)

    def get(_self, address, **_named):
        if not address.startswith("https://w3id.org/ro/crate/"):
            raise RuntimeError(address)
        response = import_module("requests").Response()
        response.status_code, response._content = 200, content
        response.headers["Content-Type"] = "application/ld+json"
        return response

    context.source_to_json = source_to_json
    import_module("rocrate_validator.utils.http").HttpRequester.get = get


def ro_crate(path):
    services, models = import_module("rocrate_validator.services"), import_module("rocrate_validator.models")
    settings = services.ValidationSettings(
        rocrate_uri=str(path.parent),
        profile_identifier="ro-crate-1.2",
        requirement_severity=models.Severity.REQUIRED,
    )
    result = services.validate(settings)
    return [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]


def every_eval_ever(path):
    schema = json.loads((resources.files("every_eval_ever") / "schemas" / "eval.schema.json").read_text("utf-8"))
    jsonschema = import_module("jsonschema")
    return [
        error.message for error in jsonschema.Draft7Validator(schema).iter_errors(json.loads(path.read_text("utf-8")))
    ]


def model_index(path):
    cards = import_module("huggingface_hub.repocard_data")
    data = json.loads(path.read_text("utf-8"))
    name, results = cards.model_index_to_eval_results(data["model-index"])
    written = cards.eval_results_to_model_index(name, results)
    first = data["model-index"][0]["results"][0]["metrics"][0]["value"]
    return [] if written and results and results[0].metric_value == first else ["not read as it was written"]


def datacite(path):
    schema = import_module("datacite.schema45")
    return [error.message for error in schema.validator.iter_errors(json.loads(path.read_text("utf-8")))]


CHECKS = {
    "croissant": croissant,
    "ro_crate": ro_crate,
    "every_eval_ever": every_eval_ever,
    "model_index": model_index,
    "datacite": datacite,
}

if __name__ == "__main__":
    context_without_network()
    found = {}
    for path in sorted(Path(sys.argv[1]).rglob("*.json")):
        check = CHECKS.get(path.relative_to(sys.argv[1]).parts[0])
        if check is None or (check is ro_crate and path.name != "ro-crate-metadata.json"):
            continue
        try:
            problems = check(path)
        except Exception as error:  # noqa: BLE001 (a validator can raise anything)
            problems = [f"{type(error).__name__}: {error}"]
        found[str(path.relative_to(sys.argv[1]))] = problems
    print(json.dumps(found))
