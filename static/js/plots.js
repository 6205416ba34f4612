// Plots: <figure class="plot" data-plot-src="/figure.json"> becomes a Plotly figure in the colours of the page.
//
// Plotly (1.5 MB) comes with the head of pages that are made for figures, else when a figure comes near the window. Figures carry the light colours of tokens.css;
// this file exchanges them for those of the shown theme, so the same figure serves page, dark page and report.
(() => {
  "use strict";

  const here = document.currentScript;
  const addresses = { plotly: here.dataset.plotly, csp: here.dataset.plotlyCsp, style: here.dataset.plotlyStyle };

  const SERIES = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6", "--series-7", "--series-8"];
  const SCALE = ["--scale-0", "--scale-1", "--scale-2", "--scale-3", "--scale-4", "--scale-5"];
  const TOKENS = [...SERIES, ...SCALE, "--ink", "--ink-soft", "--line", "--line-strong", "--surface", "--paper", "--sunken",
    "--accent", "--amber", "--ok", "--warn", "--bad", "--info"];

  // ---- Colours ------------------------------------------------------------------------------------------------
  const hex = (rgb) => `#${rgb.slice(0, 3).map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);

  const palette = () => {
    const probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
    const read = (token) => {
      probe.style.color = `var(${token})`;
      return hex(numbers(getComputedStyle(probe).color));
    };
    const shown = Object.fromEntries(TOKENS.map((token) => [token, read(token)]));
    probe.style.colorScheme = "light";
    const exchange = new Map();
    for (const token of TOKENS) {
      const light = read(token);
      // Two tokens may share a light value (white); the first one named wins.
      if (!exchange.has(light)) exchange.set(light, shown[token]);
    }
    probe.remove();
    for (const black of ["#000", "#000000", "black"]) exchange.set(black, shown["--ink"]);
    for (const white of ["#fff", "#ffffff", "white"]) exchange.set(white, shown["--surface"]);
    return { shown, exchange };
  };

  const themedText = (text, { shown, exchange }) => {
    if (text.length > 40) return text;
    const token = text.match(/^(?:var\()?(--[a-z0-9-]+)\)?$/);
    if (token) return shown[token[1]] ?? text;
    const plain = exchange.get(text.toLowerCase());
    if (plain) return plain;
    if (/^rgba?\(/i.test(text)) {
      const parts = numbers(text);
      const found = exchange.get(hex(parts));
      if (!found) return text;
      const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(found.slice(at, at + 2), 16));
      return parts.length > 3 ? `rgba(${r}, ${g}, ${b}, ${parts[3]})` : found;
    }
    return text;
  };

  // Words of people: a team may be called black, and its name is no colour.
  const WORDS = new Set(["text", "name", "ticktext", "hovertext", "hovertemplate", "customdata", "legendgroup", "labels", "x", "y"]);
  const worded = (key, item) => WORDS.has(key) || (key === "title" && typeof item === "string");

  const themed = (value, colours) => {
    if (typeof value === "string") return themedText(value, colours);
    if (Array.isArray(value)) {
      return typeof value[0] === "number" ? value : value.map((item) => themed(item, colours));
    }
    if (value && typeof value === "object") {
      const shown = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, worded(key, item) ? item : themed(item, colours)]));
      // The cells that a legend names follow its colours; a scale with a bar of its own stays as it was drawn.
      if (value.type === "heatmap" && value.showscale === false) {
        shown.colorscale = value.colorscale.map(([at, colour]) => [at, themedText(colour, colours)]);
      }
      return shown;
    }
    return value;
  };

  const template = ({ shown }) => {
    const axis = {
      automargin: true,
      gridcolor: shown["--line"],
      linecolor: shown["--line-strong"],
      tickcolor: shown["--line-strong"],
      zerolinecolor: shown["--line-strong"],
      zerolinewidth: 1,
      tickfont: { color: shown["--ink-soft"] },
      title: { font: { color: shown["--ink-soft"], size: 13 }, standoff: 10 },
    };
    const scale = SCALE.map((token, at) => [at / (SCALE.length - 1), shown[token]]);
    return {
      layout: {
        font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: shown["--ink"] },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        colorway: SERIES.map((token) => shown[token]),
        colorscale: { sequential: scale, sequentialminus: [...scale].reverse().map(([, c], at) => [at / (scale.length - 1), c]) },
        xaxis: axis,
        yaxis: axis,
        margin: { l: 48, r: 8, t: 8, b: 36 },
        legend: { font: { color: shown["--ink"] }, title: { font: { color: shown["--ink-soft"] } } },
        hoverlabel: {
          bgcolor: shown["--surface"],
          bordercolor: shown["--line-strong"],
          font: { color: shown["--ink"], family: getComputedStyle(document.body).fontFamily },
        },
        coloraxis: { colorbar: { outlinewidth: 0, tickfont: { color: shown["--ink-soft"] } } },
      },
      data: {
        heatmap: [{ colorscale: scale, colorbar: { outlinewidth: 0, thickness: 12 } }],
        bar: [{ marker: { line: { width: 0 } } }],
      },
    };
  };

  const dressed = (figure, canvas) => {
    const colours = palette();
    const spec = themed({ data: figure.data, layout: figure.layout ?? {} }, colours);
    const layout = { ...spec.layout, template: template(colours), autosize: true };
    for (const key of ["paper_bgcolor", "plot_bgcolor", "width"]) delete layout[key];
    // The caption of the figure is its title.
    if (canvas.closest("figure").querySelector(".plot__title")) {
      delete layout.title;
      if (layout.margin?.t > 24) layout.margin = { ...layout.margin, t: 24 };
    }
    layout.height ??= Math.max(Number.parseFloat(getComputedStyle(canvas).minHeight) || 0, 240);
    return { data: spec.data, layout: canvas.clientWidth < NARROW ? narrowed(layout, spec.data) : layout };
  };

  // On a phone: names at the ends of lines give way to a legend, which stands on top, where no axis can run into it.
  const NARROW = 480;
  const LEGEND_LINE = 19;
  const narrowed = (layout, data) => {
    const atEnds = (note) => note.xanchor === "left" && note.xshift > 0;
    const named = (layout.annotations ?? []).some(atEnds);
    const entries = named || layout.showlegend ? data.filter((trace) => trace.name && trace.showlegend !== false).length : 0;
    const notes = (layout.annotations ?? []).filter((note) => !atEnds(note));
    // Axes have little room for their titles, panels side by side less.
    const axes = Object.keys(layout).filter((key) => /^xaxis\d*$/.test(key));
    const size = axes.length > 1 ? 8 : 10;
    const whole = (title) => (typeof title === "string" ? { text: title } : title);
    const titled = axes.map((key) => [key, { ...layout[key], title: { ...whole(layout[key].title), font: { size } } }]);
    return {
      ...layout,
      ...Object.fromEntries(titled),
      font: { ...layout.font, size: 11 },
      height: layout.height + (entries > 3 ? LEGEND_LINE * entries : 0),
      annotations: notes.map((note) => ({ ...note, font: { ...note.font, size: Math.min(note.font?.size ?? 9, 9) } })),
      showlegend: layout.showlegend || named,
      legend: { ...layout.legend, orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom" },
      margin: { ...layout.margin, l: 40, r: 8 },
    };
  };

  const CONFIG = { responsive: false, displayModeBar: false, displaylogo: false, scrollZoom: false, doubleClick: "reset" };

  // ---- Plotly, once -------------------------------------------------------------------------------------------
  let loading = null;
  const load = (element) =>
    new Promise((resolve, reject) => {
      element.addEventListener("load", resolve);
      element.addEventListener("error", () => {
        element.remove();
        reject(new Error("script"));
      });
      document.head.append(element);
    });
  const script = (src) => Object.assign(document.createElement("script"), { src });
  const plotly = () => {
    // Pages that are made for figures bring it along in their head.
    if (globalThis.Plotly) return globalThis.Plotly;
    loading ??= (async () => {
      // Plotly puts its own rules into the sheet with this id; it has to be there first.
      const sheet = { rel: "stylesheet", href: addresses.style, id: "plotly.js-style-global" };
      await Promise.all([
        document.getElementById(sheet.id) ?? load(Object.assign(document.createElement("link"), sheet)),
        load(script(addresses.csp)),
      ]);
      await load(script(addresses.plotly));
      return globalThis.Plotly;
    })().catch((error) => {
      loading = null;
      throw error;
    });
    return loading;
  };

  // ---- One figure ---------------------------------------------------------------------------------------------
  const drawn = new Map();

  const state = (figure) => {
    let box = figure.querySelector("[data-plot-state]");
    if (!box) {
      box = document.createElement("div");
      box.className = "plot__state";
      box.setAttribute("data-plot-state", "");
      figure.querySelector(".plot__canvas").after(box);
    }
    return box;
  };

  const say = (figure, text, retry = null) => {
    const box = state(figure);
    const words = document.createElement("p");
    words.textContent = text;
    box.replaceChildren(words);
    box.hidden = false;
    box.setAttribute("role", "status");
    if (retry) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn btn--small";
      button.textContent = "Try again";
      button.addEventListener("click", retry);
      box.append(button);
    }
  };

  const button = (text, act) => {
    const element = document.createElement("button");
    element.type = "button";
    element.className = "btn btn--quiet btn--small";
    element.textContent = text;
    element.addEventListener("click", act);
    return element;
  };

  const tools = (figure, canvas) => {
    let bar = figure.querySelector(".plot__tools");
    if (!bar) {
      bar = document.createElement("div");
      bar.className = "plot__tools";
      figure.append(bar);
    }
    if (figure.dataset.plotCsv && !bar.querySelector("a")) {
      const link = document.createElement("a");
      Object.assign(link, { className: "btn btn--quiet btn--small", href: figure.dataset.plotCsv, download: "", textContent: "Data (CSV)" });
      bar.append(link);
    }
    if (bar.dataset.ready) return;
    bar.dataset.ready = "true";
    const name = figure.dataset.plotName ?? figure.dataset.plotSrc.split("/").pop().replace(/\.json.*$|\?.*$/, "");
    const save = (format) => async () => {
      const { width, height } = canvas.getBoundingClientRect();
      const background = getComputedStyle(figure).backgroundColor;
      const { data, layout } = dressed(drawn.get(figure), canvas);
      const copy = { data, layout: { ...layout, width, height, autosize: false, paper_bgcolor: background } };
      try {
        await globalThis.Plotly.downloadImage(copy, { format, filename: name, width, height, scale: format === "png" ? 2 : 1 });
      } catch {
        document.dispatchEvent(new CustomEvent("podium:toast", { detail: { text: "The picture could not be made.", kind: "bad" } }));
      }
    };
    bar.append(button("SVG", save("svg")), button("PNG", save("png")), button("Reset", () => again(figure)));
    bar.querySelectorAll("button")[0].setAttribute("aria-label", "Download as SVG");
    bar.querySelectorAll("button")[1].setAttribute("aria-label", "Download as PNG");
    bar.querySelectorAll("button")[2].setAttribute("aria-label", "Reset the view");
  };

  const draw = (figure) => {
    const canvas = figure.querySelector(".plot__canvas");
    const { data, layout } = dressed(drawn.get(figure), canvas);
    // The room that was kept for it until its height was known.
    canvas.style.minHeight = `${layout.height}px`;
    return globalThis.Plotly.newPlot(canvas, data, layout, CONFIG);
  };

  // One figure after another, each on the screen before the next one is drawn.
  let turn = Promise.resolve();
  const painted = () => new Promise((resolve) => {
    // A page in the background has no frames.
    setTimeout(resolve, 100);
    requestAnimationFrame(() => setTimeout(resolve));
  });
  const inTurn = (act) => {
    const done = turn.then(act);
    turn = done.catch(() => {}).then(painted);
    return done;
  };

  // Drawn again after whatever is being drawn: two drawings of one figure at once measure labels that the other removed.
  const waiting = new Set();
  const again = (figure) => {
    if (waiting.has(figure)) return;
    waiting.add(figure);
    figure.dataset.plotState = "drawing";
    inTurn(async () => {
      waiting.delete(figure);
      try {
        if (figure.isConnected && drawn.has(figure)) await draw(figure);
      } finally {
        if (!waiting.has(figure)) figure.dataset.plotState = "drawn";
      }
    });
  };

  // What belongs to a figure and is too long to stand in it.
  const remark = (figure, remarks = []) => {
    figure.querySelector(".plot__remarks")?.remove();
    if (!remarks.length) return;
    const box = document.createElement("ul");
    box.className = "plot__remarks small muted";
    box.append(...remarks.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
    figure.querySelector(".plot__state").after(box);
  };

  // The first report comes at once: a figure that was drawn while its place had another width is drawn again.
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const width = Math.round(contentRect.width);
      const before = target._fullLayout?.width ?? width;
      if (!width || Math.abs(before - width) <= 1) continue;
      if (drawn.has(target.closest("figure"))) again(target.closest("figure"));
    }
  });

  const show = async (figure) => {
    let canvas = figure.querySelector(".plot__canvas");
    if (!canvas) {
      canvas = document.createElement("div");
      canvas.className = "plot__canvas";
      figure.append(canvas);
    }
    figure.dataset.plotState = "loading";
    say(figure, "Drawing the figure …");
    try {
      const [spec] = await Promise.all([
        fetch(figure.dataset.plotSrc, { headers: { Accept: "application/json" }, credentials: "same-origin" }).then((answer) => {
          if (!answer.ok) throw new Error(String(answer.status));
          return answer.json();
        }),
        plotly(),
      ]);
      drawn.set(figure, spec);
      await inTurn(() => {
        state(figure).hidden = true;
        figure.dataset.plotState = "drawing";
        return draw(figure);
      });
      if (!waiting.has(figure)) figure.dataset.plotState = "drawn";
      remark(figure, spec.remarks);
      tools(figure, canvas);
      sizes.observe(canvas);
    } catch (error) {
      globalThis.Plotly?.purge(canvas);
      drawn.delete(figure);
      canvas.replaceChildren();
      figure.dataset.plotState = "failed";
      const gone = error.message === "404" || error.message === "403";
      say(figure, gone ? "This figure is not available." : "The figure could not be loaded.", gone ? null : () => show(figure));
    }
  };

  // ---- Life of the page ---------------------------------------------------------------------------------------
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        show(target);
      }
    },
    { rootMargin: "300px" },
  );

  const setUp = (root) => {
    for (const figure of root.querySelectorAll("figure[data-plot-src]")) {
      if (!figure.dataset.plotState) {
        figure.dataset.plotState = "waiting";
        // A page that is made for paper has all its figures, seen or not.
        if (figure.closest("[data-plots-now]")) show(figure);
        else near.observe(figure);
      }
    }
  };

  document.addEventListener("podium:theme", () => {
    for (const [figure] of drawn) {
      if (!figure.isConnected) drawn.delete(figure);
      else again(figure);
    }
  });
  addEventListener("beforeprint", () => document.dispatchEvent(new CustomEvent("podium:theme")));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => setUp(document));
  else setUp(document);
  document.addEventListener("htmx:load", (event) => setUp(event.detail.elt.parentElement ?? document));
})();
