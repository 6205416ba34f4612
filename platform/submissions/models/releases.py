"""What of a submission's scores its team is told, and what organizers look at to see whether somebody probes."""

from django.db import models
from django.utils import timezone

from submissions.models.submissions import Submission


class Release(models.Model):
    """The scores of a submission with their standard errors, and what of them its phase lets the team see while it is open.

    `scores` is a list of metric, region, value, standard_error, step, gain, improved, shown and leader (`submissions.domain.releasing`);
    `marks` holds one short digest a case over all its values: equal marks are equal values.
    """

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="release")
    result_digest = models.CharField(max_length=64)
    scores = models.JSONField(default=list)
    marks = models.JSONField(default=dict)
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"release of {self.submission}"
