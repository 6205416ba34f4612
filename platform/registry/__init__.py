"""The public record of accepted designs: versions, identifiers and files."""
