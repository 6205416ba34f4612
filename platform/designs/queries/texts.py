"""The catalogue as this installation shows it: delivered texts with those that administrators changed."""

from django.core.cache import cache

from designs.models import TextOverride
from evaluation.designs.catalogue import Catalogue, shipped, with_texts

KEY = "designs.queries.texts"
SECONDS = 30


def catalogue() -> Catalogue:
    """Return the catalogue; changed texts are read at most every `SECONDS` by each process."""
    texts = cache.get(KEY)
    if texts is None:
        texts = tuple(TextOverride.objects.values_list("parameter", "text_name", "text"))
        cache.set(KEY, texts, SECONDS)
    if not texts:
        return shipped()
    return with_texts(shipped(), {(parameter, name): text for parameter, name, text in texts})


def forget() -> None:
    """Read the changed texts again on the next use."""
    cache.delete(KEY)
