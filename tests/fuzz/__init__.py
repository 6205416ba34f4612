"""The interface under input that nobody meant, for every role; `python -m tests.fuzz.api` runs it for as long as wanted."""
