"""Generator of docs/licences.md from the lock files and the metadata of the installed packages.

Usage: `python docs/make_licences.py`.
"""

# ruff: noqa: INP001

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "licences.md"
# What a package's metadata leave open or say in the full text; read in the file named.
READ_BY_HAND = {
    "fido2": "BSD-2-Clause AND Apache-2.0 AND MPL-2.0",  # classifiers; the MPL covers its list of public suffixes
    "matplotlib": "PSF-based (matplotlib)",  # LICENSE
    "mergedeep": "MIT",  # LICENSE, and classifiers
    "pyrage": "MIT",  # LICENSE of its repository
    "qrcode": "BSD-3-Clause",  # LICENSE
    "scikit-image": "BSD-3-Clause",  # LICENSE.txt
}
LONG = {
    "BSD License": "BSD",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL-3.0-or-later",
    "LGPL with exceptions": "LGPL-3.0-or-later with exceptions",
    "Apache": "Apache-2.0",
    "Apache 2": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "New BSD": "BSD-3-Clause",
    "2-clause BSD": "BSD-2-Clause",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
}
INTRODUCTION = """# Licences of what Podium uses

Podium itself is under [Apache-2.0](../LICENSE). This page is written by `python docs/make_licences.py` from the lock files and the
metadata of the packages; `tests/unit/config/test_licences.py` holds it complete and refuses a licence that nobody has judged.
Files that the site sends to browsers are listed with theirs in `static/vendor/VENDOR.md`.

**Every licence here allows use by a project under Apache-2.0.** Three kinds ask for more than a notice:

- **LGPL** ({lgpl}): used unchanged, as separate packages that anybody can
  replace; nothing of them is copied into Podium. Who passes on an image or an installer that contains them passes on their
  licence texts too and leaves them replaceable.
- **MPL-2.0** ({mpl}): only changes of its own files would have to be published; there are none.
- **GPL** ({gpl}): a tool for engineers, run as a program of its own and neither imported nor passed on.

## What the platform and the science side run with
"""
HEAD = "\n| package | licence |\n|---|---|\n"


def required(name: str) -> list[str]:
    """Names of the packages that `name`.in asks for and `name`.txt locks."""
    lock, asked = ((ROOT / f"{name}.{ending}").read_text(encoding="utf-8") for ending in ("txt", "in"))
    pinned = re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==", lock, re.MULTILINE)
    return sorted({package.lower() for package in (*pinned, *re.findall(r"^[A-Za-z][\w.-]*", asked, re.MULTILINE))})


def licence(name: str) -> str:
    """Return the licence of an installed package, as an SPDX expression where its metadata allow.

    Raises
    ------
    ValueError
        If the metadata do not state it; it must then be read by a person.
    """
    if name in READ_BY_HAND:
        return READ_BY_HAND[name]
    content = metadata(name)
    said = content.get("License-Expression") or content.get("License") or ""
    if not said or len(said) > 60 or "\n" in said:
        titles = [line.rpartition(" :: ")[2] for line in content.get_all("Classifier") or [] if "License ::" in line]
        said = " OR ".join(LONG.get(title, title) for title in titles if title not in ("OSI Approved", "DFSG approved"))
    if not said:
        raise ValueError(f"{name} does not say its licence; read it and add it to READ_BY_HAND.")
    return LONG.get(said.strip(), said.strip())


def table() -> str:
    """Return the page from the locked and installed packages.

    Packages for other systems are excluded.
    """
    runs = required("requirements")
    tests = [name for name in required("requirements-test") if name not in runs]
    rows: dict[str, str] = {}
    for name in (*runs, *tests):
        try:
            rows[name] = licence(name)
        except PackageNotFoundError:
            continue

    def lines(names: list[str]) -> str:
        return "".join(f"| `{name}` | {rows[name]} |\n" for name in names if name in rows)

    def of(kind: str) -> str:
        pattern = rf"(?<![A-Z]){kind}"
        return ", ".join(f"`{name}`" for name in rows if re.search(pattern, rows[name])) or "none"

    introduction = INTRODUCTION.format(lgpl=of("LGPL"), mpl=of("MPL"), gpl=of("GPL"))
    return f"{introduction}{HEAD}{lines(runs)}\n## What only tests and engineers need\n{HEAD}{lines(tests)}"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
