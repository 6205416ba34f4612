import secrets
import sys
from pathlib import Path
from typing import Any

import pyrage
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation import durable
from operations.domain.database_roles import ROLES, variable
from operations.domain.environment import FOR_GOOD, AnswerError, Answers, checked, environment, references

QUESTIONS = {
    "address": "Where will people reach the site (https://…)?",
    "admin_email": "E-mail address of the first administrator?",
    "email_url": "How is mail sent (smtp+tls://user:password@mail.example.org:587)?",
    "sender": "From which address does mail come?",
    "prefix": "First part of every identifier of the registry?",
    "publisher": "Who publishes, in citations?",
    "tls": "Certificates: by ACME (leave empty), internal, or own?",
}


class Command(BaseCommand):
    help = (
        "Write .env and references.env for docker-compose.yml, with random keys. Asks for what is not given; never "
        "writes over a file that is there."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where docker-compose.yml is")
        for name, question in QUESTIONS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", help=question)
        parser.add_argument("--admin-name", default="administrator", help="user name of the first administrator")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        files = [options["folder"] / name for name in (".env", "references.env")]
        for path in files:
            if path.exists():
                raise CommandError(
                    f"{path} is there already and is left as it is: its keys belong to the data of an installation. Edit "
                    "it, or move it away to set up another installation."
                )
        try:
            answers = checked(self._answers(options))
        except AnswerError as error:
            raise CommandError(str(error)) from error
        identity = pyrage.x25519.Identity.generate()
        texts = [
            environment(answers, secrets=_random()),
            references(str(identity), str(identity.to_public())),
        ]
        for path, text in zip(files, texts, strict=True):
            if not durable.write_first(path, text.encode(), mode=0o600):
                raise CommandError(f"{path} was written by another process. It is left as it is.")
        self.stdout.write(f"Written: {', '.join(map(str, files))}. These cannot be changed later without loss:")
        for name, why in FOR_GOOD.items():
            self.stdout.write(f"  {name}: {why}")
        self.stdout.write("Copy references.env to another place now. Then: docker compose up -d")

    def _answers(self, options: dict[str, Any]) -> Answers:
        defaults = {"prefix": "podium", "publisher": "Podium", "tls": ""}
        given = {name: options[name] for name in QUESTIONS}
        for name, question in QUESTIONS.items():
            if given[name] is not None:
                continue
            if name in defaults and not sys.stdin.isatty():
                given[name] = defaults[name]
            elif sys.stdin.isatty():
                default = defaults.get(name, "")
                given[name] = input(f"{question} {f'[{default}] ' if default else ''}").strip() or default
            else:
                raise CommandError(f"--{name.replace('_', '-')} is missing: {question}")
        return Answers(**given, admin_name=options["admin_name"])


def _random() -> dict[str, str]:
    return {
        "SECRET_KEY": secrets.token_urlsafe(64),
        "POSTGRES_PASSWORD": secrets.token_hex(24),
        **{variable(role): secrets.token_hex(24) for role in ROLES},
        "PODIUM_S3_ACCESS_KEY": secrets.token_hex(10),
        "PODIUM_S3_SECRET_KEY": secrets.token_hex(24),
        "PODIUM_METRICS_TOKEN": secrets.token_hex(24),
    }
