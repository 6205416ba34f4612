"""Sites: hospitals that score where the data are."""
