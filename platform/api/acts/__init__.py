"""Acts of organizers and chairs over REST: the forms, rules, services and messages of the pages."""
