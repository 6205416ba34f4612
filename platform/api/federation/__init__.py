"""What sites send and get over HTTP: the signature is the credential."""
