"""The boundary: what organizers send."""

from collections.abc import Sequence
from typing import Any

from django import forms

from challenges.models import Phase
from datastore.test_sets.domain import merging
from datastore.test_sets.models import CaseReport
from datastore.uploads.forms import bounded
from evaluation.problems.label_merging import MAJORITY


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
        help_text="Reason for replacing the current version. It is stored with the new version and in the audit log.",
    )

    merge_rule = forms.ChoiceField(
        label="Several annotators",
        required=False,
        choices=[(rule, rule) for rule in merging.RULES],
        initial=MAJORITY,
        help_text=(
            "How the references in annotator-1/, annotator-2/, … are merged for scoring. Without such "
            "folders, this has no effect."
        ),
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
        rules = self.fields["merge_rule"]
        assert isinstance(rules, forms.ChoiceField)
        rules.choices = [(rule, f"{text[0].upper()}{text[1:]}") for rule, text in words.items()]
        if not replaces:
            del self.fields["reason"]
        if not asks_for_merging:
            del self.fields["merge_rule"]

    def clean_archive(self) -> Any:
        """Bound the size before the file goes anywhere."""
        return bounded(self.cleaned_data["archive"])


class CaseReportForm(forms.Form):
    """Report of a possible problem with a case."""

    phase = forms.ChoiceField(label="Phase")
    case = forms.CharField(max_length=150, strip=True, label="Case", help_text="As listed on the submit page.")
    category = forms.ChoiceField(choices=CaseReport.Category.choices, label="Problem")
    text = forms.CharField(
        max_length=2000,
        label="Description",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Visible to the organizers and you. The number of reports is public.",
    )

    def __init__(self, *args: Any, phases: Sequence[Phase], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._phases = {str(phase.pk): phase for phase in phases}
        phase = self.fields["phase"]
        assert isinstance(phase, forms.ChoiceField)
        phase.choices = [(key, entry.label or entry.name) for key, entry in self._phases.items()]

    def clean_phase(self) -> Phase:
        """The phase that was chosen."""
        return self._phases[self.cleaned_data["phase"]]
