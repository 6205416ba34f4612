"""Faults in scripts, styles and templates do not pass `make lint`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

DJLINT = str(Path(sys.executable).parent / "djlint")


def judged(*command):
    return subprocess.run(
        [str(part) for part in command],
        cwd=settings.ROOT,
        env={**os.environ, "PYTHONPATH": str(settings.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.js", '"use strict";\nconst unused = 1;\n', "no-unused-vars"),
        ("a.js", '"use strict";\ndocumnet.title = "x";\n', "no-undef"),
        ("a.js", '"use strict";\nlet x = ;\n', "Parsing error"),
        ("a.css", "p { colour: red }\n", "Unknown property"),
        ("a.css", "p { display: blok }\n", "Invalid value"),
    ],
)
def test_a_fault_in_a_script_or_a_style_is_named_with_its_place(tmp_path, name, content, complaint):
    file = tmp_path / name
    file.write_text(content)
    result = judged(sys.executable, "-m", "tests.lint", file)
    assert result.returncode == 1
    assert f"{file}:" in result.stdout
    assert complaint in result.stdout


def test_files_without_a_fault_pass(tmp_path):
    script, style = tmp_path / "a.js", tmp_path / "a.css"
    script.write_text('(() => {\n  "use strict";\n  document.title = "x";\n})();\n')
    style.write_text("p { max-width: min(40rem, 100%); color: var(--ink) }\n")
    assert judged(sys.executable, "-m", "tests.lint", script, style).returncode == 0


def test_a_template_with_an_element_that_is_not_closed_is_refused(tmp_path):
    template = tmp_path / "page.html"
    template.write_text("{% block main %}<div><p>text</p>{% endblock %}\n")
    result = judged(DJLINT, "--configuration", "pyproject.toml", "--lint", template)
    assert result.returncode == 1
    assert "H025" in result.stdout
