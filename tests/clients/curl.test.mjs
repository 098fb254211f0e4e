// The scripts of examples/curl against the demo of `make run`, as somebody tries them who reads their README.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { Demo } from "./demo.mjs";
import { AWKWARD_SECRETS } from "./provider.mjs";

const SCRIPTS = join(ROOT, "examples/curl");
const TIMEOUT_MS = 60_000;
const CURL_REFUSED = 22; // curl(1): the server answered with an error

/// Runs a command: { code, output, errors }.
function run(command, args, { env, input = "" }) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { env, cwd: ROOT, timeout: TIMEOUT_MS });
    const ran = { output: "", errors: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      ran.output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      ran.errors += text;
    });
    child.stdin.on("error", () => {}); // of a script that reads nothing
    child.stdin.end(input);
    child.on("error", failed).on("close", (code) => done({ code, ...ran }));
  });
}

describe("examples/curl", () => {
  let demo;
  let directory;
  let settings;
  let env;
  prepared(async (owned) => {
    demo = owned(await Demo.start());
    directory = temporaryDirectory();
    const file = await readFile(join(demo.directory, "curl.env"), "utf8");
    settings = Object.fromEntries([...file.matchAll(/(\w+)='([^']*)'/g)].map(([, name, value]) => [name, value]));
    // A curl in front of the real one that writes down what everybody on the machine could have read.
    const curl =
      `#!/bin/sh\nprintf '%s\\n' "$@" >>'${directory}/arguments'\nPATH='${process.env.PATH}' ` + `exec curl "$@"\n`;
    await writeFile(join(directory, "curl"), curl, { mode: 0o700 });
    env = { ...settings, PATH: `${directory}:${process.env.PATH}`, TMPDIR: directory };
  });

  const script = (name, { input, argument, ...more } = {}) =>
    run(join(SCRIPTS, `${name}.sh`), argument ? [argument] : [], { input, env: { ...env, ...more } });

  async function answer(name, options) {
    const { code, output, errors } = await script(name, options);
    assert.equal(code, 0, `${name}: ${output}${errors}`);
    return output.startsWith("{") ? JSON.parse(output) : output.trim();
  }

  async function refused(name, error, options) {
    const { code, output } = await script(name, options);
    assert.deepEqual([code, JSON.parse(output).error], [CURL_REFUSED, error]);
  }

  /// What token.sh prints when somebody has signed in.
  const signIn = async (more) =>
    JSON.stringify(await answer("token", { input: `${await answer("authorize", more)}\n`, ...more }));

  it("is in what make run says, and its secrets are for its owner only", async () => {
    assert.ok(demo.said.includes(join(demo.directory, "curl.env")));
    assert.ok(!demo.said.includes(settings.CLIENT_SECRET));
    assert.equal((await stat(join(demo.directory, "curl.env"))).mode & 0o777, 0o600);
  });

  it("finds everything by discovery", async () => {
    const { issuer, jwks_uri } = await answer("discovery");
    assert.equal(issuer, settings.ISSUER);
    assert.ok(jwks_uri.startsWith(issuer));
    assert.ok((await answer("jwks")).keys.length >= 1);
  });

  it("signs in, asks for the user and for the token's state, and refreshes", async () => {
    const input = await signIn();
    const tokens = JSON.parse(input);
    assert.equal(tokens.scope, "openid profile email");
    const { name, sub } = await answer("userinfo", { input });
    assert.equal(name, "Dana Demo");
    const about = await answer("introspect", { input });
    assert.deepEqual([about.active, about.sub, about.client_id, about.username], [true, sub, "demo-app", "demo"]);
    assert.equal((await answer("introspect", { input, argument: "refresh_token" })).token_type, "refresh_token");
    const newer = await answer("refresh", { input });
    assert.notEqual(newer.refresh_token, tokens.refresh_token);
  });

  it("revokes", async () => {
    const input = await signIn();
    assert.equal(await answer("revoke", { input }), "");
    assert.deepEqual(await answer("introspect", { input }), { active: false });
    await refused("refresh", "invalid_grant", { input });
    assert.equal((await script("userinfo", { input })).code, CURL_REFUSED);
  });

  it("signs out when it has the browser's cookies", async () => {
    const COOKIES = join(directory, "cookies");
    const input = await signIn({ COOKIES });
    assert.equal((await stat(COOKIES)).mode & 0o777, 0o600);
    await answer("authorize", { COOKIES, LOGIN_PASSWORD: "not needed while signed in" });
    assert.equal(await answer("logout", { COOKIES, input }), settings.REDIRECT_URI);
    assert.deepEqual(await answer("introspect", { input }), { active: false });
    assert.match((await script("authorize", { COOKIES, LOGIN_PASSWORD: "needed now" })).errors, /do not match/);
    await rm(COOKIES);
  });

  it("gets a token of the client's own", async () => {
    const tokens = await answer("client_credentials");
    const { active, sub, scope } = await answer("introspect", { input: JSON.stringify(tokens) });
    assert.deepEqual({ active, sub, scope }, { active: true, sub: "demo-app", scope: "reports" });
  });

  it("shows what is wrong", async () => {
    await refused("client_credentials", "invalid_client", { CLIENT_SECRET: "wrong" });
    await refused("token", "invalid_grant", { input: "no-code\n" });
    assert.match((await script("authorize", { CLIENT_ID: "nobody" })).errors, /not known/);
    assert.match((await script("authorize", { SCOPE: "admin" })).errors, /invalid_scope/);
    assert.match((await script("client_credentials", { CLIENT_SECRET: "" })).errors, /CLIENT_SECRET/);
    for (const name of ["refresh", "introspect", "revoke", "userinfo", "logout"]) {
      const { code, errors } = await script(name, { input: "{}" });
      assert.notEqual(code, 0, name);
      assert.match(errors, /standard input has no/, name);
    }
  });

  for (const [which, secret] of AWKWARD_SECRETS.entries()) {
    it(`the secret ${secret} works`, async () => {
      const CLIENT_ID = `awkward-${which}`;
      const add = ["client", "add", CLIENT_ID, "--secret-stdin", "--grant", "client_credentials", "--scope", "reports"];
      const config = { POSTERN_CONFIG: join(demo.directory, "postern.json") };
      const { code, errors } = await run(join(BUILD, "bin/postern"), add, { env: config, input: `${secret}\n` });
      assert.equal(code, 0, errors);
      assert.equal((await answer("client_credentials", { CLIENT_ID, CLIENT_SECRET: secret })).scope, "reports");
      await refused("client_credentials", "invalid_client", { CLIENT_ID, CLIENT_SECRET: `${secret}x` });
    });
  }

  it("does what the README types, with every script there is", async () => {
    const readme = await readFile(join(SCRIPTS, "README.md"), "utf8");
    const commands = readme.match(/```sh\n([^]*?)```/)[1];
    for (const name of (await readdir(SCRIPTS)).filter((file) => file.endsWith(".sh")))
      assert.ok(commands.includes(`/${name}`), name);
    const file = "build/demo/8080/curl.env";
    assert.ok(commands.includes(file));
    const typed = commands.replace(file, join(demo.directory, "curl.env"));
    const { code, output, errors } = await run("sh", ["-euxc", typed], { env: { PATH: env.PATH, TMPDIR: directory } });
    assert.equal(code, 0, errors);
    assert.match(output, /"name":"Dana Demo"/);
    assert.ok(
      output.includes(`\n${settings.REDIRECT_URI}\n`) || output.includes(`}${settings.REDIRECT_URI}\n`),
      output,
    );
  });

  it("leaves nothing behind, and no secret was an argument of curl", async () => {
    const tokens = JSON.parse(await signIn());
    const seen = await readFile(join(directory, "arguments"), "utf8");
    assert.ok(seen.includes(settings.ISSUER));
    for (const secret of [settings.CLIENT_SECRET, settings.LOGIN_PASSWORD, tokens.access_token, ...AWKWARD_SECRETS])
      assert.ok(!seen.includes(secret));
    assert.doesNotMatch(seen, /^(code|token|refresh_token|password|csrf|id_token_hint)=/m);
    assert.deepEqual((await readdir(directory)).sort(), ["arguments", "curl"]);
  });
});
