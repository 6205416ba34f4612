// Plotly writes style attributes with setAttribute, which the content security policy forbids; setting the same text
// through the CSS object model is allowed. Loaded before Plotly, only on pages that have a plot.
(() => {
  "use strict";
  const original = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function setAttribute(name, value) {
    if (String(name).toLowerCase() === "style" && this.style) this.style.cssText = value;
    else original.call(this, name, value);
  };
})();
