// The pictures in the documents: they are there, they are what they say, and none is heavy.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { MOST_BYTES, PICTURES, SCALE } from "./screenshots.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const DIRECTORY = "docs/screenshots";

describe("pictures", () => {
  for (const { name, size } of PICTURES) {
    it(`${name}.png is a PNG of its size, and small`, async () => {
      const bytes = await readFile(join(ROOT, DIRECTORY, `${name}.png`));
      assert.equal(bytes.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
      assert.equal(bytes.subarray(12, 16).toString("latin1"), "IHDR");
      assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [size.width * SCALE, size.height * SCALE]);
      assert.ok(bytes.length <= MOST_BYTES, `${bytes.length} bytes`);
    });
  }

  it("no other file lies among them", async () => {
    assert.deepEqual((await readdir(join(ROOT, DIRECTORY))).sort(), PICTURES.map(({ name }) => `${name}.png`).sort());
  });

  it("README shows some, each with a text alternative", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const shown = [...readme.matchAll(/<img\s[^>]*>/g)].map(([tag]) => ({
      file: tag.match(/\ssrc="([^"]*)"/)?.[1],
      alt: tag.match(/\salt="([^"]*)"/)?.[1],
    }));
    assert.ok(shown.length >= 3);
    for (const { file, alt } of shown) {
      assert.ok(
        PICTURES.some(({ name }) => file === `${DIRECTORY}/${name}.png`),
        file,
      );
      assert.ok(alt?.length > 10, `${file} has no description`);
    }
  });
});
