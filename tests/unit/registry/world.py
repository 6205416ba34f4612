"""People, designs and registrations for the tests of this app."""

from designs.services import freeze_version, import_design
from registry.services import register
from tests.unit.designs.world import design, person, save

ADDRESS = "ada@hospital.example.org"

__all__ = ["ADDRESS", "design", "frozen", "person", "registered", "save"]


def filled(owner, *, title="Hippocampus 2026"):
    """A design with a name, people, an address in a free text, and a withheld value."""
    challenge = {
        "challenge_name": "Hippocampus segmentation challenge",
        "challenge_acronym": "HIPPO",
        "challenge_year": 2026,
        "organizing_team": [
            {
                "name": "Ada Lovelace",
                "affiliation": "University of Examples",
                "role": "lead_organizer",
                "email": ADDRESS,
            }
        ],
        "contact_person": {"name": "Ada Lovelace", "email": ADDRESS},
        "challenge_abstract": f"Find the hippocampus. Questions to {ADDRESS} or ada (at) example (dot) org.",
        "challenge_venue": "miccai",
        "expected_participants": 30,
    }
    task = {
        "key": "task-1",
        "task_name": "Segment the hippocampus",
        "imaging_modality": ["mri"],
        "task_category": ["semantic_segmentation"],
        "data_origin": "Brain, medial temporal lobe",
        "number_test_cases": 60,
        "number_training_cases": 200,
        "case_definition": "one volume",
        "case_definition__state": {"state": "embargoed_until", "event": "training_data_release"},
    }
    # All at once: saving field by field costs a test more than everything that it looks at.
    return import_design(actor=owner, title=title, data={"challenge": challenge, "tasks": [task]})[0]


def frozen(owner, **facts):
    """A frozen version of it."""
    return freeze_version(actor=owner, design=filled(owner, **facts), name="Accepted")


def registered(owner, **facts):
    """Its registration's version 1.0."""
    return register(design_version=frozen(owner), actor=owner, **facts)
