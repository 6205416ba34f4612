// The viewer of a case: <div data-viewer="plan.json"> becomes slices with layers that can be switched, dimmed and enlarged.
//
// A task has drawn all slices of an axis on one sheet, and each layer on sheets of its own; here they are only cut out and
// laid over each other. Window and level change the layers with grey levels. Viewers with the same data-viewer-group show the
// same place. Without this file the picture that stands in the viewer stays.
(() => {
  "use strict";

  const NAMES = { z: "Across z", y: "Across y", x: "Across x" };
  const groups = new Map();

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name in element && name !== "list") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  const slider = (label, { min, max, step, value }, act) => {
    const input = make("input", { type: "range", min, max, step, value });
    input.addEventListener("input", () => act(Number(input.value)));
    return { input, box: make("label", { className: "viewer__slider" }, make("span", { textContent: label }), input) };
  };

  class Viewer {
    constructor(root, plan) {
      this.root = root;
      this.plan = plan;
      this.sheets = new Map();
      this.shown = { axis: 0, at: plan.strips[0].start, window: 255, level: 128, zoom: 1, x: 0.5, y: 0.5 };
      this.layers = plan.layers.map((layer) => ({ ...layer, on: layer.is_on, opacity: 1 }));
      this.offscreen = document.createElement("canvas");
      this.build();
      const group = root.dataset.viewerGroup;
      this.show();
      if (!group) return;
      const all = [...(groups.get(group) ?? []), this];
      groups.set(group, all);
      // All begin where the first of the page does, whichever came first.
      const first = document.querySelector(`[data-viewer-group="${group}"]`);
      const { axis, at } = all.find((viewer) => viewer.root === first)?.shown ?? {};
      if (axis !== undefined) this.set({ axis, at });
    }

    get strip() {
      return this.plan.strips[this.shown.axis];
    }

    build() {
      const { plan } = this;
      this.canvas = make("canvas", { className: "viewer__canvas", tabIndex: 0, role: "img" });
      this.place = make("span", { className: "viewer__place", role: "status" });
      const flat = plan.strips.length === 1 && plan.strips[0].slices.length === 1;
      this.axes = plan.strips.map((strip, at) => {
        const button = make("button", { type: "button", className: "btn btn--small", textContent: NAMES[strip.axis] });
        button.addEventListener("click", () => this.set({ axis: at, at: strip.start, x: 0.5, y: 0.5 }));
        return button;
      });
      this.slice = slider("Slice", { min: 0, max: 1, step: 1, value: 0 }, (at) => this.set({ at }));
      const window = slider("Window", { min: 8, max: 512, step: 4, value: 255 }, (value) => this.set({ window: value }));
      const level = slider("Level", { min: 0, max: 255, step: 1, value: 128 }, (value) => this.set({ level: value }));
      this.zoom = slider("Zoom", { min: 1, max: 8, step: 0.5, value: 1 }, (zoom) => this.set({ zoom }));
      const layers = this.layers.filter((layer) => layer.name !== "image").map((layer) => {
        const box = make("input", { type: "checkbox", checked: layer.on });
        box.addEventListener("change", () => {
          layer.on = box.checked;
          this.draw();
        });
        const { input } = slider("", { min: 0, max: 1, step: 0.05, value: 1 }, (opacity) => {
          layer.opacity = opacity;
          this.draw();
        });
        input.setAttribute("aria-label", `Opacity: ${layer.label}`);
        const swatch = layer.is_grey ? "" : make("span", { className: `swatch swatch--${layer.name}` });
        return make("div", { className: "viewer__layer" }, make("label", {}, box, swatch, make("span", { textContent: layer.label })), input);
      });
      const worst = make("button", { type: "button", className: "btn btn--small", textContent: plan.differs ? "Worst slice" : "Where it began" });
      worst.addEventListener("click", () => this.set({ at: this.strip.start, zoom: 1, x: 0.5, y: 0.5 }));
      const bar = make("div", { className: "viewer__bar" }, ...(flat ? [] : [...this.axes, this.slice.box, worst]), this.place);
      const tune = make("div", { className: "viewer__bar" }, window.box, level.box, this.zoom.box, ...layers);
      const hides = this.layers.filter((layer) => layer.is_grey).length > 1;
      const keys = `${flat ? "" : "Arrow keys turn the slices. "}Keys + and − zoom, dragging moves.`;
      const help = make("p", { className: "small muted", textContent: keys + (hides ? " Upper layers hide lower ones: switch one off to compare." : "") });
      this.root.replaceChildren(this.canvas, bar, tune, help);
      this.canvas.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.shiftKey) {
          event.preventDefault();
          this.step(Math.sign(event.deltaY));
        }
      }, { passive: false });
      this.canvas.addEventListener("keydown", (event) => {
        const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
        const zoom = { "+": 1.5, "-": 1 / 1.5 }[event.key];
        if (by) this.step(by);
        else if (zoom) this.set({ zoom: Math.min(8, Math.max(1, this.shown.zoom * zoom)) });
        else return;
        event.preventDefault();
      });
      let last = null;
      this.canvas.addEventListener("pointerdown", (event) => {
        last = event;
        this.canvas.setPointerCapture(event.pointerId);
      });
      this.canvas.addEventListener("pointermove", (event) => {
        if (!last || this.shown.zoom === 1) return;
        const scale = this.canvas.clientWidth * this.shown.zoom;
        this.set({
          x: this.shown.x - (event.clientX - last.clientX) / scale,
          y: this.shown.y - (event.clientY - last.clientY) / (this.canvas.clientHeight * this.shown.zoom),
        });
        last = event;
      });
      for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (last = null));
    }

    step(by) {
      this.set({ at: this.shown.at + by });
    }

    set(change) {
      const { x, y, ...shared } = change;
      const group = groups.get(this.root.dataset.viewerGroup) ?? [this];
      for (const viewer of group) {
        Object.assign(viewer.shown, shared, x === undefined ? {} : { x, y });
        viewer.show();
      }
    }

    sheet(layer) {
      const address = this.strip.sheets[layer];
      if (!this.sheets.has(address)) {
        const image = document.createElement("img");
        image.addEventListener("load", () => this.draw());
        image.src = address;
        this.sheets.set(address, image);
      }
      const found = this.sheets.get(address);
      return found.complete && found.naturalWidth ? found : null;
    }

    show() {
      const { strip, shown } = this;
      shown.at = Math.min(strip.slices.length - 1, Math.max(0, shown.at));
      const half = 0.5 / shown.zoom;
      shown.x = Math.min(1 - half, Math.max(half, shown.x));
      shown.y = Math.min(1 - half, Math.max(half, shown.y));
      Object.assign(this.slice.input, { max: strip.slices.length - 1, value: shown.at });
      this.zoom.input.value = shown.zoom;
      this.slice.input.setAttribute("aria-valuetext", `${strip.axis} = ${strip.slices[shown.at]}, ${shown.at + 1} of ${strip.slices.length}`);
      this.axes.forEach((button, at) => button.setAttribute("aria-pressed", String(at === shown.axis)));
      this.place.textContent = strip.is_flat ? "" : `${strip.axis} = ${strip.slices[shown.at]}`;
      this.canvas.setAttribute("aria-label", `${this.plan.case}, ${this.plan.team}${strip.is_flat ? "" : `, slice ${strip.axis} = ${strip.slices[shown.at]}`}`);
      this.draw();
    }

    draw() {
      const { strip, shown, canvas } = this;
      const { width, height, across } = strip;
      const scale = 2;
      if (canvas.width !== width * scale || canvas.height !== height * scale) Object.assign(canvas, { width: width * scale, height: height * scale });
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen.globalAlpha = 1;
      pen.fillStyle = "#181818";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.imageSmoothingEnabled = shown.zoom < 3;
      const corner = [width * (shown.at % across), height * Math.floor(shown.at / across)];
      const piece = [width / shown.zoom, height / shown.zoom];
      const from = [corner[0] + shown.x * width - piece[0] / 2, corner[1] + shown.y * height - piece[1] / 2];
      const lay = (on, image) => on.drawImage(image, from[0], from[1], piece[0], piece[1], 0, 0, canvas.width, canvas.height);
      let waiting = false;
      for (const layer of this.layers) {
        const sheet = layer.on && this.sheet(layer.name);
        waiting ||= layer.on && !sheet;
        if (!sheet) continue;
        pen.globalAlpha = layer.opacity;
        if (layer.is_grey) this.windowed(pen, (on) => lay(on, sheet));
        else lay(pen, sheet);
      }
      this.root.dataset.viewerState = waiting ? "loading" : "drawn";
    }

    windowed(pen, lay) {
      const { window, level } = this.shown;
      if (window === 255 && level === 128) return lay(pen);
      const { canvas, offscreen } = this;
      Object.assign(offscreen, { width: canvas.width, height: canvas.height });
      const other = offscreen.getContext("2d", { willReadFrequently: true });
      other.imageSmoothingEnabled = pen.imageSmoothingEnabled;
      lay(other);
      const low = level - window / 2;
      const table = Uint8ClampedArray.from({ length: 256 }, (_, grey) => ((grey - low) / window) * 255);
      const pixels = other.getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < pixels.data.length; at += 4) {
        pixels.data[at] = pixels.data[at + 1] = pixels.data[at + 2] = table[pixels.data[at]];
      }
      other.putImageData(pixels, 0, 0);
      pen.drawImage(offscreen, 0, 0);
    }
  }

  const begin = async (root) => {
    try {
      const answer = await fetch(root.dataset.viewer, { headers: { Accept: "application/json" }, credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      new Viewer(root, await answer.json());
    } catch {
      root.dataset.viewerState = "failed"; // the picture stays
    }
  };

  const setUp = () => {
    for (const root of document.querySelectorAll("[data-viewer]")) {
      if (root.dataset.viewerState) continue;
      root.dataset.viewerState = "waiting";
      begin(root);
    }
  };
  // What was drawn after the page came is put into it by HTMX.
  document.addEventListener("htmx:load", setUp);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", setUp);
  else setUp();
})();
