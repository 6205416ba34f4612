"""The canonical JSON of a design, as a file and as a record inside Word and PDF files."""

from evaluation.canonical import canonical_json, sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, public_form, to_json
from evaluation.documents import Block
from evaluation.documents.blocks import RECORD_NAME


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


def record_of(document: Document, *, public: bool = False) -> Block:
    """Return the block that makes a Word or PDF file of a design readable for programs.

    The file must print the same document with the same `public`.
    """
    return Block("record", as_json(document, public=public)[0], name=RECORD_NAME)
