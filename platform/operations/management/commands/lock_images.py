from typing import Any

import yaml
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation import durable
from operations.services.images import RegistryError, digest_of, named, overlay


class Command(BaseCommand):
    help = "Ask the registries for the digests that the images of docker-compose.yml have now, and write docker-compose.lock.yml."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--plain", action="store_true", help="by HTTP, for a registry on this machine")
        parser.add_argument("--check", action="store_true", help="write nothing; say what has moved since")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        compose, lock = settings.ROOT / "docker-compose.yml", settings.ROOT / "docker-compose.lock.yml"
        try:
            images = named(compose, settings.ROOT / "Dockerfile")
            digests = {name: digest_of(image, plain=options["plain"]) for name, image in images.items()}
        except RegistryError as error:
            raise CommandError(str(error)) from error
        built = [
            name for name, service in yaml.safe_load(compose.read_text())["services"].items() if "build" in service
        ]
        text = overlay(digests, images, built)
        if options["check"]:
            if not lock.exists() or lock.read_text() != text:
                raise CommandError(f"{lock.name} is not what the registries say now.")
            self.stdout.write("All digests are those of the lock.")
            return
        durable.write_text(lock, text)
        for name, digest in sorted(digests.items()):
            self.stdout.write(f"{images[name]}@{digest}")
