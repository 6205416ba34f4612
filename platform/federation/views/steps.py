"""The steps of a coordinator, counted, each with the one command that does it."""

from typing import Any

from federation.models import SitePackage
from federation.queries.standing import Standing

INSTALL = "pip install '.[site]'"


def steps_of(standing: Standing, package: SitePackage | None, address: str) -> list[dict[str, Any]]:
    """Return each step with its status (done, now or later) and the command to type."""
    enrolment, kinds = standing.enrolment, {message.kind for message in standing.messages}
    registered = enrolment is not None and enrolment.registered_at is not None
    confirmed = enrolment is not None and enrolment.confirmed_at is not None
    current = {m.kind for m in standing.messages if package is not None and m.facts.get("package") == package.digest}
    ready = "manifest-seal" in kinds and "compatibility" in current
    named = package.document["algorithms"] if package is not None else []
    images = [entry["name"] for entry in named if entry["image"]]
    folder = "my-site"
    rows: list[tuple[str, bool, str, str]] = [
        (
            "Install the command",
            registered,
            INSTALL,
            "In a checkout of Podium; Python 3.11 or newer on Linux. No server, no open port.",
        ),
        (
            "Take the invitation",
            registered,
            f"podium site join {address} {folder}",
            "It shows the terms, makes the folder with the key of your site, and registers the key.",
        ),
        (
            "Tell the organizers the fingerprint of the key, by telephone",
            confirmed,
            f"cd {folder} && podium site status",
            "They compare it with what arrived and confirm the key.",
        ),
        (
            "Get the package",
            ready or bool(current),
            "podium site fetch",
            "The registered assessment, the names of the algorithms"
            + (", their images" if images else "")
            + " and the public cases; nothing is run.",
        ),
        (
            f"Put your references {'and images ' if images else ''}into the folder, and test",
            "compatibility" in current,
            "podium site check",
            "References go to cases/references"
            + (", images of your cases to cases/images; podman runs the algorithms" if images else "")
            + ". Public cases have to give the values of the organizers, and yours have to be readable.",
        ),
        (
            "Seal your cases",
            "manifest-seal" in kinds,
            "podium site seal",
            "Grade cases before, if the design knows grades. A digest and counts are signed; names and files stay.",
        ),
        ("Tell the centre that you are ready", ready, "podium site send", "Sends what was signed so far."),
        (
            "Score the algorithms",
            standing.result is not None,
            "podium site run",
            _scoring(len(images), len(named)),
        ),
        (
            "Read everything that would leave, and send it",
            standing.result is not None,
            "podium site summary && podium site send",
            "It asks before it sends. You get a signed receipt.",
        ),
    ]
    first = next((index for index, row in enumerate(rows) if not row[1]), len(rows))
    return [
        {
            "number": index + 1,
            "title": title,
            "state": "done" if done else "current" if index == first else "next",
            "command": command,
            "text": text,
        }
        for index, (title, done, command, text) in enumerate(rows)
    ]


def _scoring(images: int, algorithms: int) -> str:
    """Describe the origin of predictions: images are run, or predictions are put into the folder."""
    goes_on = "It goes on where it stopped."
    carried = "Predictions go to predictions/NAME, one folder an algorithm."
    if not images:
        return f"{carried} {goes_on}"
    images_sentence = "Runs each image on your cases without a network, and scores what it writes."
    return (
        f"{images_sentence} {goes_on}"
        if images == algorithms
        else f"{images_sentence} For the others, {carried[0].lower()}{carried[1:]} {goes_on}"
    )
