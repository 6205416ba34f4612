"""Example loaders, health, launching the processes of `make run`."""
