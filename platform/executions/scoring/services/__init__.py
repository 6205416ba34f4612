"""Services that read, check and score submissions in confined child processes and write the results."""
