"""The interface of runners: machines that run algorithms with a token as their only secret."""
