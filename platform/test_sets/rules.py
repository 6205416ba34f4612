"""Who seals test sets and who gets a reference itself: declared once, used by views and templates."""

import rules

from challenges.rules import is_named_organizer, is_owner

rules.add_perm("test_sets.seal_test_set", is_owner)
# A rule and not a permission: Django grants every permission to administrators.
rules.add_rule("test_sets.download_references", is_named_organizer)
