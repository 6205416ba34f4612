"""Messages and files of sites over HTTP: the signature is the credential."""
