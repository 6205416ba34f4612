"""A document of prose in every format: notes in the margin, references that lead somewhere, and nothing of people read as markup."""

import io
import re
import zipfile
from types import SimpleNamespace

import docx
import pytest
from docx.oxml.ns import qn
from docx.shared import Mm
from PIL import Image
from pypdf import PdfReader

from evaluation.documents import Block, Sentence, as_markdown
from evaluation.documents.latex import as_latex, as_latex_archive, escaped
from evaluation.documents.page import as_page
from evaluation.documents.pdf import as_pdf
from evaluation.documents.word import MARKED, NUMBER, PAGE, TEXT_WIDTH, as_docx

NASTY = r"\input{x} $5 & 50 % #1 a_b ~ ^ <script>alert(1)</script> [] | `q` -- “ok”"
BLOCKS = [
    Block("heading", "A challenge", 1, anchor="item-1"),
    Block("mark", "To be written by the authors (42): conclude", anchor="item-42"),
    Block("heading", "Results", 2),
    Block(
        "prose",
        "Results",
        rows=(
            Sentence("unet leads", ".", "row-35a 35a\nrow-37 37", "fig-ranks tab-ranks", "item-35a"),
            Sentence(NASTY, "."),
        ),
    ),
    Block("figure", "Who is first?", name="figure-01", anchor="fig-ranks", label="Figure 1"),
    Block(
        "table",
        "Ranks",
        columns=("Team", "Rank"),
        rows=(("unet", "1"), (NASTY, "2")),
        anchor="tab-ranks",
        label="Table 1",
    ),
    Block("break"),
    Block(
        "checklist",
        columns=("Item", "What", "Status", "Sources", "Where"),
        rows=(
            ("row-35a", "35a", "Rankings", "filled", "R1", "item-35a"),
            ("row-37", "37", "Summary", "open", "–", ""),
            ("row-42", "42", "Conclusion", "open", "–", "item-42"),
        ),
        items=("Results", "", "Conclusion"),
    ),
]


@pytest.fixture(scope="module")
def figures():
    picture = io.BytesIO()
    Image.new("RGB", (4, 3), "white").save(picture, "PNG")
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"></svg>'
    return {"figure-01": SimpleNamespace(svg=svg, png=picture.getvalue())}


def test_the_pdf_has_notes_beside_sentences_and_its_checklist_knows_the_pages(figures):
    reader = PdfReader(io.BytesIO(as_pdf(BLOCKS, title="A challenge", figures=figures)))
    first, second = (" ".join(page.extract_text().split()) for page in reader.pages)
    assert "35a, 37" in first
    assert "unet leads (Figure 1, Table 1)." in first
    assert r"\input{x} $5 & 50 % #1" in first
    assert re.search(r"35a Rankings filled R1 1\b", second)
    assert "37 Summary open – –" in second


def test_the_page_links_notes_to_the_checklist_and_escapes_what_people_wrote(figures):
    page = as_page(BLOCKS, title="A challenge", figures=figures)
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert '<span class="n"><a href="#row-35a">35a</a>, <a href="#row-37">37</a></span>' in page
    assert '(<a href="#fig-ranks">Figure 1</a>, <a href="#tab-ranks">Table 1</a>).' in page
    assert "<script" not in page


def test_word_has_styles_captions_that_count_and_references_that_follow(figures):
    word = docx.Document(io.BytesIO(as_docx(BLOCKS, pictures={"figure-01": figures["figure-01"].png})))
    styles = [paragraph.style.name for paragraph in word.paragraphs]
    assert {"Title", "Heading 1", "Caption", MARKED} <= set(styles)
    assert any(
        run.style.name == NUMBER and run.text == "35a, 37 " for paragraph in word.paragraphs for run in paragraph.runs
    )
    body = word.element.body
    instructions = [field.get(qn("w:instr")).split() for field in body.iter(qn("w:fldSimple"))]
    bookmarks = {mark.get(qn("w:name")) for mark in body.iter(qn("w:bookmarkStart"))}
    assert [words[1] for words in instructions if words[0] == "SEQ"] == ["Figure", "Table"]
    pointing = {words[1] for words in instructions if words[0] in ("REF", "PAGEREF")}
    assert pointing == {"at_fig_ranks", "at_tab_ranks", "at_item_35a", "at_item_42"} <= bookmarks
    (picture,) = word.inline_shapes
    assert picture._inline.docPr.get("descr") == "Who is first?"
    captions = [paragraph for paragraph in word.paragraphs if paragraph.style.name == "Caption"]
    assert "".join(text.text for text in captions[0]._p.iter(qn("w:t"))) == "Figure 1. Who is first?"


