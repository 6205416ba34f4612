/* What a person would see to be wrong on a page as it is now: a list of {kind, element, reason}. Evaluated in the page. */
({ unstyled, ground, empty, outside }) => {
  const found = new Map();
  const note = (kind, element, reason) => {
    const detail = { kind, element: describe(element), reason };
    found.set(JSON.stringify(detail), detail);
  };
  const classesOf = (element) => (element.getAttribute("class") ?? "").split(/\s+/).filter(Boolean);
  const describe = (element) => {
    const name = (one) => one.tagName.toLowerCase() + (one.id ? `#${one.id}` : classesOf(one).slice(0, 2).map((part) => `.${part}`).join(""));
    return [element.parentElement?.parentElement, element.parentElement, element].filter(Boolean).map(name).join(" > ");
  };

  /* Drawings of the library for figures have rules and texts of their own. */
  const FOREIGN = "#js-plotly-tester, .js-plotly-plot, .plot__canvas, script, style, template, noscript, head";
  const all = [...document.body.querySelectorAll("*")].filter((element) => !element.closest(FOREIGN));
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const lineage = (element) => {
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.push(at);
    return chain;
  };
  const hidden = new Map();
  /* Not rendered, or only for people who hear the page. */
  const isHidden = (element) => {
    if (!element) return false;
    if (hidden.has(element)) return hidden.get(element);
    const style = styleOf(element);
    const box = element.getBoundingClientRect();
    const gone =
      style.display === "none" ||
      style.visibility !== "visible" ||
      style.contentVisibility === "hidden" ||
      Number(style.opacity) === 0 ||
      style.clipPath.startsWith("inset(50%") ||
      (style.position === "absolute" && box.width <= 1 && box.height <= 1) ||
      (!element.checkVisibility?.({ contentVisibilityAuto: true }) && style.display !== "contents") ||
      isHidden(element.parentElement);
    hidden.set(element, gone);
    return gone;
  };

  /* ---- Classes without a rule ---- */
  const ruled = new Set();
  const read = (rules) => {
    for (const rule of rules) {
      for (const [, name] of (rule.selectorText ?? "").matchAll(/\.((?:[\w-]|\\.)+)/g)) ruled.add(name.replaceAll("\\", ""));
      if (rule.cssRules) read(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) read(sheet.cssRules);
  const allowed = new RegExp(`^(?:${unstyled.join("|") || "(?!)"})$`);
  for (const element of all) {
    for (const name of classesOf(element)) {
      if (!ruled.has(name) && !allowed.test(name)) note("class", element, `no style sheet of the page has a rule for .${name}`);
    }
  }

  /* ---- Pictures larger than the window ---- */
  for (const element of all.filter((one) => one.matches("svg, img, canvas, video") && !one.parentElement.closest("svg"))) {
    if (isHidden(element)) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width > innerWidth || height > innerHeight) note("size", element, `${Math.round(width)} × ${Math.round(height)} px in a window of ${innerWidth} × ${innerHeight}`);
  }

  /* ---- Texts: cut off, out of their box, over each other ---- */
  const INLINE = /^(inline|contents|ruby)/;
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const owner = node.parentElement;
    if (!node.data.trim() || owner.closest(`${FOREIGN}, option, textarea, title, desc, defs`) || isHidden(owner)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1 || rect.height < 1) continue;
      /* The letters without the room above and below them, so that tight lines do not touch. */
      const inset = rect.height * 0.25;
      texts.push({ node, owner, left: rect.left, right: rect.right, top: rect.top + inset, bottom: rect.bottom - inset });
    }
  }
  const clips = (value) => value === "hidden" || value === "clip";
  const scrolls = (value) => value === "auto" || value === "scroll";
  const SLACK = 1.5;
  const isOutside = new RegExp(`^(?:${outside.join("|") || "(?!)"})$`);
  for (const text of texts) {
    const shown = text.node.data.trim().slice(0, 30);
    for (const element of lineage(text.owner)) {
      const style = styleOf(element);
      const isDrawing = element instanceof SVGElement && element.tagName !== "svg";
      if (isDrawing || INLINE.test(style.display) || element === document.documentElement || element === document.body) continue;
      const box = element.getBoundingClientRect();
      const beyond = {
        x: Math.max(box.left - text.left, text.right - box.right),
        y: Math.max(box.top - text.top, text.bottom - box.bottom),
      };
      const trim = () => {
        text.left = Math.max(text.left, box.left);
        text.right = Math.min(text.right, box.right);
        text.top = Math.max(text.top, box.top);
        text.bottom = Math.min(text.bottom, box.bottom);
      };
      if (scrolls(style.overflowX) || scrolls(style.overflowY)) {
        trim();
        break;
      }
      const shortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      if (clips(style.overflowX) && beyond.x > SLACK && !shortened) note("clipped", element, `“${shown}” is cut off by ${Math.round(beyond.x)} px at the side`);
      if (clips(style.overflowY) && beyond.y > SLACK && !shortened) note("clipped", element, `“${shown}” is cut off by ${Math.round(beyond.y)} px above or below`);
      if (clips(style.overflowX) || clips(style.overflowY)) {
        trim();
        break;
      }
      if (classesOf(element).some((name) => isOutside.test(name))) break;
      if (style.position === "absolute" || style.position === "fixed" || box.width === 0) break;
      if (beyond.x > SLACK) note("box", element, `“${shown}” lies ${Math.round(beyond.x)} px beside its box`);
      if (beyond.y > SLACK) note("box", element, `“${shown}” lies ${Math.round(beyond.y)} px above or below its box`);
      if (beyond.x > SLACK || beyond.y > SLACK) break;
    }
  }
  const seen = texts
    .filter((text) => text.right - text.left > SLACK && text.bottom - text.top > SLACK)
    .sort((one, other) => one.top - other.top);
  /* The element that lays its own ground or layer over others: what lies below it is not seen. */
  const layer = (element) => lineage(element).find((one) => /^(fixed|sticky)$/.test(styleOf(one).position)) ?? null;
  for (const [index, text] of seen.entries()) {
    for (let next = index + 1; next < seen.length && seen[next].top < text.bottom - SLACK; next += 1) {
      const other = seen[next];
      if (other.node === text.node || layer(other.owner) !== layer(text.owner)) continue;
      const wide = Math.min(text.right, other.right) - Math.max(text.left, other.left);
      const high = Math.min(text.bottom, other.bottom) - Math.max(text.top, other.top);
      if (wide > SLACK && high > SLACK) note("overlap", other.owner, `“${other.node.data.trim().slice(0, 30)}” lies over “${text.node.data.trim().slice(0, 30)}”`);
    }
  }

  /* ---- Contrast of marks in drawings ---- */
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  const rgba = (colour) => {
    if (!colours.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      colours.set(colour, [red, green, blue, alpha / 255]);
    }
    return colours.get(colour);
  };
  const over = (top, bottom, opacity = 1) => [0, 1, 2].map((part) => top[part] * top[3] * opacity + bottom[part] * (1 - top[3] * opacity)).concat(1);
  const behind = (element) => {
    const layers = [];
    for (const one of lineage(element)) {
      const colour = rgba(styleOf(one).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, colour) => over(colour, below), [255, 255, 255, 1]);
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const isGround = new RegExp(`^(?:${ground.join("|") || "(?!)"})$`);
  for (const mark of all.filter((one) => one.matches("svg :is(rect, circle, ellipse, line, path, polygon, polyline, text)"))) {
    if (isHidden(mark) || mark.closest("defs, symbol, clipPath, mask, pattern")) continue;
    if (lineage(mark).some((one) => one instanceof SVGElement && classesOf(one).some((name) => isGround.test(name)))) continue;
    const style = styleOf(mark);
    const opacity = lineage(mark).reduce((share, one) => share * Number(styleOf(one).opacity), 1);
    const paints = [
      [style.fill, style.fillOpacity],
      [style.stroke, style.strokeOpacity],
    ].filter(([paint]) => paint && paint !== "none" && !paint.startsWith("url"));
    if (!paints.length) continue;
    const ground_ = behind(mark.closest("svg"));
    const best = Math.max(...paints.map(([paint, share]) => contrast(over(rgba(paint), ground_, opacity * Number(share)), ground_)));
    const wanted = mark.matches("text") ? 4.5 : 3;
    if (best < wanted) note("contrast", mark, `${best.toFixed(1)}:1 on its ground, ${wanted}:1 at least`);
  }

  /* ---- Nothing where something should be ---- */
  const CONTENT = "img, svg, canvas, video, iframe, input, select, textarea, button, progress, meter, hr, br, table, object, wbr";
  const isEmptyOnPurpose = new RegExp(`^(?:${empty.join("|") || "(?!)"})$`);
  const painted = (style) => [style.backgroundImage !== "none", rgba(style.backgroundColor)[3] > 0, ["Top", "Right", "Bottom", "Left"].some((side) => parseFloat(style[`border${side}Width`]) > 0)].some(Boolean);
  for (const element of all) {
    if (element instanceof SVGElement || element.matches(CONTENT) || element.closest("table, [aria-live], [role=status]") || isHidden(element)) continue;
    if (classesOf(element).some((name) => isEmptyOnPurpose.test(name))) continue;
    const box = element.getBoundingClientRect();
    if (box.top >= innerHeight || box.bottom <= 0 || element.textContent.trim() || element.querySelector(CONTENT)) continue;
    if (["::before", "::after"].some((part) => !["none", "normal"].includes(getComputedStyle(element, part).content))) continue;
    const named = /^(H[1-6]|P|LI|A|FIGURE|SECTION|ARTICLE|NAV|DT|DD|FIGCAPTION|LABEL|LEGEND|SUMMARY)$/.test(element.tagName);
    const large = box.width * box.height >= 1000 && box.height >= 8;
    if (named || (large && (painted(styleOf(element)) ? box.height >= 24 : !element.parentElement.matches("[class*=grid]"))))
      note("empty", element, `nothing in ${Math.round(box.width)} × ${Math.round(box.height)} px on the first screen`);
  }
  return [...found.values()];
}
