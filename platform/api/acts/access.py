"""Acts on the access to a closed challenge."""

from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import Act, checked, described, done, form_data, one_of, plain_request, refusals, shape_of
from challenges.forms.access import AccessRuleForm, LinkForm
from challenges.models import AccessRule, Challenge
from challenges.queries.access import links_of
from challenges.services import access as services
from challenges.views.access import organizing

TAG = "organizing"


class AccessLinkSerializer(serializers.Serializer):
    """A link into a closed challenge, without its address."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField(source="label")
    is_open = serializers.BooleanField(help_text="neither expired nor withdrawn")
    expires_at = serializers.DateTimeField()
    people = serializers.IntegerField(help_text="number of people who entered by it")


class AccessRuleSerializer(serializers.ModelSerializer):
    """An e-mail domain or institution."""

    class Meta:
        model = AccessRule
        fields = ("id", "kind", "value")


class AccessSerializer(serializers.Serializer):
    """Audience of a challenge, and the ways into it."""

    audience = serializers.ChoiceField(["organizers", "closed", "public"])
    is_open = serializers.BooleanField(help_text="whether people other than the organizers see it now")
    links = AccessLinkSerializer(many=True)
    rules = AccessRuleSerializer(many=True)


class NewLinkSerializer(serializers.Serializer):
    """A new link. Its address is shown once."""

    id = serializers.IntegerField()
    address = serializers.CharField()


_AUDIENCE = shape_of("SetAudience", audience=serializers.ChoiceField(["closed", "public"]))
_LINK = shape_of("AccessLinkInput", LinkForm)
_RULE = shape_of("AccessRuleInput", AccessRuleForm)
_ENTRY = shape_of("EnterChallenge", token=serializers.CharField(help_text="last part of the link's address"))


def _organized(request: Request, slug: str) -> Challenge:
    return organizing(plain_request(request), slug)


class AccessView(Act):
    """Audience of a challenge."""

    @described("challenge_access", "Show who sees a challenge", tag=TAG, answer=AccessSerializer)
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """Return the audience, the links, and the domains and institutions that have access."""
        challenge = _organized(request, slug)
        content = {
            "audience": "closed" if challenge.is_closed else "public" if challenge.is_public else "organizers",
            "is_open": challenge.is_for_readers,
            "links": links_of(challenge),
            "rules": challenge.access_rules.all(),
        }
        return Response(AccessSerializer(content).data)

    @described("set_audience", "Close or open a challenge", tag=TAG, request=_AUDIENCE, example={"audience": "closed"})
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Close a challenge that is not public yet, or open a closed one to everyone."""
        challenge = _organized(request, slug)
        audience = one_of(form_data(request.data), "audience", ["closed", "public"])
        act = services.open_to_public if audience == "public" else services.close_to_public
        with refusals():
            changed = act(actor=request.user, challenge=challenge)
        closed = "The challenge is closed: members and invited people see it."
        message = closed if changed.is_closed else "The challenge is open to everyone."
        return done(message, reverse("challenges:access", args=[slug]))


class LinksView(Act):
    """Links into a closed challenge."""

    @described(
        "create_access_link",
        "Create a link into a closed challenge",
        tag=TAG,
        request=_LINK,
        answer=NewLinkSerializer,
        example={"label": "Course 2027", "days": 14},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Create a link that admits everyone who has it. Its address is shown once."""
        challenge = _organized(request, slug)
        data = form_data(request.data)
        data.setdefault("days", "14")
        content = checked(LinkForm(data))
        with refusals():
            link, token = services.create_link(actor=request.user, challenge=challenge, **content)
        address = request.build_absolute_uri(reverse("challenges:enter", args=[slug, token]))
        return Response({"id": link.pk, "address": address}, headers={"Cache-Control": "no-store"})


class LinkView(Act):
    """One link."""

    @described("withdraw_access_link", "Withdraw a link", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Withdraw a link. People who entered by it and have no team lose access."""
        challenge = _organized(request, slug)
        services.withdraw_link(actor=request.user, link=get_object_or_404(challenge.access_links, pk=pk))
        return done("The link is withdrawn.", reverse("challenges:access", args=[slug]))


class RulesView(Act):
    """E-mail domains and institutions."""

    @described(
        "add_access_rule",
        "Admit a domain or institution",
        tag=TAG,
        request=_RULE,
        example={"kind": "domain", "value": "uni.example.org"},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Admit people with a verified e-mail address at a domain, or who sign in through an institution."""
        challenge = _organized(request, slug)
        content = checked(AccessRuleForm(form_data(request.data)))
        with refusals():
            rule = services.add_rule(actor=request.user, challenge=challenge, **content)
        page = reverse("challenges:access", args=[slug])
        return done(f"People with the {rule.get_kind_display()} {rule.value} see it.", page, key=rule.pk, created=True)


class RuleView(Act):
    """One domain or institution."""

    @described("remove_access_rule", "Remove a domain or institution", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Remove a domain or institution. People without a team or a link lose access."""
        challenge = _organized(request, slug)
        services.remove_rule(actor=request.user, rule=get_object_or_404(challenge.access_rules, pk=pk))
        return done("Removed.", reverse("challenges:access", args=[slug]))


class EntryView(Act):
    """Entry by a link."""

    @described(
        "enter_challenge", "Enter a closed challenge", tag="challenges", request=_ENTRY, example={"token": "W5b…"}
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Enter a closed challenge by a link. Every token that is not valid gets the same answer."""
        challenge = services.enter(user=request.user, slug=slug, token=form_data(request.data).get("token") or "")
        if challenge is None:
            raise exceptions.NotFound("This link is not valid. It may have expired.")
        return done(f"You can see {challenge.title} now.", challenge.get_absolute_url())
