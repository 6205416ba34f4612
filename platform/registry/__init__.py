"""What was accepted: the public record, its versions, identifiers and files."""
