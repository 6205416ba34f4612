"""Acts on pages and pictures of organizers."""

from typing import Any, ClassVar

from django.urls import reverse
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import Act, checked, described, done, form_data, plain_request, refusals, shape_of
from challenges import queries
from challenges.forms.information import InformationPageForm, PicturesForm
from challenges.models import InformationPage
from challenges.services import information
from challenges.views.access import organizing
from challenges.views.information import page_of

TAG = "challenges"
_PAGE = shape_of("InformationPage", InformationPageForm)
_EXAMPLE = {"title": "FAQ", "text": "**Which data can I use?** See the tab *Data*.", "position": 1}


class InformationPageListSerializer(serializers.ModelSerializer):
    """A page of the organizers."""

    class Meta:
        model = InformationPage
        fields = ("slug", "title", "text", "position", "changed_at")


class InformationPagesView(Act):
    """Pages of the organizers."""

    @described(
        "information_pages", "List pages of organizers", tag=TAG, answer=InformationPageListSerializer(many=True)
    )
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the pages that the organizers of a challenge wrote."""
        challenge = queries.visible_challenge(request.user, slug)
        return Response(InformationPageListSerializer(challenge.information_pages.all(), many=True).data)

    @described("create_information_page", "Create a page", tag=TAG, request=_PAGE, example=_EXAMPLE, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Publish a page in Markdown. A challenge has at most five."""
        challenge = organizing(plain_request(request), slug)
        content = checked(InformationPageForm(form_data(request.data)))
        with refusals():
            page = information.create_page(actor=request.user, challenge=challenge, **content)
        return done(f"{page.title} is published.", page.get_absolute_url(), key=page.slug, created=True)


class InformationPageView(Act):
    """One page of the organizers."""

    @described("change_information_page", "Change a page", tag=TAG, request=_PAGE, example=_EXAMPLE)
    def put(self, request: SignedInApiRequest, slug: str, page: str) -> Response:
        """Change title, text and position of a page. Its address stays."""
        row = page_of(organizing(plain_request(request), slug), page)
        content = checked(InformationPageForm(form_data(request.data)))
        with refusals():
            information.change_page(actor=request.user, page=row, **content)
        return done(f"{row.title} is saved.", row.get_absolute_url())

    @described("delete_information_page", "Delete a page", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, page: str) -> Response:
        """Delete a page."""
        row = page_of(organizing(plain_request(request), slug), page)
        information.delete_page(actor=request.user, page=row)
        return done(f"{row.title} is deleted.", reverse("challenges:pages", args=[slug]))


class PicturesView(Act):
    """Logo and banner of a challenge."""

    parser_classes: ClassVar[list[Any]] = [MultiPartParser]  # type: ignore[misc]  # as the framework documents it

    @described(
        "set_challenge_pictures",
        "Replace logo and banner",
        tag=TAG,
        request={"multipart/form-data": shape_of("ChallengePictures", PicturesForm)},
    )
    def put(self, request: SignedInApiRequest, slug: str) -> Response:
        """Store or remove logo and banner. A picture that is not named stays."""
        challenge = organizing(plain_request(request), slug)
        form = PicturesForm(form_data(request.data), request.FILES)
        checked(form)
        with refusals():
            information.set_pictures(actor=request.user, challenge=challenge, contents=form.contents())
        return done("Logo and banner are saved.", reverse("challenges:pictures", args=[slug]))
