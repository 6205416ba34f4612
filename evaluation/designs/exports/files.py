"""The canonical JSON of a design."""

from evaluation.canonical import canonical_json, sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, public_form, to_json


def as_json(document: Document, *, public: bool = False) -> tuple[str, str]:
    """Canonical JSON of a design, and its SHA-256.

    Parameters
    ----------
    public
        Leave out what only reviewers see; its digest is that of the public form.
    """
    data = to_json(document, catalogue=shipped())
    if public:
        data = public_form(data, catalogue=shipped())
    return canonical_json(data), sha256(data)
