// The documents agree with each other: links lead to files and headings, and the index of decision records is complete.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const RECORDS = "docs/decisions";
const read = (file) => readFileSync(join(ROOT, file), "utf8");

const markdownIn = (directory) =>
  readdirSync(join(ROOT, directory))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(directory, name));
const foldersIn = (directory) =>
  readdirSync(join(ROOT, directory), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(directory, name));
const documents = [".", "docs", ...foldersIn("docs"), ...foldersIn("examples")].flatMap(markdownIn);

/// The fragment that a heading gets on the usual code hosting platforms.
const fragmentOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");
const fragmentsOf = (file) => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => fragmentOf(heading));

const records = readdirSync(join(ROOT, RECORDS))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort();

describe("documents", () => {
  it("every relative link leads to a file, and to a heading of it", () => {
    for (const document of documents) {
      for (const [, target, fragment] of read(document).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const file = target ? relative(ROOT, join(ROOT, dirname(document), target)) : document;
        assert.ok(existsSync(join(ROOT, file)), `${document}: ${target}`);
        if (fragment === undefined || !file.endsWith(".md")) continue;
        assert.ok(fragmentsOf(file).includes(fragment), `${document}: ${target}#${fragment}`);
      }
    }
  });

  it("CLIENTS.md: the index has every page of an application, in the order of the applications' names", () => {
    const text = read("docs/CLIENTS.md");
    for (const page of markdownIn("docs/clients"))
      assert.ok(text.includes(`(${relative("docs", page)})`), `${page} is not in the index`);
    const [, index] = /^\| application .*\n\|---.*\n((?:\|.*\n)+)/m.exec(text);
    const names = [...index.matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => name.toLowerCase().replaceAll("`", ""));
    assert.deepEqual(names, [...names].sort());
  });

  it("every decision record has its number, a status and a date, and its row in the index", () => {
    const rows = records.map((name) => {
      const text = read(join(RECORDS, name));
      const [, number, title] = /^# (\d{4}): (.*)\n/.exec(text) ?? assert.fail(`${name}: title`);
      assert.equal(number, name.slice(0, 4), name);
      const [, status] =
        /^Status: (accepted|superseded by \[\d{4}\]\(\d{4}-[^)]*\.md\))(?:; .*)? *$/m.exec(text) ??
        assert.fail(`${name}: status`);
      const [, date] = /^Date: (\d{4}-\d\d-\d\d)$/m.exec(text) ?? assert.fail(`${name}: date`);
      return `| [${number}](${name}) | ${title} | ${status} | ${date} |`;
    });
    const index = read(join(RECORDS, "README.md"))
      .split("\n")
      .filter((line) => line.startsWith("| ["))
      .sort();
    assert.deepEqual(index, rows);
    assert.equal(new Set(records.map((name) => name.slice(0, 4))).size, records.length, "numbers are unique");
  });

  it("CERTIFICATION.md: the scripted browser looks for ids of the templates, and stores what a module wants", () => {
    const script = JSON.parse(`{${/"browser": \[[^]*?\n\]/.exec(read("docs/CERTIFICATION.md"))[0]}}`).browser;
    const templates = readdirSync(join(ROOT, "templates")).map((name) => read(join("templates", name)));
    const commands = ({ tasks }) => tasks.flatMap((task) => task.commands ?? []);
    const ofTheSuite = ["submission_complete"];
    for (const [, by, id] of script.flatMap(commands)) {
      if (by !== "id" || ofTheSuite.includes(id)) continue;
      assert.ok(
        templates.some((template) => template.includes(`id="${id}"`)),
        id,
      );
    }
    // As the suite does: the first entry that fits the address.
    const entryFor = (url) => script.find(({ match }) => url.startsWith(match.slice(0, -1)));
    const logout = "https://id.example.org/logout";
    const verbs = (url) => commands(entryFor(url)).map(([verb]) => verb);
    assert.deepEqual(verbs(`${logout}?post_logout_redirect_uri=https://suite/&state=s`), ["wait"]);
    for (const query of ["", "?state=s", "?id_token_hint=t&state=s", "?id_token_hint=t&post_logout_redirect_uri=u"])
      assert.deepEqual(verbs(logout + query), ["click", "wait"], query);
  });
});
