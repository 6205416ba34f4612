"""HTTP in, HTTP out."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import CloseForm, ProfileForm, TokenForm
from accounts.models import AccessToken, User
from accounts.services import issue_token, revoke_token, update_profile
from accounts.services.rights import close_account, copy_of, obstacles


class SignedInRequest(HttpRequest):
    """A request as `login_required` lets it through."""

    user: User


@login_required
def profile(request: SignedInRequest) -> HttpResponse:
    # A copy is bound to the form: a refused input must not change the name in the page's head.
    form = ProfileForm(request.POST or None, instance=User.objects.get(pk=request.user.pk))
    if request.method == "POST" and form.is_valid():
        update_profile(user=User.objects.get(pk=request.user.pk), **form.cleaned_data)
        messages.success(request, "Your profile is saved.")
        return redirect("accounts:profile")
    memberships = request.user.memberships.select_related("team", "challenge")
    return render(request, "accounts/profile.html", {"form": form, "memberships": memberships})


@login_required
@never_cache
@sensitive_variables("secret")
def tokens(request: SignedInRequest) -> HttpResponse:
    """Access tokens of one's own; the secret of a new one is on the answer to the form and nowhere else."""
    form = TokenForm(request.POST or None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            _, secret = issue_token(user=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            form = TokenForm()
    rows = AccessToken.objects.filter(user=request.user)
    return render(request, "accounts/tokens.html", {"form": form, "tokens": rows, "secret": secret})


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: str) -> HttpResponse:
    token = get_object_or_404(AccessToken, pk=pk, user=request.user)
    revoke_token(token=token, actor=request.user)
    messages.success(request, f"The token {token.name} no longer opens anything.")
    return redirect("accounts:tokens")


@login_required
@never_cache
def own_data(request: SignedInRequest) -> HttpResponse:
    """Show the stored data about the current user, and how to close the account."""
    return render(request, "accounts/own_data.html", {"obstacles": obstacles(request.user)})


@login_required
@never_cache
@require_safe
def own_data_file(request: SignedInRequest) -> HttpResponse:
    """The copy, as a file."""
    response = JsonResponse(copy_of(request.user), json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="own-data.json"'
    return response


@login_required
@reauthentication_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: SignedInRequest) -> HttpResponse:
    """Close the account of the person who asks: with the password typed lately, and the user name now."""
    form = CloseForm(request.POST or None)
    form.username = request.user.username
    if request.method == "POST" and form.is_valid():
        try:
            close_account(user=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            logout(request)
            messages.success(request, "Your account is closed. Nothing in it leads to you any more.")
            return redirect("web:home")
    return render(request, "accounts/close.html", {"form": form}, status=422 if form.errors else 200)
