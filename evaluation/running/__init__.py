"""Execution of algorithms instead of submitted predictions: rules shared by the platform and `podium try`.

The package contains pure rules without an engine:

- the document that instructs a container,
- opaque names of cases,
- the meaning of an observation for a case,
- the table of runs,
- the permitted output of a custom scorer.
"""
