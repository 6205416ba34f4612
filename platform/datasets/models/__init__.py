"""Data set → version → file; uploads on their way, and who downloaded what."""

from datasets.models.datasets import Dataset, DatasetFile, DatasetVersion
from datasets.models.publishing import Publication, PublicationConsent
from datasets.models.transfers import DatasetUpload, Download

__all__ = ["Dataset", "DatasetFile", "DatasetUpload", "DatasetVersion", "Download", "Publication", "PublicationConsent"]
