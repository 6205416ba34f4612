// Judges scripts with ESLint and styles with csstree-validator: `node tests/lint/web.cjs FILE…`.
// One line a fault, `file:line:column: message`; exit 1 when there is one.
"use strict";

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { runInNewContext } = require("node:vm");
const { Linter } = require("./vendor/eslint/eslint-linter.min.js");
const { csstreeValidator } = runInNewContext(`${readFileSync(join(__dirname, "vendor/csstree/csstree-validator.js"), "utf8")};({ csstreeValidator })`);

const BROWSER = [
  "AbortController", "Blob", "CSS", "CustomEvent", "DOMParser", "Element", "Event", "File", "FileReader", "FormData", "Headers", "Intl",
  "IntersectionObserver", "MutationObserver", "Request", "ResizeObserver", "Response", "TextDecoder", "TextEncoder", "URL",
  "URLSearchParams", "Worker", "XMLHttpRequest", "addEventListener", "btoa", "clearInterval", "clearTimeout", "console", "crypto",
  "customElements", "document", "fetch", "getComputedStyle", "history", "localStorage", "location", "matchMedia", "navigator",
  "performance", "queueMicrotask", "removeEventListener", "requestAnimationFrame", "sessionStorage", "setInterval", "setTimeout",
  "structuredClone", "window",
];
const RULES = [
  "array-callback-return", "constructor-super", "eqeqeq", "for-direction", "getter-return", "no-async-promise-executor",
  "no-caller", "no-case-declarations", "no-class-assign", "no-compare-neg-zero", "no-cond-assign", "no-const-assign",
  "no-constant-condition", "no-constructor-return", "no-control-regex", "no-debugger", "no-dupe-args", "no-dupe-class-members",
  "no-dupe-else-if", "no-dupe-keys", "no-duplicate-case", "no-empty", "no-empty-pattern", "no-eval", "no-ex-assign",
  "no-extend-native", "no-extra-boolean-cast", "no-fallthrough", "no-func-assign", "no-global-assign", "no-implied-eval",
  "no-import-assign", "no-inner-declarations", "no-irregular-whitespace", "no-loss-of-precision", "no-misleading-character-class",
  "no-new-func", "no-new-wrappers", "no-obj-calls", "no-prototype-builtins", "no-redeclare",
  "no-self-assign", "no-self-compare", "no-setter-return", "no-shadow", "no-shadow-restricted-names", "no-sparse-arrays",
  "no-this-before-super", "no-undef", "no-unexpected-multiline", "no-unmodified-loop-condition", "no-unreachable",
  "no-unreachable-loop", "no-unsafe-finally", "no-unsafe-negation", "no-unsafe-optional-chaining", "no-unused-labels",
  "no-unused-private-class-members", "no-unused-vars", "no-useless-assignment", "no-useless-catch",
  "no-useless-escape", "no-var", "no-with", "prefer-const", "strict", "use-isnan", "valid-typeof",
];
const CONFIG = {
  languageOptions: { ecmaVersion: 2022, sourceType: "script", globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
  linterOptions: { reportUnusedDisableDirectives: "error" },
  rules: { ...Object.fromEntries(RULES.map((name) => [name, "error"])), "no-unused-vars": ["error", { caughtErrors: "none" }] },
};

const judgeScript = (text) => new Linter().verify(text, [CONFIG]).map((fault) => ({ ...fault, message: `${fault.message} (${fault.ruleId})` }));
// Its grammar knows neither comparison functions inside of others, nor the margins of @page.
const unknownToValidator = (fault, line) => /\b(min|max|clamp)\(/.test(line) || /at-rule descriptor `(margin|size)/.test(fault.message);
const judgeStyle = (text, name) => {
  const lines = text.split("\n");
  return csstreeValidator.validate(text, name).filter((fault) => !unknownToValidator(fault, lines[fault.line - 1]));
};

let faults = 0;
for (const name of process.argv.slice(2)) {
  const text = readFileSync(name, "utf8");
  for (const { line, column, message } of (name.endsWith(".css") ? judgeStyle : judgeScript)(text, name)) {
    faults += 1;
    console.log(`${name}:${line}:${column}: ${message.split("\n")[0]}`);
  }
}
console.log(`${process.argv.length - 2} files, ${faults} faults`);
process.exitCode = faults ? 1 : 0;
