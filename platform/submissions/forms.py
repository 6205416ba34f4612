"""The boundary: what people send."""

from typing import Any

from django import forms

from challenges.models import Phase
from submissions import merging
from submissions.limits import upload_limits


class SubmitForm(forms.Form):
    """An archive of predictions for one phase; works without JavaScript, and is what the upload script reads."""

    archive = forms.FileField(
        label="Archive",
        help_text="A .zip, .tar.gz or .tar.zst file with the predictions.",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.tar,.tar.gz,.tgz,.zst"}),
    )
    accept_incomplete = forms.BooleanField(
        required=False,
        label="Score it without asking when cases are missing or cannot be read",
        help_text="Otherwise you are shown what is missing and decide then. What a case "
        "without a valid prediction counts as stands under “What is expected”.",
    )

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not phase.incomplete_allowed:
            del self.fields["accept_incomplete"]

    def clean_archive(self) -> Any:
        """Bound the size before the file goes anywhere."""
        return _bounded(self.cleaned_data["archive"])


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
        return _bounded(self.cleaned_data["archive"])


def _bounded(archive: Any) -> Any:
    if archive.size > upload_limits().max_bytes:
        raise forms.ValidationError(f"The file is larger than the {upload_limits().max_bytes:,} bytes that are taken.")
    return archive
