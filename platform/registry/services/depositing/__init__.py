"""Handing registered versions to a repository that mints DOIs."""

from registry.services.depositing.client import DepositError, Record, Repository

__all__ = ["DepositError", "Record", "Repository"]
