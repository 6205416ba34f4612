"""The boundary: what organizers send."""

from typing import Any

from django import forms

from test_sets.domain import merging
from uploads.forms import bounded


class TestSetForm(forms.Form):
    """An archive of references for one phase; a reason belongs to it where it replaces a version."""

    __test__ = False

    archive = forms.FileField(
        label="Archive of references",
        help_text="A .zip, .tar.gz or .tar.zst file.",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.tar,.tar.gz,.tgz,.zst"}),
    )
    reason = forms.CharField(
        max_length=1000,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Why the present version is replaced. It stays with the new version and in the log of acts.",
    )

    merge_rule = forms.ChoiceField(
        label="Several annotators",
        required=False,
        choices=[(rule, rule) for rule in merging.RULES],
        initial=merging.MAJORITY,
        help_text="How the references in annotator-1/, annotator-2/, … become the one that is scored. Without such folders, "
        "it has no effect.",
    )

    def __init__(
        self,
        *args: Any,
        replaces: bool,
        asks_for_merging: bool = True,
        problem: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        words = merging.words(problem)
        self.fields["merge_rule"].choices = [(rule, f"{said[0].upper()}{said[1:]}") for rule, said in words.items()]
        if not replaces:
            del self.fields["reason"]
        if not asks_for_merging:
            del self.fields["merge_rule"]

    def clean_archive(self) -> Any:
        """Bound the size before the file goes anywhere."""
        return bounded(self.cleaned_data["archive"])
