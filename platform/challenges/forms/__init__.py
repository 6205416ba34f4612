"""The boundary: what people send."""
