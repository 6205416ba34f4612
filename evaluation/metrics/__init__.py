"""Metrics, one module a family: pure functions of a reference and a prediction that return value and outcome."""
