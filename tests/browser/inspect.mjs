// How a page is looked at for everybody. Pages are those that `postern pages` writes; functions that run in the page
// say so.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";

export const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const NARROW = { width: 320, height: 568 };
export const LONG_NAME = `Weatherstationdataloggingapplication${"x".repeat(60)} of the Institute`;

export const directory = mkdtempSync(join(tmpdir(), "pt-pages-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

/// The one page that goes on by itself, and would while it is looked at. OPERATIONS, "Accessibility", says so
/// (docs/decisions/0132).
const GOES_ON = "logged_out-going_on";
const REFRESH = /<meta http-equiv="refresh"[^>]*>\n/;

/// Writes the pages into a directory of that name, and returns their paths; `members` are of the configuration.
export async function writePages(name, members = {}) {
  const config = join(directory, `${name}.json`);
  const templates = join(ROOT, "templates");
  writeFileSync(config, JSON.stringify({ issuer: "https://id.example.org", templates, ...members }));
  const out = join(directory, name);
  await run(join(BUILD, "bin/postern"), ["pages", out, "--config", config]);
  const files = readdirSync(out)
    .sort()
    .map((file) => join(out, file));
  for (const file of files.filter((one) => nameOf(one) === GOES_ON)) {
    const page = readFileSync(file, "utf8");
    assert.match(page, REFRESH);
    writeFileSync(file, page.replace(REFRESH, ""));
  }
  return files;
}
export const nameOf = (file) => file.slice(file.lastIndexOf("/") + 1, -".html".length);
/// Pages of one template that differ in their words; one of them has a form of its own.
export const isError = (file) => nameOf(file).startsWith("error-") && nameOf(file) !== "error-access_refused";
/// Sends itself, so that a browser does not stay on it.
export const isFormPost = (file) => nameOf(file) === "form_post";
export const visit = (page, file) => page.goto(pathToFileURL(file).href);

/// The rules whose findings depend on colours.
export const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/// Runs in the page: what axe-core finds by `rules`, or all of them, and where it cannot tell whether the contrast is
/// enough, as lines of text. Nothing is fetched and nothing is added to the page.
export async function findings(rules) {
  const { violations, incomplete } = await globalThis.axe.run(document, {
    preload: false,
    resultTypes: ["violations", "incomplete"],
    // WCAG 2.5.8 is off by default
    ...(rules ? { runOnly: rules } : { rules: { "target-size": { enabled: true } } }),
  });
  const unsure = incomplete.filter(({ id }) => id === "color-contrast");
  return [...violations, ...unsure].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}

/// Runs in the page: elements that reach out of it, or hide a part of what they hold. A text field may hold more than
/// it shows.
export function cutOff() {
  const width = document.documentElement.clientWidth;
  const found =
    document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide`] : [];
  for (const element of document.body.querySelectorAll("*:not(input, script, style, svg *)")) {
    const { left, right } = element.getBoundingClientRect();
    if (left < -0.5 || right > width + 0.5)
      found.push(`${element.localName} reaches from ${left} to ${right} of ${width}`);
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
      found.push(`${element.localName} holds more than it is wide`);
  }
  return found;
}

/// Runs in the page: elements to which the system's own colours left no visible edge.
export function invisible() {
  const same = (element, style) =>
    style.borderTopStyle === "none" || style.borderTopColor === getComputedStyle(element.parentElement).backgroundColor;
  return [...document.querySelectorAll("button, .button, input:not([type=hidden])")]
    .filter((element) => element.checkVisibility() && same(element, getComputedStyle(element)))
    .map(({ id }) => id);
}

/// Runs in the page: opens what can be opened, and shows what a script or the browser may show.
export function showEverything() {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const element of document.querySelectorAll("[hidden]")) {
    element.hidden = false;
    if (!element.textContent.trim()) element.textContent = "The browser has no passkey for this address.";
  }
}

/// Runs in the page: gives every name that people chose another value.
export function rename(name) {
  for (const value of document.querySelectorAll("bdi")) value.textContent = name;
}
