"""Foundation of all other packages: the audit log, durable work and typesetting."""
