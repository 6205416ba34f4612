"""Serializers of the registry: the content of its public pages and nothing else."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from registry.changes.queries.histories import History
from registry.models import Facet, Listing, Registration, RegistrationVersion


class RegistrationSerializer(serializers.ModelSerializer):
    """A registration as lists show it, in its newest version."""

    url = serializers.SerializerMethodField()
    page = serializers.SerializerMethodField(help_text="address of the record for people")
    identifier = serializers.CharField(source="registration.identifier")
    version = serializers.CharField(source="version.number")
    digest = serializers.CharField(source="version.digest", help_text="SHA-256 of the canonical JSON")
    state = serializers.ChoiceField(source="registration.state", choices=Registration.State.choices)
    reason = serializers.CharField(source="registration.reason", help_text="why it was withdrawn or abandoned")
    year = serializers.IntegerField(source="edition", allow_null=True)
    venue = serializers.CharField(source="venue_label")
    registered_at = serializers.DateTimeField(source="registration.registered_at")
    facets = serializers.SerializerMethodField(help_text="by kind: modality, anatomy, category, field, metric")

    class Meta:
        model = Listing
        fields = [
            *("url", "page", "identifier", "version", "digest", "state", "reason", "name", "acronym", "year", "venue"),
            *("tasks", "registered_at", "facets"),
        ]

    def get_url(self, listing: Listing) -> str:
        return self._address("api:registration-detail", listing)

    def get_page(self, listing: Listing) -> str:
        return self._address("registry:detail", listing)

    def get_facets(self, listing: Listing) -> dict[str, list[str]]:
        held = listing.registration.facets.all()
        return {kind: [facet.label for facet in held if facet.kind == kind] for kind in Facet.Kind.values}

    def _address(self, name: str, listing: Listing) -> str:
        address = reverse(name, args=[listing.registration.identifier])
        return str(self.context["request"].build_absolute_uri(address))


class LinkSerializer(serializers.Serializer):
    """Something that came of a registration."""

    kind = serializers.CharField(help_text="challenge, leaderboard, report, code, data or website")
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name, not the label of the serializer
    url = serializers.SerializerMethodField()
    note = serializers.CharField(allow_blank=True)

    def get_url(self, link: Any) -> str:
        return str(self.context["request"].build_absolute_uri(link.url))


class RegistrationVersionSerializer(serializers.ModelSerializer):
    """One immutable version."""

    number = serializers.CharField()
    level = serializers.ChoiceField(RegistrationVersion.Level.choices)
    doi = serializers.SerializerMethodField(help_text="empty without one")
    changes = serializers.JSONField(help_text="the changed parameters with class, reason and effect")

    class Meta:
        model = RegistrationVersion
        fields = [
            *("number", "level", "note", "changes", "is_late", "is_deviation", "digest", "schema", "catalogue"),
            *("registered_at", "doi"),
        ]

    def get_doi(self, version: RegistrationVersion) -> str:
        deposit = getattr(version, "deposit", None)
        return deposit.doi if deposit else ""


class RegistrationVersionDocumentSerializer(RegistrationVersionSerializer):
    """One immutable version with its document, in which digests replace embargoed values."""

    document = serializers.DictField()

    class Meta(RegistrationVersionSerializer.Meta):
        fields = [*RegistrationVersionSerializer.Meta.fields, "document"]


class RegistrationDetailSerializer(RegistrationSerializer):
    """A registration with its versions, editions, links and the document of its newest version."""

    comment_until = serializers.DateTimeField(source="registration.comment_until", allow_null=True)
    previous_edition = serializers.CharField(source="registration.previous_edition.identifier", default=None)
    next_editions = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField(help_text="what came of it: kind, label, url, note")
    versions = serializers.SerializerMethodField(help_text="numbers of its versions, newest first")
    document = serializers.DictField(source="version.document")

    class Meta(RegistrationSerializer.Meta):
        fields = [
            *RegistrationSerializer.Meta.fields,
            *("comment_until", "previous_edition", "next_editions", "links", "versions", "document"),
        ]

    def get_next_editions(self, listing: Listing) -> list[str]:
        return [edition.identifier for edition in listing.registration.next_editions.filter(is_embargoed=False)]

    def get_links(self, listing: Listing) -> list[dict[str, Any]]:  # noqa: ARG002 (signature)
        return list(LinkSerializer(self.context["links"], many=True, context=self.context).data)

    def get_versions(self, listing: Listing) -> list[str]:
        return [row.number for row in listing.registration.versions.only("major", "minor")]


class EmbargoedVersionSerializer(serializers.Serializer):
    """Public facts about a version under embargo."""

    identifier = serializers.CharField(source="registration.identifier")
    version = serializers.CharField(source="number")
    registered_at = serializers.DateTimeField()
    sha256 = serializers.CharField(source="digest")


class StepSerializer(serializers.Serializer):
    """One change of a parameter."""

    version = serializers.CharField(source="number")
    since = serializers.DateTimeField(source="at")
    request = serializers.IntegerField(allow_null=True, help_text="number of the change request")
    is_deviation = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class HistorySerializer(serializers.Serializer):
    """A parameter that has changed since version 1.0, its changes newest first."""

    parameter = serializers.CharField(source="parameter.id", help_text="whole_task where a task came or went")
    label = serializers.CharField(source="parameter.label")  # type: ignore[assignment]  # a field of this name, not the label of the serializer
    task = serializers.SerializerMethodField()
    steps = StepSerializer(many=True)

    def get_task(self, history: History) -> str | None:
        return history.task or None
