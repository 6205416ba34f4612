"""`docker-compose.yml` brought up for real, with podman and without a registry: ``python -m tests.composition``."""
