// examples/directory/postern-sync-users with a real directory behind it: people come, change, leave and are back.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { PATH } from "../support/web_server.mjs";
import { Directory } from "./directory.mjs";

const STAFF = "cn=employees,ou=groups,dc=example,dc=org";

describe("the people of a directory are users, by the script that is shipped [SOURCE-6]", () => {
  let directory, place, env;

  /// The script with what an operator changes at its beginning. `ou` stands for memberOf, which needs an overlay.
  async function edited(changes = []) {
    let text = await readFile(join(ROOT, "examples/directory/postern-sync-users"), "utf8");
    const { origin } = new URL(directory.people.replace("ldap:", "http:"));
    for (const [from, to] of [
      ["ldaps://ldap.example.org", origin.replace("http:", "ldap:")],
      [/^ +-D .*\n/m, ""],
      ["cn mail memberOf", "cn mail ou"],
      ['all("memberof")', 'all("ou")'],
      ...changes,
    ]) {
      const changed = text.replace(from, () => to);
      assert.notEqual(changed, text, `the script has no ${from}`);
      text = changed;
    }
    const file = join(place, "sync");
    await writeFile(file, text, { mode: 0o755 });
    return file;
  }
  const sync = async (...options) => (await run(await edited(), options, { env })).stdout;
  const postern = async (...command) => JSON.parse((await run("postern", [...command, "--json"], { env })).stdout);
  const person = (cn, more = {}) => ({ cn, sn: cn, ...more });

  prepared(async (owned) => {
    directory = owned(await Directory.start());
    place = temporaryDirectory();
    const configuration = join(place, "postern.json");
    env = { PATH: `${BUILD}/bin:${PATH}`, POSTERN_CONFIG: configuration };
    const [database, keys] = [join(place, "data/postern.db"), join(place, "data/keys")];
    await writeFile(configuration, JSON.stringify({ issuer: "https://id.example.org", database, keys }));
    await run("postern", ["init"], { env });
    for (const group of ["staff", "wiki-admins"]) await run("postern", ["group", "add", group], { env });
    for (let i = 0; i < 20; ++i) await directory.add(`user${i}`, "x", person(`User ${i}`));
    await directory.add("ada", "x", person("Ada Løvelace", { mail: "ada@example.org", ou: [STAFF, "cn=other"] }));
  });

  it("names, claims in UTF-8 and groups arrive; the second run changes nothing", async () => {
    assert.match(await sync("--dry-run"), /^add ada$/m);
    assert.match(await sync(), /^21 added, 0 updated, 0 enabled, 0 disabled, 0 unchanged, 0 refused$/m);
    const { claims, groups, source } = await postern("user", "show", "ada");
    assert.deepEqual(claims, { name: "Ada Løvelace", email: "ada@example.org" });
    assert.deepEqual([groups, source], [["staff"], "directory"]);
    assert.match(await sync(), /^0 added, 0 updated, 0 enabled, 0 disabled, 21 unchanged/m);
  });

  it("a change follows, a user without an entry is disabled, and one who is back is enabled", async () => {
    await directory.change("ada", { ou: [], mail: [] });
    await directory.remove("user7");
    assert.match(await sync(), /^0 added, 1 updated, 0 enabled, 1 disabled, 19 unchanged/m);
    const { claims, groups } = await postern("user", "show", "ada");
    assert.deepEqual([claims, groups], [{ name: "Ada Løvelace" }, []]);
    assert.equal((await postern("user", "show", "user7")).enabled, false);
    await directory.add("user7", "x", person("User 7"));
    assert.match(await sync(), /^0 added, 0 updated, 1 enabled, 0 disabled, 20 unchanged/m);
  });

  it("a search that fails or is cut short changes nothing", async () => {
    const failing = async (...changes) => {
      const before = await postern("user", "list");
      const { code, stderr } = await run(await edited(changes), [], { env }).catch((failure) => failure);
      assert.ok(code > 0, stderr);
      assert.deepEqual(await postern("user", "list"), before);
      return stderr;
    };
    await failing(["ou=people,dc=example", "ou=nobody,dc=example"]);
    await failing(["-E pr=500/noprompt", "-z 5"]); // its answer has five entries
    assert.match(await failing(["(objectClass=inetOrgPerson)", "(uid=user1*)"]), /would be disabled/);
    assert.match(await failing(["(objectClass=inetOrgPerson)", "(uid=none)"]), /contains no users/);
  });
});
