"""The structured challenge design on the platform: forms, versions, and saving of what `evaluation.designs` decides."""
