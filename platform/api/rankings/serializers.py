"""Serializers of rankings for the API description; the values arrive ready for JSON."""

from rest_framework import serializers

from evaluation.boards import VERDICTS


class WinnerSerializer(serializers.Serializer):
    """Decision whether a winner is named, with the reason."""

    named = serializers.BooleanField()
    algorithm = serializers.CharField(allow_null=True)
    alpha = serializers.FloatField(
        help_text="registered ceiling: share of challenges with equally good best algorithms in which one may be named"
    )
    reason = serializers.CharField(
        help_text="code: shown, tie, not_shown, one_more_failure, possible_clusters, too_few_units, stratum_too_small, …"
    )


class LeadSerializer(serializers.Serializer):
    """Lead of the first over the strongest of the others."""

    over = serializers.CharField(help_text="the strongest of the others")
    estimate = serializers.FloatField()
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    level = serializers.FloatField(help_text="level of the interval")
    interval_as_observed = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        required=False,
        help_text="interval with failures as observed, of a lead that one more failed case could cost",
    )


class BreakEvenSerializer(serializers.Serializer):
    """Failure rate of the first that would cancel its lead."""

    rate = serializers.FloatField(help_text="rate up to which the lead is safe")
    estimate = serializers.FloatField(help_text="the same from the observed lead, without its uncertainty")
    over = serializers.CharField()
    cost = serializers.FloatField(help_text="mean loss by a failure, in the unit of the score")
    failed = serializers.IntegerField()
    of = serializers.IntegerField()
    upper = serializers.FloatField(help_text="95 % upper bound of the failure rate")


class FalseClaimSerializer(serializers.Serializer):
    """Probabilities that the first is better than, equivalent to or worse than the best of the others.

    They apply if failures are as frequent as observed.
    """

    better = serializers.FloatField()
    equivalent = serializers.FloatField()
    worse = serializers.FloatField()
    method = serializers.CharField(help_text="bayesian_bootstrap, shrunken_draws or fresh_draws")
    with_one_unseen_failure = serializers.FloatField(allow_null=True, help_text="cautious p-value, no probability")


class UnseatSerializer(serializers.Serializer):
    """Smallest number of units without which another algorithm has at least the same score."""

    units = serializers.IntegerField()
    algorithm = serializers.CharField()
    is_exact = serializers.BooleanField(help_text="false for an upper bound")


class SettleSerializer(serializers.Serializer):
    """Number of units that would make the difference of the first from an algorithm significant."""

    algorithm = serializers.CharField()
    estimate = serializers.IntegerField(allow_null=True, help_text="null above 10,000")
    interval = serializers.ListField(
        child=serializers.IntegerField(allow_null=True), help_text="90 % range over resampled units; null above 10,000"
    )


class OrderSerializer(serializers.Serializer):
    """One way to rank the teams: overall, or by a metric and region."""

    key = serializers.CharField(help_text="key of `orders` of each team")
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name, not the label of the serializer
    metric = serializers.CharField(allow_null=True)
    region = serializers.CharField(allow_null=True)
    statistic = serializers.CharField()
    unit = serializers.CharField(allow_null=True)
    higher = serializers.BooleanField(help_text="whether larger scores are better")
    score_interval_kind = serializers.ChoiceField(
        choices=["confidence", "resampling"],
        allow_null=True,
        help_text=(
            "what score_low and score_high are for all teams: confidence intervals or percentiles of resamples; "
            "null in rankings that do not state it"
        ),
    )
    winner = WinnerSerializer()
    verdict = serializers.ChoiceField(
        choices=list(VERDICTS.items()), allow_null=True, help_text="clear: only in rankings of schema 2"
    )
    first_again = serializers.FloatField(
        allow_null=True, help_text="probability that the first comes first again on as many fresh cases"
    )
    lead = LeadSerializer(allow_null=True)
    break_even_failure_rate = BreakEvenSerializer(allow_null=True)
    false_claim_probability = FalseClaimSerializer(allow_null=True)
    fewest_cases_to_unseat = UnseatSerializer(allow_null=True)
    cases_to_settle = SettleSerializer(many=True, allow_null=True)
    cases_to_confirm = serializers.IntegerField(
        allow_null=True, help_text="minimum number of units that could confirm a lead of this size"
    )
    sets = serializers.DictField(help_text="how rank sets are made, and the reason where they say nothing")
    margin = serializers.FloatField(allow_null=True, help_text="the registered difference that matters")
    left_out = serializers.DictField(
        child=serializers.CharField(),
        help_text="why letters and comparisons of pairs are not there: too_many_algorithms or too_many_letters",
    )
    sensitivity = serializers.DictField(help_text="what hangs on who else took part")
    warnings = serializers.ListField(child=serializers.DictField())


