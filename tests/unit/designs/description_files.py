"""Structured descriptions of invented challenges as Word and PDF files, in the layout of the submission system."""

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import docx
import typst

from evaluation.designs.imports.description import CHALLENGE, HEADINGS, SECTIONS, TASK

SECTION_BEFORE = {
    "Abstract": "SUMMARY",
    "Organizers": "ORGANIZATION",
    "Field(s) of application": "MISSION OF THE CHALLENGE",
    "Data source(s)": "DATA SETS",
    "Metric(s)": "ASSESSMENT METHODS",
}
CHALLENGE_ANSWERS = {
    "Title": "Polyp Detection Challenge 2027",
    "Challenge acronym": "PolypDet",
    "Challenge abstract": "Polyps are missed in one of five examinations. The challenge compares methods that find them.",
    "Challenge keywords": "Endoscopy, detection, polyps",
    "Year": "2027",
    "Novelty of the challenge": "The first data of three continents.",
    "Duration": "Half day",
    "Publication and future plans": "A joint paper is planned.",
}
TASK_ANSWERS = {
    "Abstract": "Methods mark each polyp in a frame.",
    "Organizers": {
        "a": "Ada Example, University of A\nBob Example (Hospital of B)",
        "b": "Ada Example, ada@example.org",
    },
    "Life cycle type": "Repeated event with fixed submission deadline",
    "Challenge venue and platform": {"a": "MICCAI 2027", "b": "Our own server", "c": "https://polyps.example.org/"},
    "Participation policies": {
        "a": "Fully automatic methods only",
        "b": "No additional data allowed",
        "c": "Members may take part, but are marked in the list.",
        "d": "The winner receives a certificate.\nThere is no prize money.",
        "e": "All results are announced publicly",
        "f": "Two members of each team are authors.",
    },
    "Submission method": {"a": "Docker container", "b": "Teams test on a validation dataset."},
    "Challenge schedule": "Training data release: 1 March 2027\nSubmission deadline: August 15, 2027\nResults: 03/04/2027",
    "Ethics approval": "Approval required and obtained",
    "Data usage agreement": "CC BY-NC",
    "Code availability": {"a": "Publicly available (URL)", "b": "Encouraged"},
    "Conflicts of interest": "A company pays for the server.",
    "Field(s) of application": "Screening, Diagnosis",
    "Task category(ies)": "Detection",
    "Cohorts": {"a": "Adults in screening programmes.", "b": "Adults at three hospitals."},
    "Imaging modality(ies)": "Endoscopic / laparoscopic video",
    "Context information": {"a": "a) the time in the video\nb) the part of the colon", "b": "None"},
    "Target entity(ies)": {"a": "The colon in endoscopic video.", "b": "Polyps."},
    "Assessment aim(s)": "Find methods that miss few polyps.",
    "Data source(s)": {"a": "Endoscope X\nEndoscope Y", "b": "Routine examinations.", "c": "Hospital of A", "d": "N/A"},
    "Training and test case characteristics": {
        "a": "A case is one frame.",
        "b": "1,200 training cases, 100 validation cases and 300 test cases",
        "c": "More test cases were not available.",
        "d": "Frames are drawn by hospital.",
        "e": "All data are new.",
    },
    "Annotation characteristics": {
        "a": "Reference from multiple human raters",
        "b": "See https://polyps.example.org/protocol.pdf",
        "c": "Three endoscopists.",
        "d": "Majority vote",
    },
    "Data pre-processing method(s)": "Frames are cropped.",
    "Sources of error": {
        "a": "Small polyps are missed.",
        "b": "Reflections of the semi-rigid instrument disturb frames.",
    },
    "Metric(s)": {"a": "The Dice Similarity Coefficient (DSC) per frame.", "b": "It is common."},
    "Ranking method(s)": {
        "a": "Mean per team.",
        "b": "Missing cases get the worst possible metric value",
        "c": "Simple.",
    },
    "Statistical analyses": {"a": "Bootstrapping approaches", "b": "Few assumptions."},
    "Further analyses": "ranking variability",
}
FILLER = "such words of the form fill the middle of each instruction, which is longer than one line of the page"


def prompt_words(prompt):
    """An instruction as the form prints it: its own first and last words with other words between them."""
    first, _, last = prompt.split(" || ")[0].partition(" … ")
    return f"{first} {FILLER} {last}." if last else first


def rows(tasks=("Detect polyps",), *, challenge=None, answers=None, has_prompts=True):
    """Rows ``(kind, text)`` of a document; the kinds are title, section, heading, prompt and answer."""
    challenge = CHALLENGE_ANSWERS | (challenge or {})
    result = [("title", f"{challenge['Title']}: Structured description of the challenge design")]
    result += [("section", SECTIONS[CHALLENGE][0]), *_part(CHALLENGE, challenge, has_prompts)]
    for number, name in enumerate(tasks, start=1):
        own = (answers or {}).get(number - 1, {})
        result.append(("task", f"TASK {number}: {name}"))
        result += _part(TASK, TASK_ANSWERS | own, has_prompts)
    return result


def _part(part, answers, has_prompts):
    result = []
    for heading in HEADINGS:
        if heading.part != part or heading.names[0] not in answers:
            continue
        name = heading.names[0]
        if part == TASK and name in SECTION_BEFORE:
            result.append(("section", SECTION_BEFORE[name]))
        result.append(("heading", name))
        given = answers[name]
        if has_prompts:
            result += [("prompt", prompt_words(note)) for note in heading.notes]
        for item in heading.items:
            answer = given.get(item.letter) if isinstance(given, dict) else given if item is heading.items[0] else None
            if answer is None:
                continue
            letter = f"{item.letter}) " if item.letter else ""
            if has_prompts:
                for at, prompt in enumerate(item.prompts):
                    result.append(("prompt", (letter if at == 0 else "") + prompt_words(prompt)))
            elif letter:
                answer = letter + answer
            result.append(("answer", answer))
    return result


def word_file(path, document_rows):
    """Write the rows as a Word document."""
    word = docx.Document()
    styles = {"title": "Title", "section": "Heading 1", "task": "Heading 1", "heading": "Heading 2"}
    for kind, text in document_rows:
        if kind == "task":
            word.add_page_break()
        for line in text.split("\n"):
            word.add_paragraph(line, style=styles.get(kind))
    stream = io.BytesIO()
    word.save(stream)
    path.write_bytes(stream.getvalue())
    return path


def pdf_file(path, document_rows, *, header="Polyp Detection Challenge 2027"):
    """Write the rows as a PDF with a header, page numbers and hyphenated lines."""
    source = """#let rows = json("rows.json")
#set page(paper: "a4", margin: 2.5cm, header: [%s], footer: context [Page #counter(page).display() of #counter(page).final().first()])
#set text(size: 10pt, lang: "en", hyphenate: true)
#set par(justify: true)
#for (kind, words) in rows {
  if kind == "task" { pagebreak(weak: true) }
  for line in words.split("\\n") { if kind in ("heading", "section", "task", "title") { block(strong(line)) } else { par(line) } }
}"""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "rows.json").write_text(json.dumps(document_rows), encoding="utf-8")
        (root / "main.typ").write_text(source % header, encoding="utf-8")
        path.write_bytes(typst.compile(root / "main.typ", root=root))
    return path
