"""Acts of organizers, chairs and reviewers: one transaction each, each with its audit entry."""
