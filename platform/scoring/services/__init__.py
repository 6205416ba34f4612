"""Reading, checking and scoring what was handed in, in confined children; writing what came out."""
