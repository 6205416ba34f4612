"""Reasons for grading down a case."""

REASONS = (
    *("annotation_error", "protocol_unclear", "missing_label", "image_artefact"),
    *("preprocessing", "duplicate", "empty", "other"),
)
