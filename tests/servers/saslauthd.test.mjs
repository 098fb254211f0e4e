// Debian's saslauthd, with a real directory behind it, knows the passwords of people who sign in on our own page.
import assert from "node:assert/strict";
import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { missingHere } from "../security/sandbox.mjs";
import { Deployment } from "../support/deployment.mjs";
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { secrets } from "../support/secrets.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { WebServer } from "../support/web_server.mjs";
import { Directory } from "./directory.mjs";

const PASSWORD = "analytical engine";
const START_TIMEOUT_MS = 60_000;
const missing = await missingHere();

async function start(directory, place) {
  const { host, pathname } = new URL(directory.people.replace("ldap:", "http:"));
  const lines = [
    `ldap_servers: ldap://${host}/`,
    `ldap_search_base: ${decodeURIComponent(pathname.slice(1))}`,
    "ldap_filter: (uid=%u)",
    "",
  ];
  const file = join(place, "saslauthd.conf");
  await writeFile(file, lines.join("\n"));
  // With -d it stays in the foreground, and -n 1 makes it one process. When it ends it ends its process group, which
  // would be that of this test.
  const options = ["-d", "-n", "1", "-a", "ldap", "-O", file, "-m", place];
  const server = new WebServer("setsid", ["saslauthd", ...options]);
  const socket = join(place, "mux");
  for (const end = Date.now() + START_TIMEOUT_MS; !(await stat(socket).catch(() => null)); ) {
    if (Date.now() > end) throw new Error(`saslauthd does not listen: ${server.log}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  return { server, socket };
}

for (const [mode, front] of [
  ["FastCGI", lighttpd.fastcgi],
  ["CGI", lighttpd.cgi],
]) {
  describe(`passwords of a directory by saslauthd, ${mode}`, () => {
    let directory, place, daemon, deployment;
    prepared(async (owned) => {
      secrets.remember("password", PASSWORD);
      directory = owned(await Directory.start());
      await directory.add("ada", PASSWORD, { cn: "Ada", sn: "L" });
      await directory.add("bob", "builder of things", { cn: "Bob", sn: "B" });
      place = temporaryDirectory();
      await chmod(place, 0o755);
      daemon = await start(directory, place);
      owned({ stop: () => daemon.server.stop() });
      deployment = owned(
        await Deployment.start({
          front,
          config: {
            sandbox: missing ? "auto" : "require",
            login: { method: "saslauthd", saslauthd: { socket: daemon.socket }, autoCreate: true },
          },
        }),
      );
    });
    const signIn = async (username, password) => {
      const agent = new UserAgent({ ca: deployment.ca });
      return agent.signIn(await agent.visit(`${deployment.issuer}/account`), username, password);
    };
    const names = async () => (await deployment.postern(["user", "list"])).map(({ username }) => username);

    it("doctor finds it, and it refuses a made-up name [SOURCE-5]", async () => {
      const findings = await deployment.postern(["doctor"]).catch(({ stdout }) => JSON.parse(stdout));
      const [finding, ...more] = findings.filter(({ check }) => check === "saslauthd");
      assert.deepEqual([finding.state, more], ["ok", []], finding.detail);
    });

    it("the directory's name and password sign in, inside the sandbox [SOURCE-1, SOURCE-3]", async () => {
      const page = await signIn("ada", PASSWORD);
      assert.equal(page.title, "Your account", deployment.log);
      assert.match(page.body, /kept by your organisation/);
      assert.deepEqual(await names(), ["ada"]);
    });

    it("a wrong password and a name that nobody has show the form again [SOURCE-2]", async () => {
      for (const [name, password] of [
        ["ada", "wrong"],
        ["ada", "builder of things"],
        ["eve", PASSWORD],
        ["*", PASSWORD],
        ["ada)(uid=*", PASSWORD],
      ]) {
        const page = await signIn(name, password);
        assert.match(page.body, /do not match/, name);
      }
      assert.deepEqual(await names(), ["ada"]);
    });

    it("without it the page is 503, and with it all is as before", async () => {
      await daemon.server.stop();
      assert.equal((await signIn("ada", PASSWORD)).status, 503);
      while (!/"event":"saslauthd_failed"/.test(deployment.log)) await new Promise((done) => setTimeout(done, 50));
      await rm(daemon.socket, { force: true });
      daemon = await start(directory, place);
      assert.equal((await signIn("ada", PASSWORD)).title, "Your account");
    });
  });
}
