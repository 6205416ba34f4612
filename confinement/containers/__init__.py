"""Programs of strangers, run as containers: images taken in, started without a network, watched, and their files collected.

Knows neither Django nor the platform nor the science side: bounds, folders and the engine are passed in. What is held against
whom is in docs/confinement.md.
"""
