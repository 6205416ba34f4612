"""Instructions of a starter kit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluation.assessment import Assessment
    from evaluation.starter.facts import KitFacts


def readme(assessment: Assessment, facts: KitFacts, submit_page: Sequence[str]) -> str:
    """Return ``README.md``.

    Parameters
    ----------
    submit_page
        Paragraphs of the submit page about the files.
    """
    return "\n".join(_lines(assessment, facts, submit_page)) + "\n"


def _lines(assessment: Assessment, facts: KitFacts, submit_page: Sequence[str]) -> Iterator[str]:
    from evaluation.ranking import describe

    title = " ".join(facts.title.split())
    yield from (f"# Starter kit: {title}", "")
    yield from (f"Phase: {facts.phase}. Challenge page: {facts.address}", "")
    yield from ("Podium generated this kit from the registered design. The sample data are invented.", "")
    yield from ("They have the formats and labels of the challenge, and no medical meaning.", "")
    yield from ("## First score", "")
    yield from (
        "```",
        "pip install -r requirements.txt    # or: pip install . in a checkout of Podium",
        "python predict.py",
        "python score.py",
        "```",
        "",
    )
    yield from (
        "`score.py` runs the registered assessment. The values are those that the platform computes for the same files.",
        "",
    )
    yield from ("## Files", "")
    yield from _items(_files(facts))
    yield from ("## Your predictions", "", "Numbers of cases are those of the sample.", "")
    yield from _items(submit_page)
    yield from ("## How the winner is determined", "")
    yield from _items(describe(assessment))
    yield from ("## Submit", "")
    yield from _submission(facts)


def _items(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"- {text}" for text in texts)
    yield ""


def _files(facts: KitFacts) -> list[str]:
    files = [
        "`predict.py` writes predictions in the required format. Replace the two functions with your method.",
        "`score.py` and `score.ipynb` score predictions.",
        "`assessment.json` is the registered assessment: metrics, options, missing cases and ranking.",
        "`sample/references/` contains references and `cases.csv`; `sample/predictions/` contains valid predictions.",
        "`.github/workflows/score.yml` predicts and scores the sample cases after each push.",
    ]
    if facts.interface:
        files.append("`Dockerfile`, `run.py` and `interface.json` build the container image of your algorithm.")
    return files


def _submission(facts: KitFacts) -> Iterator[str]:
    where = facts.address.partition("/challenges/")[0]
    names = f"{facts.slug} {facts.phase_slug}"
    commands = [f"podium login {where}"]
    if facts.interface:
        commands += [
            "docker build -t algorithm . && docker save algorithm -o algorithm.tar",
            "podium try algorithm.tar CASES/ --interface interface.json",
            f"podium submit {names} --image algorithm.tar --watch",
        ]
    else:
        commands += [f"podium validate {names} predictions/", f"podium submit {names} predictions/ --watch"]
    yield from ("```", *commands, "```")
