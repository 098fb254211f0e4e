// oidc-agent, as Debian ships it: keeps somebody's refresh token and gives access tokens to programs on the command
// line.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";
import { AWKWARD_SECRETS, PERSON, addClientWithSecret, openProvider, walk } from "./provider.mjs";

// Nobody listens there: its own listener would be on all addresses of this machine. The address that the browser was
// sent to is given to the command instead, as on a machine without a browser.
const REDIRECT_URI = "http://localhost:4242";
const START_TIMEOUT_MS = 60_000;

/// A person's home directory with an agent that runs in it.
class Home {
  static async make() {
    const home = new Home();
    home.directory = await mkdtemp(join(tmpdir(), "pt-"));
    home.env = {
      PATH: process.env.PATH,
      HOME: home.directory,
      OIDC_CONFIG_DIR: home.directory,
      OIDC_ENCRYPTION_PW: "of this test",
    };
    return home;
  }

  async startAgent() {
    // It puts random characters in, and makes that directory with mode 0700.
    this.agent = spawn(
      "oidc-agent",
      ["--console", "--no-autoload", "--no-autoreauthenticate", "-a", join(this.directory, "a-XXXXXX/s")],
      {
        env: this.env,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let said = "";
    for (const stream of [this.agent.stdout, this.agent.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
    this.ended = new Promise((done) => this.agent.once("close", done).once("error", done));
    for (const end = Date.now() + START_TIMEOUT_MS; ; ) {
      const made = (await readdir(this.directory)).find((name) => name.startsWith("a-"));
      if (made && existsSync(join(this.directory, made, "s"))) {
        this.env.OIDC_SOCK = join(this.directory, made, "s");
        return;
      }
      if (this.agent.exitCode !== null || Date.now() > end) throw new Error(`oidc-agent did not start\n${said}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  /// Ends the agent and its child, which hold the pipes together.
  async stopAgent() {
    if (this.agent?.exitCode === null && this.agent.signalCode === null) this.agent.kill("SIGTERM");
    await this.ended;
    for (const name of await readdir(this.directory))
      if (name.startsWith("a-")) await rm(join(this.directory, name), { recursive: true });
  }

  async run(command, ...args) {
    const running = run(command, args, { env: this.env, timeout: 60_000 });
    running.child.stdin.end();
    const { stdout, stderr } = await running;
    return `${stdout}${stderr}`.trim();
  }

  async remove() {
    await this.stopAgent();
    await rm(this.directory, { recursive: true, force: true });
  }
}

describe("oidc-agent", () => {
  let provider;
  let home;
  prepared(async (owned) => {
    provider = owned(await openProvider());
    home = await Home.make();
    owned({ stop: () => home.remove() });
    await home.startAgent();
  });

  const userinfo = async (token) => {
    const { issuer, ca } = provider.deployment;
    const { status, body } = await request(`${issuer}/userinfo`, { ca, headers: { authorization: `Bearer ${token}` } });
    return { status, ...(status === 200 && JSON.parse(body)) };
  };

  /// oidc-gen up to the address that it wants a browser to open.
  async function generate(name, registered) {
    const { issuer, caFile } = provider.deployment;
    const file = join(home.directory, `${name}.json`);
    await writeFile(file, JSON.stringify({ ...registered, redirect_uris: [REDIRECT_URI] }), { mode: 0o600 });
    // An empty secret is how it is told that there is none; others are in the file, not among the arguments.
    const none = registered.client_secret === undefined ? ["--client-secret="] : [];
    const alone = "--flow=code --no-webserver --no-url-call --pw-env --prompt=none --confirm-yes".split(" ");
    const at = [`--iss=${issuer}`, "--scope=openid profile", `--cp=${caFile}`];
    const said = await home.run("oidc-gen", "-f", file, ...none, ...at, ...alone, name);
    const url = said.match(/https:\S+/)?.[0];
    assert.ok(url, said);
    return url;
  }

  /// Where somebody's browser is sent from there.
  async function sentTo(url) {
    const { location, title } = await walk(new UserAgent({ ca: provider.deployment.ca }), url);
    assert.ok(location, `sent back to the agent, not left on "${title}"`);
    return location;
  }

  const exchange = (location) =>
    home.run("oidc-gen", `--codeExchange=${location.href}`, "--pw-env", "--prompt=none", "--confirm-yes");

  it("is the one that Debian ships", async (context) => {
    const version = await home.run("oidc-gen", "--version");
    context.diagnostic(version);
    assert.match(version, /^oidc-gen 4\./);
  });

  for (const [name, address, ...options] of [
    ["public", "http://localhost", "--public", "--native"],
    ["confidential", REDIRECT_URI],
  ]) {
    describe(`${name} client on ${REDIRECT_URI}, registered as ${address}`, () => {
      let url;

      it("is set up by the authorization code flow with PKCE", async () => {
        const registered = await provider.deployment.addClient(name, address, ...options);
        url = new URL(await generate(name, registered));
        assert.equal(url.searchParams.get("code_challenge_method"), "S256");
        assert.equal(url.searchParams.get("prompt"), "consent");
        assert.match(url.searchParams.get("scope"), /\boffline_access\b/); // which a client needs no registration for
        assert.match(await exchange(await sentTo(url.href)), /success/);
      });

      it("gives tokens that UserInfo takes, the same one while it lasts and a new one when it is too old", async () => {
        const first = await home.run("oidc-token", name);
        const { status, sub, name: called } = await userinfo(first);
        assert.deepEqual([status, sub, called], [200, provider.sub, PERSON.claims.name]);
        assert.equal(await home.run("oidc-token", name), first);
        const second = await home.run("oidc-token", "--time=901", name); // ours last for 900 seconds
        assert.notEqual(second, first);
        assert.equal((await userinfo(second)).sub, provider.sub);
        const third = await home.run("oidc-token", "--force-new", name);
        assert.notEqual(third, second);
        assert.equal((await userinfo(third)).sub, provider.sub);
      });

      it("keeps the newest refresh token for the next agent", async () => {
        await home.stopAgent();
        await home.startAgent();
        await home.run("oidc-add", "--pw-env", name);
        assert.equal((await userinfo(await home.run("oidc-token", name))).sub, provider.sub);
      });

      it("gives nothing more when the grant was ended", async () => {
        await provider.deployment.postern(["token", "revoke", "--client", name]);
        await assert.rejects(home.run("oidc-token", "--force-new", name), (error) =>
          /invalid_grant|refresh token/i.test(error.stderr),
        );
      });
    });
  }

  for (const [which, secret] of AWKWARD_SECRETS.entries()) {
    it(`the secret ${secret} works, and nothing else does`, async () => {
      const id = `awkward-${which}`;
      const registered = await addClientWithSecret(provider.deployment, id, secret, REDIRECT_URI);
      assert.match(
        await exchange(await sentTo(await generate(id, { ...registered, client_secret: secret }))),
        /success/,
      );
      assert.equal((await userinfo(await home.run("oidc-token", id))).sub, provider.sub);
      const wrong = await sentTo(await generate(`${id}-wrong`, { ...registered, client_secret: `${secret}x` }));
      await assert.rejects(exchange(wrong), (error) => /invalid_client/.test(error.stderr));
    });
  }
});
