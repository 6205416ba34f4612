"""Results tables that people bring: analysed at a private address by the code of leaderboards and reports."""
