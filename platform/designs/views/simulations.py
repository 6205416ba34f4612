"""Simulated challenges of a task: requested here, run in a worker, shown as sentences and figures."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from accounts.requests import SignedInRequest
from designs.forms.trials import SimulationForm
from designs.models import Simulation
from designs.services import simulations as services
from designs.views.access import design_context, design_for, shown_document, task_of
from evaluation.advice.simulation import FEWEST_CASES, FEWEST_TEAMS, MAX_CASES, MAX_TEAMS
from web.bodies import takes_files
from web.figures import figure_json


@takes_files(lambda: services.MAX_PILOT_BYTES)
@login_required
def simulation(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    """The form of a simulation and the newest result; others who may read the design see the result."""
    design = design_for(request, slug, "edit_design" if request.method == "POST" else "collaborate_on_design")
    design_task = task_of(design, task)
    values = shown_document(request, design).values(task)
    initial = {
        "cases": min(max(values.get("number_test_cases") or 100, FEWEST_CASES), MAX_CASES),
        "teams": min(max(values.get("expected_participants") or 10, FEWEST_TEAMS), MAX_TEAMS),
    }
    form = SimulationForm(request.POST or None, request.FILES or None, initial=initial)
    if request.method == "POST" and design_task is not None and form.is_valid():
        try:
            services.request_simulation(actor=request.user, task=design_task, options=form.options)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("designs:simulation", design.slug, task)
    newest = Simulation.objects.filter(task=design_task).defer("assessment").first()
    return render(
        request,
        "designs/simulation.html",
        {
            **design_context(request, design, "advice"),
            "form": form,
            "task": values,
            "simulation": newest,
            "figures": range(len(newest.result["figures"])) if newest and newest.result else (),
        },
    )


@require_safe
def status(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the progress, requested every two seconds, and reload the page when the simulation is over."""
    design = design_for(request, slug, "collaborate_on_design")
    stored_simulation = get_object_or_404(Simulation.objects.defer("assessment", "result"), pk=pk, task__design=design)
    response = render(request, "designs/parts/simulating.html", {"design": design, "simulation": stored_simulation})
    if stored_simulation.is_over:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def figure(request: HttpRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """A figure of a finished simulation."""
    design = design_for(request, slug, "collaborate_on_design")
    stored_simulation = get_object_or_404(Simulation, pk=pk, task__design=design)
    figures = stored_simulation.result["figures"] if stored_simulation.result else []
    if number >= len(figures):
        raise Http404("There is no such figure.")
    return figure_json(figures[number])
