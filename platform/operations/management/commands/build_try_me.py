from django.core.management.base import BaseCommand, CommandError

from evaluation import durable
from operations.services.examples import example, try_me_files


class Command(BaseCommand):
    help = "Write the archives of an example's try-me folder anew, from its predictions."

    def add_arguments(self, parser):
        parser.add_argument("name")

    def handle(self, *, name, **options):  # noqa: ARG002 (Django's signature)
        try:
            source = example(name)
        except ValueError as error:
            raise CommandError(str(error)) from error
        folder = source.folder / "try-me"
        folder.mkdir(exist_ok=True)
        for file, content in try_me_files(source).items():
            durable.write_bytes(folder / file, content)
            self.stdout.write(f"{file}: {len(content):,} bytes")