def test_latex_has_every_label_that_it_refers_to_and_reads_no_command_of_people(figures):
    tex = as_latex(BLOCKS)
    labels = set(re.findall(r"\\label\{([^}]+)\}", tex))
    assert (
        set(re.findall(r"\\(?:page)?ref\{([^}]+)\}", tex))
        == {"fig-ranks", "tab-ranks", "item-35a", "item-42"}
        <= labels
    )
    assert set(re.findall(r"\\hyperlink\{([^}]+)\}", tex)) <= set(re.findall(r"\\hypertarget\{([^}]+)\}", tex))
    assert r"\input" not in tex
    assert tex.count(r"\begin{") == tex.count(r"\end{")
    with zipfile.ZipFile(io.BytesIO(as_latex_archive(BLOCKS, figures))) as archive:
        assert archive.namelist() == ["paper.tex", "figures/figure-01.png"]


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("50 %", r"50 \%"),
        (r"\write18{rm}", r"\textbackslash{}write18\{rm\}"),
        ("a_b ^ ~ # & $", r"a\_b \textasciicircum{} \textasciitilde{} \# \& \$"),
        ("p ≤ 0.05, τ = 1 × 2", r"p \ensuremath{\leq} 0.05, \ensuremath{\tau} = 1 \ensuremath{\times} 2"),
        ("--option 2–5", "-{}-option 2--5"),
        ("one\n\n\\par two\x00", r"one \textbackslash{}par two"),
        ("“so”", "``so''"),
        ("[a] | <b>", r"{[}a{]} \textbar{} \textless{}b\textgreater{}"),
    ],
)
def test_what_tex_would_read_as_a_command_is_written_as_it_looks(text, tex):
    assert escaped(text) == tex


def test_no_printable_character_leaves_a_group_open_or_comments_out_a_line():
    for code in range(32, 127):
        tex = escaped(f"a{chr(code)}b")
        bare = re.sub(r"\\[{}%#&$_]", "", tex)
        assert bare.count("{") == bare.count("}"), tex
        assert not set(bare) & set("%#&$_~^") - set("\\"), tex


def test_markdown_says_the_same_without_links(figures):
    text = as_markdown(BLOCKS)
    assert "<sup>35a, 37</sup> unet leads (Figure 1, Table 1)." in text
    assert "| 35a | Rankings | filled | R1 | Results |" in text
    assert not re.search(r"(?<!\\)<script", text)


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("number_of_cases", r"number\_\allowbreak{}of\_\allowbreak{}cases"),
        ("0a1ee85c282d7929", r"0a1ee85c\allowbreak{}282d7929"),
        ("https://a.org/b", r"https://\allowbreak{}a.\allowbreak{}org/\allowbreak{}b"),
        ("representativeness", "representativeness"),
    ],
)
def test_addresses_digests_and_names_of_parameters_may_end_a_line(text, tex):
    assert escaped(text) == tex


def test_a_word_file_is_a4_and_its_tables_fit_the_page_without_breaking_words():
    rows = [("4a", "Biomedical introduction and impact", "D1 number_of_annotators_test, " * 4)] * 3
    made = docx.Document(io.BytesIO(as_docx([Block("table", columns=("Item", "What", "Sources"), rows=tuple(rows))])))
    section, [table] = made.sections[0], made.tables
    assert [section.page_width.mm, section.page_height.mm] == pytest.approx([side.mm for side in PAGE], abs=0.1)
    widths = [cell.width for cell in table.rows[1].cells]
    assert sum(widths) <= TEXT_WIDTH + 3
    # Four letters and the space on the sides of a cell.
    assert Mm(9) <= widths[0] <= Mm(14)
    assert widths[2] > widths[1] > widths[0]
    borders = [child.tag.rpartition("}")[2] for child in table._tbl.tblPr]
    assert borders.index("tblBorders") < borders.index("tblLook")
