"""Load the example designs."""

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from designs.services.examples import EXAMPLES, load_example_design


class Command(BaseCommand):
    help = "Load the example designs (hippocampus, nuclei, MSD, RobustMIS, FeTS); those that exist already stay as they are."

    def add_arguments(self, parser):
        parser.add_argument("--owner", help="name of the account that may change them; without it nobody may")

    def handle(self, *args, **options):  # noqa: ARG002 (Django's signature)
        owner = None
        if options["owner"]:
            owner = User.objects.filter(username=options["owner"]).first()
            if owner is None:
                raise CommandError(f"There is no account {options['owner']}.")
        for name in EXAMPLES:
            design, is_new = load_example_design(name=name, owner=owner)
            self.stdout.write(f"{design.title}: {'loaded' if is_new else 'there already'} as {design.slug}")
