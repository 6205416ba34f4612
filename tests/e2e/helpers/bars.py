"""Limits for the size of a page and for layout shifts while it loads, and their measurement in the browser."""

SCRIPTS_KB = 80
SHIFT = 0.05

# Tests share a tab, so it may be asked for more than once. The shift of what is seen, without what an input causes; asked for before the page is there.
WATCH_SHIFTS = """
const watched = "__shift" in window;
window.__shift = 0;
if (!watched) new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
SCRIPT_BYTES = """() => performance.getEntriesByType("resource")
  .filter((entry) => entry.initiatorType === "script" && !entry.name.includes("plotly"))
  .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""
