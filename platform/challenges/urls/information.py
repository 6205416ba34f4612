"""Addresses of the pages and pictures of organizers."""

from django.urls import path

from challenges.views import information

patterns = [
    path("<slug:slug>/pages/", information.information_index, name="information"),
    path("<slug:slug>/pages/<slug:page>/", information.information_page, name="information_page"),
    path("<slug:slug>/pictures/<slug:kind>/", information.picture, name="picture"),
    path("<slug:slug>/organize/pictures/", information.pictures, name="pictures"),
    path("<slug:slug>/organize/pages/", information.pages, name="pages"),
    path("<slug:slug>/organize/pages/<slug:page>/", information.edit_page, name="edit_page"),
    path("<slug:slug>/organize/pages/<slug:page>/delete/", information.delete_page, name="delete_page"),
]
