"""The way from values to ranks as statements: shown as pseudo-code, read by the rules, and executed by the tests."""
