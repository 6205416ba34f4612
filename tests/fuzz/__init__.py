"""Fuzzing of the API with unintended input for every role; `python -m tests.fuzz.api` runs it for any duration."""