class TeamOrderSerializer(serializers.Serializer):
    """Position of a team in one order.

    Rank sets are valid for all teams simultaneously; resampling ranges are only descriptive.
    """

    rank = serializers.FloatField(allow_null=True)
    rank_set_low = serializers.IntegerField(allow_null=True)
    rank_set_high = serializers.IntegerField(allow_null=True)
    within_reach = serializers.BooleanField(allow_null=True, help_text="whether the rank set starts at 1")
    letters = serializers.CharField(allow_null=True, help_text="two teams share one if neither is shown to be better")
    rank_low = serializers.IntegerField(allow_null=True, help_text="resampling range")
    rank_high = serializers.IntegerField(allow_null=True, help_text="resampling range")
    share_first = serializers.FloatField(allow_null=True, help_text="share of resamples in which it came first")
    score = serializers.FloatField(allow_null=True)
    score_low = serializers.FloatField(
        allow_null=True,
        help_text=(
            "lower end, of the kind score_interval_kind; rare failures that did not occur make the interval too narrow; "
            "measured coverage: docs/correctness/coverage.md"
        ),
    )
    score_high = serializers.FloatField(allow_null=True, help_text="upper end, with the same limits")
    score_bound = serializers.FloatField(
        allow_null=True,
        help_text="exact one-sided bound of a value of the whole data set that is 0 or 1: a lower one below it, an upper one above it",
    )
    difference_from_first = serializers.FloatField(
        allow_null=True,
        help_text=(
            "positive where the first is better; the interval lies above the margin exactly for better, where an end at the "
            "margin is not part of it; exploratory rankings have no verdict"
        ),
    )
    difference_low = serializers.FloatField(allow_null=True)
    difference_high = serializers.FloatField(allow_null=True)
    difference_level = serializers.FloatField(
        allow_null=True,
        help_text="level of the intervals, which apply together except lower ends that a test has raised",
    )
    difference_verdict = serializers.CharField(allow_null=True, help_text="better, equivalent or undecided")
    failed = serializers.IntegerField(allow_null=True)
    failed_of = serializers.IntegerField(allow_null=True)
    failure_rate_upper = serializers.FloatField(allow_null=True, help_text="95 % upper bound")
    rank_if_one_more_failed = serializers.FloatField(allow_null=True, help_text="the worst over its cases")


class ReportedSerializer(serializers.Serializer):
    """A metric in a region that is registered and that no ranking uses."""

    key = serializers.CharField(help_text="key of `reported` of each team")
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name, not the label of the serializer
    metric = serializers.CharField()
    region = serializers.CharField(allow_null=True)
    statistic = serializers.CharField()
    unit = serializers.CharField(allow_null=True)
    higher = serializers.BooleanField(help_text="whether larger values are better")
    cases = serializers.IntegerField()


class TeamReportedSerializer(serializers.Serializer):
    """The value of a team in a metric that no ranking uses, with its resampling range."""

    value = serializers.FloatField(allow_null=True)
    value_low = serializers.FloatField(allow_null=True)
    value_high = serializers.FloatField(allow_null=True)
    cases_with_value = serializers.IntegerField(allow_null=True)


class RankedTeamSerializer(serializers.Serializer):
    """A team with all information next to its rank."""

    team = serializers.CharField()
    cases = serializers.IntegerField()
    missing = serializers.IntegerField()
    submissions = serializers.IntegerField(allow_null=True)
    handed_in = serializers.CharField(allow_null=True)
    marks = serializers.ListField(child=serializers.DictField())
    method = serializers.CharField(allow_null=True)
    orders = serializers.DictField(child=TeamOrderSerializer())
    reported = serializers.DictField(child=TeamReportedSerializer(), help_text="metrics without a rank")


class OriginSerializer(serializers.Serializer):
    """Origin of measured values: measuring party, means and date, in the organizers' text."""

    by = serializers.CharField()
    when = serializers.CharField()

    def get_fields(self):
        """The field called with, which is no name in Python."""
        return {**super().get_fields(), "with": serializers.CharField()}


class MeasuredOutsideSerializer(serializers.Serializer):
    """A sealed version of values that were measured outside Podium."""

    version = serializers.IntegerField()
    digest = serializers.CharField()
    file_sha256 = serializers.CharField()
    origin = OriginSerializer()
    sealed_at = serializers.CharField()
    teams = serializers.ListField(child=serializers.CharField(), help_text="whose values it holds")


class ScorerSerializer(serializers.Serializer):
    """A scoring image of the organizers, and the trial that it passed before it scored."""

    image = serializers.CharField(help_text="the image's id, a SHA-256")
    interface = serializers.CharField()
    metrics = serializers.ListField(child=serializers.CharField(), help_text="what it computed")
    self_test = serializers.CharField(help_text="digest of the report of the trial")
    tried_at = serializers.CharField(allow_null=True)


class RankingSerializer(serializers.Serializer):
    """A version of a ranking as its page shows it."""

    schema = serializers.IntegerField()
    challenge = serializers.CharField()
    task = serializers.CharField()
    phase = serializers.CharField()
    version = serializers.IntegerField()
    stands = serializers.BooleanField()
    address = serializers.CharField()
    created_at = serializers.CharField()
    digest = serializers.CharField()
    assessment_digest = serializers.CharField()
    seed = serializers.IntegerField()
    bootstrap = serializers.IntegerField()
    interval = serializers.FloatField(
        help_text="about the share of challenges in which the rank sets together contain all true ranks"
    )
    cases = serializers.IntegerField()
    only = serializers.DictField(allow_null=True, help_text="the group of cases or annotator it is about")
    deviations = serializers.ListField(child=serializers.DictField())
    measured_outside = MeasuredOutsideSerializer(
        many=True, help_text="sealed tables of values that were measured outside Podium"
    )
    scorers = ScorerSerializer(many=True, help_text="scoring images that computed metrics which Podium does not have")
    identical = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    says = serializers.ListField(child=serializers.CharField(), help_text="the headline first")
    orders = OrderSerializer(many=True)
    reported = ReportedSerializer(many=True, help_text="metrics that are computed and that no ranking uses")
    teams = RankedTeamSerializer(many=True)
