"""A design as files: canonical JSON, and for people Markdown, Word and PDF that hold every parameter."""

import io
import json
import re

import pytest
from docx import Document as WordDocument

from designs.queries.findings import outline
from designs.services.examples import example_document
from evaluation.canonical import sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json
from evaluation.designs.exports import as_json
from evaluation.documents import as_markdown
from evaluation.documents.pdf import as_pdf
from evaluation.documents.word import as_docx


def example(name="hippocampus"):
    return from_json(example_document(name), catalogue=shipped())[0]


def written(text):
    return from_json({"challenge": {"primary_objective": text}, "tasks": [{}]}, catalogue=shipped())[0]


def word_text(content):
    word = WordDocument(io.BytesIO(content))
    cells = [cell.text for table in word.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in word.paragraphs), *cells])


def test_the_exported_json_is_canonical_and_carries_its_digest():
    text, digest = as_json(example())
    again, _ = from_json(json.loads(text), catalogue=shipped())
    assert as_json(again) == (text, digest)
    assert digest == sha256(json.loads(text))
    public, _ = as_json(example(), public=True)
    assert "organizer@example.org" in text
    assert "organizer@example.org" not in public


@pytest.mark.django_db
def test_markdown_and_word_hold_every_parameter_with_its_bias_number_and_the_executable_ranking():
    blocks = list(outline(example(), title="Hippocampus", digest="0" * 64))
    for text in (as_markdown(blocks).replace("\\", ""), word_text(as_docx(blocks))):
        for parameter in shipped().parameters.values():
            assert parameter.label in text
        assert "(BIAS 29a)" in text
        assert "for every algorithm" in text
        assert "0" * 64 in text
        assert "organizer@example.org" in text


@pytest.mark.django_db
def test_the_public_form_leaves_personal_data_out_of_every_file():
    blocks = list(outline(example(), title="Hippocampus", public=True))
    assert "organizer@example.org" not in as_markdown(blocks)
    assert "organizer@example.org" not in word_text(as_docx(blocks))
    assert "organizer@example.org" not in str(blocks)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["hippocampus", "robustmis"])
def test_the_pdf_is_set_and_has_as_many_pages_as_it_needs(name):
    content = as_pdf(outline(example(name), title=name), title=name)
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) > 5


@pytest.mark.django_db
def test_text_of_people_cannot_become_markup():
    attack = '# <script>alert(1)</script> | [x](javascript:alert(1)) #read("/etc/passwd") \x0b'
    blocks = list(outline(written(attack), title="T"))
    text = as_markdown(blocks)
    assert "<script>" not in text.replace("\\<", "")
    assert "\\[x\\](javascript" in text
    assert '#read("/etc/passwd")' in word_text(as_docx(blocks))
    assert as_pdf(blocks, title='#panic("x")').startswith(b"%PDF-")
