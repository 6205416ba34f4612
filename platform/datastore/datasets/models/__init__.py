"""Data set → version → file; uploads on their way, and who downloaded what."""

from datastore.datasets.models.datasets import Dataset, DatasetFile, DatasetVersion
from datastore.datasets.models.publishing import Publication, PublicationConsent
from datastore.datasets.models.transfers import DatasetUpload, Download

__all__ = ["Dataset", "DatasetFile", "DatasetUpload", "DatasetVersion", "Download", "Publication", "PublicationConsent"]
