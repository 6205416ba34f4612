"""Designs of published challenges from file to verified bundle, with values and ranks computed a second time."""
