"""Reports of ten challenges for human readers, to verify that every sentence is true."""
