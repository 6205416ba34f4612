"""Mutation tests of the science side: ``python -m tests.mutants`` (see ``--help``)."""
