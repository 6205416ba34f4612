"""Addresses of the access to closed challenges."""

from django.urls import path

from challenges.views import access_pages

patterns = [
    path("<slug:slug>/enter/<str:token>/", access_pages.enter, name="enter"),
    path("<slug:slug>/organize/access/", access_pages.access, name="access"),
    path("<slug:slug>/organize/access/audience/", access_pages.audience, name="set_audience"),
    path("<slug:slug>/organize/access/links/<int:pk>/", access_pages.withdraw_link, name="withdraw_access_link"),
    path("<slug:slug>/organize/access/rules/", access_pages.add_rule, name="add_access_rule"),
    path("<slug:slug>/organize/access/rules/<int:pk>/", access_pages.remove_rule, name="remove_access_rule"),
]
