"""The append-only, hash-chained log that every act writes to."""
