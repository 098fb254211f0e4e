// The bill of materials names each Debian package that a program contains, links or loads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";

it("the SBOM has each package once, libpq as one that is loaded if need be, and no relation to what it has not", () => {
  const printed = execFileSync(join(ROOT, "scripts/sbom"), [BUILD], { encoding: "utf8" });
  const { packages, relationships } = JSON.parse(printed);
  const ids = packages.map(({ SPDXID }) => SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  for (const { spdxElementId, relatedSpdxElement } of relationships)
    for (const id of [spdxElementId, relatedSpdxElement]) assert.ok(id === "SPDXRef-DOCUMENT" || ids.includes(id), id);

  const told = relationships.map(({ spdxElementId, relationshipType, relatedSpdxElement }) =>
    [spdxElementId, relationshipType, relatedSpdxElement].join(" ").replaceAll("SPDXRef-Package-", ""),
  );
  assert.ok(told.includes("postern CONTAINS rapidjson-dev"));
  assert.ok(told.includes("postern DYNAMIC_LINK libsqlite3-0"));
  const loadsLibpq = readFileSync(join(BUILD, "bin/postern")).includes("libpq.so.5");
  const ofLibpq = told.filter((each) => /\blibpq/.test(each));
  assert.deepEqual(ofLibpq, loadsLibpq ? ["libpq5 OPTIONAL_DEPENDENCY_OF postern"] : []);
});

const endpoints = readdirSync(join(BUILD, "cgi-bin")).filter((name) => !name.includes("."));
const libraryUsers = (library) =>
  [...endpoints.map((name) => join("cgi-bin", name)), "bin/postern"].filter((program) =>
    execFileSync("ldd", [join(BUILD, program)], { encoding: "utf8" }).includes(library),
  );

it("no program but the account is linked with libqrencode [TOTP-3]", () => {
  assert.ok(endpoints.length >= 11);
  const users = libraryUsers("libqrencode");
  assert.deepEqual(users, users.length > 0 ? ["cgi-bin/account"] : []);
});

it("no program but those that set passwords is linked with libzxcvbn [PASSWORD-2]", () => {
  const users = libraryUsers("libzxcvbn").sort();
  assert.deepEqual(users, users.length > 0 ? ["bin/postern", "cgi-bin/account", "cgi-bin/recover"] : []);
});
