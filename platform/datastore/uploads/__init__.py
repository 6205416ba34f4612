"""Bytes from people: received in pieces, resumable, to this machine or straight to the object store."""
