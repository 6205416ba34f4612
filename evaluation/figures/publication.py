"""The same figures on paper: Plotly's description drawn by Matplotlib, as SVG and PNG in the size of a journal column.

No browser is needed. Text in the SVG is drawn as outlines of a font that comes with Matplotlib, so that it looks the
same everywhere and no font has to be there; the colours are those of the pages. What is drawn is what the figures of
this package use: scatter, bar, box and heat-map traces, error bars, lines across, notes.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from evaluation.figures.markup import BOLD, plain
from evaluation.figures.palette import NEUTRAL, QUALITATIVE
from evaluation.figures.print_marks import DASHES, colour_of, numbers, points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

WIDTH_MM: Final = 174.0
"""Two columns of a common journal page."""
MOST_HEIGHT_MM: Final = 220.0
DOTS_PER_INCH: Final = 300
INK: Final = "#1c2427"
_EFFORT: Final = 4
_PAGE_PIXELS: Final = 760.0
_FONT_POINTS: Final = 7.5
_LEAST_POINTS: Final = 4.5
_STYLE: Final[dict[Any, Any]] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "podium",
    "font.family": ["DejaVu Sans"],
    "font.size": _FONT_POINTS,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#808080",
    "axes.linewidth": 0.5,
    "xtick.color": "#4c575b",
    "ytick.color": "#4c575b",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


@dataclass(frozen=True)
class Printed:
    """A figure in both forms."""

    svg: bytes
    png: bytes


def printed(figure: Mapping[str, Any], *, description: str = "", dpi: int = DOTS_PER_INCH) -> Printed:
    """Draw a figure of this package for print, without its title, which belongs into the caption.

    Parameters
    ----------
    figure
        Plotly's description: ``data`` and ``layout``.
    description
        What the figure shows; kept inside of the SVG for people who cannot see it.
    dpi
        Resolution of the PNG.

    Raises
    ------
    ValueError
        For a kind of trace that is not drawn here.
    """
    with mpl.rc_context(_STYLE):
        drawn = _draw(figure)
        drawn.set_dpi(dpi)
        canvas = FigureCanvasAgg(drawn)
        canvas.draw()  # type: ignore[no-untyped-call]
        with mpl.rc_context({"figure.constrained_layout.use": False}):
            drawn.set_layout_engine(None)  # laid out once for both files: that takes as long as drawing
        svg, png = io.BytesIO(), io.BytesIO()
        about = PngInfo()
        about.add_itxt("Description", description)
        drawing = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        picture = Image.fromarray(drawing).convert("RGB")
        picture.save(png, "PNG", dpi=(dpi, dpi), pnginfo=about, compress_level=_EFFORT)
        # Not `savefig`, which would lay out and draw the figure once more to measure it.
        FigureCanvasSVG(drawn).print_svg(svg, metadata={"Date": None, "Title": description})  # type: ignore[no-untyped-call]
    return Printed(svg=svg.getvalue(), png=png.getvalue())


def _draw(figure: Mapping[str, Any]) -> Figure:
    layout = figure["layout"]
    width = WIDTH_MM / 25.4
    height = min(layout.get("height", 420) / _PAGE_PIXELS * width, MOST_HEIGHT_MM / 25.4)
    drawn = Figure(figsize=(width, height), facecolor="white")
    lower = layout.get("yaxis2")
    in_panels = "xaxis2" in layout and lower is not None
    if in_panels:
        by_name = _panels(drawn, layout)
        upper_axes = by_name["y"]
    elif lower is None:
        upper_axes = drawn.subplots()
        by_name = {"y": upper_axes}
    else:
        high, low = layout["yaxis"].get("domain", [0.3, 1]), lower["domain"]
        axes = drawn.subplots(2, 1, sharex=True, height_ratios=[high[1] - high[0], low[1] - low[0]])
        upper_axes = axes[0]
        by_name = {"y": axes[0], "y2": axes[1]}
    scale = width * 72 / _PAGE_PIXELS
    floor: dict[tuple[str, float], float] = {}
    for index, trace in enumerate(figure["data"]):
        axes_of = by_name[trace.get("yaxis", "y")]
        tone = _tone(trace, index)
        match trace.get("type", "scatter"):
            case "scatter":
                _scatter(axes_of, trace, tone, scale)
            case "bar":
                _bar(axes_of, trace, tone, floor if layout.get("barmode") == "stack" else {})
            case "box":
                _box(axes_of, trace, tone)
            case "heatmap":
                _heatmap(drawn, axes_of, trace)
            case kind:
                message = f"a trace of the kind {kind} is not drawn for print"
                raise ValueError(message)
    for name, axes_of in by_name.items():
        suffix = name.removeprefix("y") if in_panels else ""
        _axes(
            axes_of, layout, f"xaxis{suffix}", name.replace("y", "yaxis"), bottom=in_panels or name == list(by_name)[-1]
        )
        _lines_across(axes_of, layout)
    if not in_panels:
        _notes(upper_axes, layout)
    if layout.get("showlegend") and in_panels:
        handles, labels = upper_axes.get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=6.5)
    elif layout.get("showlegend"):
        _legend(upper_axes, layout)
    return drawn


def _panels(drawn: Figure, layout: Mapping[str, Any]) -> dict[str, Axes]:
    """Create axes arranged by their domains, each with its title note above it."""
    numbers = [key.removeprefix("yaxis") for key in layout if key.startswith("yaxis")]
    tops = sorted({layout[f"yaxis{suffix}"].get("domain", [0, 1])[1] for suffix in numbers}, reverse=True)
    lefts = sorted({layout[f"xaxis{suffix}"].get("domain", [0, 1])[0] for suffix in numbers})
    grid = drawn.add_gridspec(len(tops), len(lefts))
    notes = [note["text"] for note in layout.get("annotations", ())]
    by_name: dict[str, Axes] = {}
    for index, suffix in enumerate(numbers):
        row = tops.index(layout[f"yaxis{suffix}"].get("domain", [0, 1])[1])
        column = lefts.index(layout[f"xaxis{suffix}"].get("domain", [0, 1])[0])
        alike = by_name["y"] if layout[f"yaxis{suffix}"].get("matches") == "y" else None
        by_name[f"y{suffix}"] = drawn.add_subplot(grid[row, column], sharey=alike)
        if index < len(notes):
            by_name[f"y{suffix}"].set_title(_plain(notes[index]), loc="left", fontsize=6.5)
        if layout[f"yaxis{suffix}"].get("showticklabels") is False:
            by_name[f"y{suffix}"].tick_params(axis="y", labelleft=False)
    return by_name


def _tone(trace: Mapping[str, Any], index: int) -> Any:
    colour = trace.get("marker", {}).get("color") or trace.get("line", {}).get("color")
    return QUALITATIVE[index % len(QUALITATIVE)] if colour is None else colour_of(colour)


def _scatter(axes: Axes, trace: Mapping[str, Any], tone: Any, scale: float) -> None:
    x, y = numbers(trace["x"]), numbers(trace["y"])
    mode, line, marker = trace.get("mode", "lines"), trace.get("line", {}), trace.get("marker", {})
    label = _plain(trace["name"]) if trace.get("showlegend", True) and trace.get("name") else None
    if trace.get("fill") == "toself":
        fill = to_rgba(colour_of(trace.get("fillcolor", tone)), trace.get("opacity", 1.0))
        axes.fill(x, y, facecolor=fill, edgecolor=colour_of(line.get("color", tone)), linewidth=0.5)
        return
    if "lines" in mode:
        width = line.get("width", 2) * scale
        style = DASHES[line.get("dash", "solid")]
        # A long field of thin grey lines is drawn below whatever stands out.
        axes.plot(
            x,
            y,
            linestyle=style,
            linewidth=width,
            color=colour_of(line.get("color", tone)),
            label=None if "markers" in mode else label,
            drawstyle="steps-post" if line.get("shape") == "hv" else "default",
        )
    if "markers" in mode:
        points(axes, x, y, marker, tone, scale, label=label, opacity=marker.get("opacity", trace.get("opacity")))
    for direction in ("x", "y"):
        if error := trace.get(f"error_{direction}"):
            spans = np.abs([numbers(error["arrayminus"]), numbers(error["array"])])
            axes.errorbar(
                x,
                y,
                fmt="none",
                ecolor=colour_of(error.get("color", tone)),
                elinewidth=error.get("thickness", 2) * scale,
                capsize=error.get("width", 3) * scale,
                xerr=spans if direction == "x" else None,
                yerr=spans if direction == "y" else None,
            )


def _bar(axes: Axes, trace: Mapping[str, Any], tone: Any, floor: dict[tuple[str, float], float]) -> None:
    x, y = numbers(trace["x"]), numbers(trace["y"])
    seen = y != 0  # a bar of no height is not seen, and a long field has thousands of them
    x, y = x[seen], y[seen]
    bottoms = np.array([floor.get(("bar", float(position)), 0.0) for position in x])
    label = _plain(trace["name"]) if trace.get("showlegend", True) and trace.get("name") else None
    hatch = {"/": "////", ".": "....", "x": "xxxx"}.get(trace.get("marker", {}).get("pattern", {}).get("shape", ""))
    axes.bar(x, y, width=trace.get("width", 0.8), bottom=bottoms, color=tone, label=label, hatch=hatch)
    for position, height in zip(x, y, strict=True):
        floor["bar", float(position)] = floor.get(("bar", float(position)), 0.0) + float(np.nan_to_num(height))


def _box(axes: Axes, trace: Mapping[str, Any], tone: Any) -> None:
    x, y = numbers(trace["x"]), numbers(trace["y"])
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    if not len(y):
        return
    line, places = {"color": tone, "linewidth": 0.9}, np.unique(x)
    axes.boxplot(
        [y[x == position] for position in places],
        positions=places.tolist(),
        widths=trace.get("width", 0.6),
        showfliers=trace.get("boxpoints") == "outliers",
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": tone},
        manage_ticks=False,
        patch_artist=True,
        label=_plain(trace["name"]) if trace.get("showlegend", True) and trace.get("name") else None,
        boxprops={"facecolor": (0.5, 0.5, 0.5, 0.12), "edgecolor": tone, "linewidth": 0.9},
        medianprops=line,
        whiskerprops=line,
        capprops=line,
    )


def _heatmap(drawn: Figure, axes: Axes, trace: Mapping[str, Any]) -> None:
    z = np.array([[np.nan if value is None else value for value in row] for row in trace["z"]], dtype=float)
    stops = [(float(at), to_rgba(colour_of(colour))) for at, colour in trace["colorscale"]]
    scheme = LinearSegmentedColormap.from_list("podium", stops)
    x, y = numbers(trace["x"]), numbers(trace["y"])
    extent = (x[0] - 0.5, x[-1] + 0.5, y[0] - 0.5, y[-1] + 0.5)
    low, high = trace.get("zmin"), trace.get("zmax")
    image = axes.imshow(
        z, cmap=scheme, vmin=low, vmax=high, origin="lower", aspect="auto", extent=extent, interpolation="nearest"
    )
    if trace.get("xgap") and len(x) <= 60 and len(y) <= 100:
        axes.hlines(np.arange(len(y) + 1) + extent[2], extent[0], extent[1], colors="white", linewidth=0.6)
        axes.vlines(np.arange(len(x) + 1) + extent[0], extent[2], extent[3], colors="white", linewidth=0.6)
    if trace.get("texttemplate"):
        for row, column in np.argwhere(np.isfinite(z)):
            dark = _is_dark(scheme(image.norm(z[row, column])))
            axes.text(
                x[column],
                y[row],
                f"{z[row, column]:g}",
                ha="center",
                va="center",
                fontsize=6,
                color="white" if dark else INK,
                clip_on=True,
            )
    if trace.get("showscale", True):
        bar = drawn.colorbar(image, ax=axes, fraction=0.03, pad=0.01)
        bar.outline.set_visible(False)
        title = trace.get("colorbar", {}).get("title", {}).get("text")
        if title:
            bar.set_label(_plain(title))


def _is_dark(colour: Any) -> bool:
    red, green, blue = (float(channel) for channel in colour[:3])
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.55


def _axes(axes: Axes, layout: Mapping[str, Any], x: str, y: str, *, bottom: bool) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    for direction, settings in (("x", layout[x]), ("y", layout[y])):
        if direction == "x" and not bottom:
            axes.tick_params(axis="x", bottom=False, labelbottom=False)
            continue
        if span := settings.get("range"):
            (axes.set_xlim if direction == "x" else axes.set_ylim)(span[0], span[1])
        elif settings.get("rangemode") == "tozero":
            axes.set_ylim(bottom=0)
        if settings.get("showgrid", True):
            axes.grid(visible=True, axis="x" if direction == "x" else "y", color="#808080", alpha=0.25, linewidth=0.4)
        title = settings.get("title", {})
        text = title if isinstance(title, str) else title.get("text", "")
        (axes.set_xlabel if direction == "x" else axes.set_ylabel)(_plain(text))
        if "tickvals" in settings:
            _ticks(axes, direction, settings)


def _ticks(axes: Axes, direction: str, settings: Mapping[str, Any]) -> None:
    """Set ticks with their labels.

    If labels would overlap, they get smaller; then only every second, third, … tick has a label.
    """
    places = list(settings["tickvals"])
    raw = [str(text) for text in settings.get("ticktext", places)]
    words = [_plain(text) for text in raw]
    box = axes.get_figure().get_size_inches() if axes.get_figure() else (6.8, 4.0)  # type: ignore[union-attr]
    room = float(box[0 if direction == "x" else 1]) * 72 * 0.75 / max(len(places), 1)
    size = max(_LEAST_POINTS, min(_FONT_POINTS, 0.85 * room))
    step = max(1, int(np.ceil(_LEAST_POINTS / (0.85 * room)))) if room > 0 else 1
    tick_labels = [text if index % step == 0 else "" for index, text in enumerate(words)]
    longest = max((len(line) for text in words for line in text.split("\n")), default=0)
    slanted = direction == "x" and longest * 0.6 * size > room
    if slanted:
        tick_labels = [text.replace("\n", "  ") for text in tick_labels]
    extra: dict[str, Any] = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    if direction == "x":
        axes.set_xticks(places, tick_labels, fontsize=size, **extra)
    else:
        axes.set_yticks(places, tick_labels, fontsize=size)
    for label, text in zip((axes.get_xticklabels if direction == "x" else axes.get_yticklabels)(), raw, strict=True):
        if text.startswith(BOLD):
            label.set_fontweight("bold")


def _lines_across(axes: Axes, layout: Mapping[str, Any]) -> None:
    for shape in layout.get("shapes", ()):
        line = shape.get("line", {})
        style = {
            "color": colour_of(line.get("color", NEUTRAL)),
            "linestyle": DASHES[line.get("dash", "solid")],
            "linewidth": 0.6,
        }
        if shape.get("yref") == "paper":
            axes.axvline(shape["x0"], **style)
        else:
            axes.plot([shape["x0"], shape["x1"]], [shape["y0"], shape["y1"]], **style)


def _notes(axes: Axes, layout: Mapping[str, Any]) -> None:
    crowded = len(layout.get("annotations", ())) > 20
    for note in layout.get("annotations", ()):
        on_paper = note.get("xref") == "paper"
        axes.annotate(
            _plain(note["text"]),
            (note["x"], note["y"]),
            xycoords="axes fraction" if on_paper else "data",
            xytext=(note.get("xshift", 0) * 0.5, note.get("yshift", 0) * 0.5),
            textcoords="offset points",
            ha={"left": "left", "right": "right"}.get(note.get("xanchor", "left" if on_paper else "center"), "center"),
            va={"bottom": "bottom", "top": "top"}.get(note.get("yanchor", "middle"), "center"),
            fontsize=5 if crowded else 6.5,
            annotation_clip=False,
        )


def _legend(axes: Axes, layout: Mapping[str, Any]) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    title = layout.get("legend", {}).get("title", {}).get("text")
    if len(labels) <= 4 and not title:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(labels), fontsize=6.5)
    else:
        axes.legend(
            handles,
            labels,
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            fontsize=6 if len(labels) <= 20 else 5,
            title=title,
            title_fontsize=6.5,
        )


def _plain(text: object) -> str:
    """Text of a figure without its markup; a dollar sign is no formula."""
    return plain(text).replace("$", r"\$")
