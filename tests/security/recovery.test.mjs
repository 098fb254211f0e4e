// When something has gone wrong: what docs/OPERATIONS.md tells to do is enough, with the processes that serve.
import assert from "node:assert/strict";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { identity } from "../support/web_server.mjs";
import { openProvider } from "./provider.mjs";

const isRoot = process.getuid() === 0;

/// The commands below a heading of the manual, one a line.
async function commandsBelow(heading) {
  const text = await readFile(join(ROOT, "docs/OPERATIONS.md"), "utf8");
  const section = text.split(/^(?=#{2,3} )/m).find((part) => part.startsWith(`${heading}\n`));
  assert.ok(section, heading);
  const commands = section
    .split("\n")
    .filter((line) => line.startsWith("    "))
    .map((line) => line.trim());
  assert.ok(commands.length > 0, heading);
  return commands;
}

/// Types commands of the manual for this deployment: its places instead of the usual ones, the test's user instead of
/// root, and no service but its own web server, which the caller stops and starts.
async function type(deployment, commands) {
  const place = (command) =>
    command
      .replaceAll("/var/lib/postern/keys", join(deployment.directory, "keys"))
      .replaceAll("/var/lib/postern", join(deployment.directory, "db"))
      .replaceAll("/var/backups/postern", join(deployment.directory, "backups"))
      .replaceAll("-o www-data -g www-data", isRoot ? `-o ${identity.user} -g ${identity.group}` : "");
  const script = [
    "set -eu",
    'sudo() { [ "$1" != -u ] || shift 2; "$@"; }',
    "systemctl() { :; }",
    ...commands.map(place),
  ].join("\n");
  return run("/bin/bash", ["-c", script], {
    env: { ...deployment.environment, PATH: `${join(BUILD, "bin")}:${process.env.PATH}` },
  });
}

/// As long as it is the second in which something was made, "before now" does not mean it.
async function theNextSecond() {
  for (const second = Math.floor(Date.now() / 1000); Math.floor(Date.now() / 1000) === second; )
    await new Promise((done) => setTimeout(done, 20));
}

describe("a backup is put back", () => {
  let p, gone, person, restore;

  /// What was alive when the copy was made and has been ended since. True where it can be used again.
  const alive = {
    "an access token that was revoked": async () => (await p.introspect(gone.revoked.access_token)).active,
    "a refresh token that was revoked": async () => (await p.introspect(gone.revoked.refresh_token)).active,
    "a refresh token that was used up": async () =>
      (await p.refresh(p.clients.web, gone.rotated.refresh_token)).status === 200,
    "a code that was redeemed": async () => (await p.exchange(p.clients.web, gone.code)).status === 200,
    "a session that was ended": async () =>
      !(await person.visit(p.authorizationUrl(p.clients.trusted))).form?.buttons.login,
    "a token of a consent that was withdrawn": async () => (await p.introspect(gone.other.access_token)).active,
    "a consent that was withdrawn": async () => {
      const stranger = p.person();
      const page = await stranger.signIn(
        await stranger.visit(p.authorizationUrl(p.clients.other)),
        p.user.username,
        p.user.password,
      );
      return !page.form?.buttons.approve;
    },
  };
  const everything = async () =>
    Object.fromEntries(await Promise.all(Object.entries(alive).map(async ([what, look]) => [what, await look()])));
  const all = (value) => Object.fromEntries(Object.keys(alive).map((what) => [what, value]));

  prepared(async (owned) => {
    p = owned(await openProvider({ config: { authorizationCodeTTL: 600 } }));
    restore = (await commandsBelow("## Restore")).filter((command) => !command.startsWith("sudo systemctl"));
    person = p.person();
    gone = {
      revoked: await p.tokens(p.clients.web, {}, person),
      rotated: await p.tokens(p.clients.web, { scope: "openid offline_access" }, person),
      other: await p.tokens(p.clients.other, {}, person),
      code: await p.code(p.clients.web, {}, person),
    };
    const [directory, copy] = await commandsBelow("## Backup");
    await type(p.deployment, [directory, copy]);
    for (const [name, { access_token: token }] of Object.entries(gone))
      assert.ok(!token || (await p.introspect(token)).active, `${name} is alive before`);

    await p.revoke(p.clients.web, gone.revoked.refresh_token);
    assert.equal((await p.refresh(p.clients.web, gone.rotated.refresh_token)).status, 200);
    assert.equal((await p.exchange(p.clients.web, gone.code)).status, 200);
    await p.deployment.postern(["consent", "revoke", "--client", "other"]);
    await p.deployment.postern(["session", "end", "--all"]);
  });

  it("put back and nothing more, everything that was ended since lives again [S17]", async () => {
    await p.deployment.halt();
    await type(
      p.deployment,
      restore.filter((command) => !/postern (token|session|consent)/.test(command)),
    );
    await p.deployment.resume();
    assert.deepEqual(await everything(), all(true));
  });

  it("a restored backup, by the manual, revives nothing of it, and users sign in once more [S17]", async () => {
    await p.deployment.halt();
    await theNextSecond();
    await type(p.deployment, restore);
    await p.deployment.resume();
    assert.deepEqual(await everything(), all(false));
    const tokens = await p.tokens(p.clients.web, {}, p.person());
    assert.equal((await p.introspect(tokens.access_token)).active, true);
    assert.equal((await p.refresh(p.clients.web, tokens.refresh_token)).status, 200);
  });

  it("into a directory where no database was, doctor has no complaint when the recipe is done [S17]", async () => {
    await p.deployment.halt();
    for (const file of await readdir(join(p.deployment.directory, "db")))
      await rm(join(p.deployment.directory, "db", file));
    await type(p.deployment, restore);
    await p.deployment.resume();
    assert.equal((await p.userinfo((await p.tokens(p.clients.web, {}, p.person())).access_token)).status, 200);
    await p.deployment.postern(["doctor"]);
  });
});
