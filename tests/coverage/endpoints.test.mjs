// What else tells of endpoints agrees with their declarations in lib/oauth/endpoints.h.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../support/deployment.mjs";
import { DECLARED, ENDPOINTS, WITH_DATABASE, withRight } from "../support/endpoints.mjs";

const read = (name) => readFileSync(join(ROOT, name), "utf8");
const whole = DECLARED.filter(({ route }) => route === "whole");

/// Where `server::Endpoint` is filled.
function programOf(name) {
  const library = `lib/server/${name}_endpoint.cpp`;
  return read(existsSync(join(ROOT, library)) ? library : `cgi-bin/${name}.cpp`);
}

describe("the endpoints that are declared", () => {
  it("are all lines of the declaration, and those that scripts read", () => {
    const lines = read("lib/oauth/endpoints.h").match(/^ +ENDPOINT\(/gm);
    assert.equal(DECLARED.length, lines.length);
    const names = (...args) =>
      execFileSync(join(ROOT, "scripts/fill-examples"), ["--names", ...args], { encoding: "utf8" }).split("\n");
    assert.deepEqual(names(), [...ENDPOINTS, ""]);
    assert.deepEqual(names("database"), [...WITH_DATABASE, ""]);
    assert.deepEqual(names("seal"), [...withRight("seal"), ""]);
  });

  it("have a program each, and no other program is there", () => {
    const programs = readdirSync(join(ROOT, "cgi-bin")).map((file) => file.replace(/\.cpp$/, ""));
    assert.deepEqual(programs.sort(), [...ENDPOINTS].sort());
  });

  it("may open what the program does open", () => {
    for (const { name, rights } of DECLARED) {
      const program = programOf(name);
      const opens = [];
      const store = program.match(/endpoint\.store = (?:server::)?StoreUse::(read|write);/)?.[1];
      opens.push(store ? `${store}s` : "none");
      if (program.includes("endpoint.seal = true;")) opens.push("seal");
      if (program.includes("endpoint.factors = true;")) opens.push("factor");
      if (program.includes("endpoint.keys = keys::KeyUse::sign;")) opens.push("sign");
      if (program.includes("endpoint.signs_if = ")) opens.push("sign_if_front");
      if (program.includes("endpoint.passwords = true;")) opens.push("hashes");
      assert.deepEqual([...rights].sort(), opens.sort(), name);
    }
  });

  it("have the name of the program at the end of the path where that is the whole route", () => {
    for (const { name, path } of whole) assert.equal(path.split("/").at(-1), name);
  });

  it("are routed by apache-example.conf", () => {
    const site = read("apache-example.conf");
    const routed = [...site.matchAll(/AliasMatch "\^\$\{POSTERN_BASE\}(\S*)\(([a-z_|]+)\)\$"/g)].flatMap(
      ([, directory, names]) => names.split("|").map((name) => `/${directory}${name}`),
    );
    assert.deepEqual(routed.sort(), whole.map(({ path }) => path).sort());
    const pools = [...site.matchAll(/<Files "(\w+)">\n +SetHandler "proxy:unix:(\S+)"\n/g)];
    assert.deepEqual(
      pools.map(([, name, handler]) => [name, handler]).sort(),
      ENDPOINTS.map((name) => [name, `\${POSTERN_SOCKETS}/${name}.sock|fcgi://${name}`]).sort(),
    );
    for (const name of ENDPOINTS.filter((each) => !whole.some((one) => one.name === each)))
      assert.ok(site.includes(` "\${POSTERN_CGI_BIN}/${name}"\n`), name);
  });
});
