"""Load what surrounds the example challenges: designs, a call in which they are reviewed, registrations."""

from django.core.management.base import BaseCommand

from designs.services.examples import EXAMPLES, load_example_design
from operations.services.example_accounts import ORGANIZER, create_accounts
from operations.services.example_call import load_example_call
from registry.services.examples import load_example_registrations


class Command(BaseCommand):
    help = "Load the example designs, the example call and the example registrations; what exists stays as it is."

    def handle(self, *args, **options):  # noqa: ARG002 (Django's signature)
        people = create_accounts()
        designs = {name: load_example_design(name=name, owner=people[ORGANIZER])[0] for name in EXAMPLES}
        call, is_new = load_example_call(people=people, designs=designs)
        self.stdout.write(f"{call.title}: {'loaded' if is_new else 'there already'} as {call.slug}")
        registered = load_example_registrations(actor=people[ORGANIZER])
        self.stdout.write("1 design registered" if len(registered) == 1 else f"{len(registered)} designs registered")
