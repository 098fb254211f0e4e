// Applications that know no OpenID Connect, protected by the site files that are shipped, under each web server. Each
// application answers what it was told.
import assert from "node:assert/strict";
import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Deployment } from "../support/deployment.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { prepared } from "../support/prepared.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";
import { WebServer, freePort, identity, privateDirectory, startApache } from "../support/web_server.mjs";

const PAGE = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
/// What a browser sends to name a user, a site or an address.
const FORGED = {
  "remote-user": "root",
  "Remote-Groups": "admins",
  "remote-subject": "root",
  Remote_User: "root",
  "postern-gate-site": "https://evil.test",
  "x-original-url": "/open",
  "x-forwarded-uri": "/open",
  "x-forwarded-host": "evil.test",
};

const asPage = (url, options) => request(url, { ...options, headers: { ...PAGE, ...options?.headers } });

/// Edits what must be there.
function edit(text, changes) {
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `the shipped file has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/// An application that answers the headers that it is sent.
async function startApplication() {
  const application = http.createServer((asked, answer) => {
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ url: asked.url, headers: asked.headers }));
  });
  await new Promise((ready) => application.listen(0, "127.0.0.1", ready));
  return {
    port: application.address().port,
    stop() {
      application.closeAllConnections();
      application.close();
    },
  };
}

const CONFIG = { paths: { gate: "/gate" } };
const ofProxy = { told: (page) => JSON.parse(page.body).headers, user: (headers) => headers["remote-user"] };

/// nginx with an application behind it.
async function behindNginx() {
  const port = await freePort();
  const application = await startApplication();
  const more = async ({ examples, directory, tls, sockets }) => {
    await copyFile(join(examples, "nginx/postern-gate_params"), join(directory, "postern-gate_params"));
    const shipped = await readFile(join(examples, "nginx/postern-gate-site.conf"), "utf8");
    const site = edit(shipped, [
      ["listen 80;", `listen unix:${join(directory, "80")};`],
      ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
      ["server_name wiki.example.org;", "server_name localhost;"],
      ["https://wiki.example.org", `https://localhost:${port}`],
      ["/etc/letsencrypt/live/wiki.example.org/fullchain.pem", tls.certificate],
      ["/etc/letsencrypt/live/wiki.example.org/privkey.pem", tls.key],
      ["http://127.0.0.1:8000", `http://127.0.0.1:${application.port}`],
      ["/run/postern/", `${sockets}/`],
    ]);
    await writeFile(join(directory, "gate-site.conf"), site);
    return [`include ${join(directory, "gate-site.conf")};`];
  };
  const deployment = await Deployment.start({ front: nginx({ more }), config: CONFIG });
  return {
    ...ofProxy,
    deployment,
    url: `https://localhost:${port}`,
    async stop() {
      await deployment.stop();
      application.stop();
    },
  };
}

/// Apache with an application behind it, whose gate listens at a TCP port, too.
async function behindApache() {
  const [port, gatePort] = [await freePort(), await freePort()];
  const application = await startApplication();
  let place;
  const more = async (site) => {
    place = site;
    return [];
  };
  const deployment = await Deployment.start({ front: nginx({ more }), config: CONFIG });
  const user = process.getuid() === 0 ? ["-u", identity.user, "-g", identity.group] : [];
  const gate = new WebServer(
    "spawn-fcgi",
    ["-n", "-a", "127.0.0.1", "-p", `${gatePort}`, ...user, "--", join(place.cgiBin, "gate")],
    { env: deployment.environment },
  );
  const directory = await privateDirectory(join(deployment.directory, "apache"));
  const shipped = await readFile(join(place.examples, "apache/gate-site.conf"), "utf8");
  await writeFile(
    join(directory, "gate-site.conf"),
    edit(shipped, [
      ["<VirtualHost *:443>", `<VirtualHost 127.0.0.1:${port}>`],
      ["ServerName wiki.example.org", `ServerName https://localhost:${port}`],
      ["https://wiki.example.org", `https://localhost:${port}`],
      ["/etc/letsencrypt/live/wiki.example.org/fullchain.pem", place.tls.certificate],
      ["/etc/letsencrypt/live/wiki.example.org/privkey.pem", place.tls.key],
      ["fcgi://127.0.0.1:9055/", `fcgi://127.0.0.1:${gatePort}/`],
      ["http://127.0.0.1:8000/", `http://127.0.0.1:${application.port}/`],
      ["/run/postern/", `${place.sockets}/`],
    ]),
  );
  const apache = await startApache({
    directory,
    port,
    tls: place.tls,
    modules: ["authz_user", "authnz_fcgi", "proxy", "proxy_http", "proxy_fcgi"],
    lines: [`Include "${join(directory, "gate-site.conf")}"`],
  });
  await apache.untilItAnswers(`https://localhost:${port}/.postern/x`, { ca: deployment.ca, status: 404 });
  return {
    ...ofProxy,
    deployment,
    url: `https://localhost:${port}`,
    async stop() {
      await apache.stop();
      await gate.stop();
      await deployment.stop();
      application.stop();
    },
  };
}

/// lighttpd with a CGI program.
async function behindLighttpd() {
  const lines = ({ directory, port }) => {
    const file = join(directory, "gate-site.conf");
    return [
      `server.modules += ( "mod_cgi" )`,
      `var.gate_site = "https://localhost:${port}"`,
      `var.gate_root = "${join(directory, "wiki")}"`,
      `include "${file}"`,
      `$HTTP["host"] == "localhost" { cgi.assign = ( ".sh" => "/bin/sh" ) }`,
    ];
  };
  const front = async (site) => {
    const shipped = await readFile(join(site.examples, "lighttpd/postern-gate-site.conf"), "utf8");
    const wiki = await privateDirectory(join(site.directory, "wiki"));
    const script = join(wiki, "app.sh");
    await writeFile(script, "printf 'Content-Type: text/plain\\r\\n\\r\\n'; env\n");
    await chmod(script, 0o755);
    await writeFile(
      join(site.directory, "gate-site.conf"),
      edit(shipped, [
        ['"wiki.example.org"', '"localhost"'],
        ['"https://wiki.example.org"', "var.gate_site"],
        ['"/var/www/wiki"', "var.gate_root"],
      ]),
    );
    return lighttpd("fastcgi", lines)(site);
  };
  const deployment = await Deployment.start({ front, config: CONFIG });
  return {
    deployment,
    url: `https://localhost:${deployment.port}`,
    told: (page) =>
      Object.fromEntries(page.body.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)])),
    user: (variables) => variables.REMOTE_USER,
    page: "/app.sh",
    stop: () => deployment.stop(),
  };
}

function protects(name, start) {
  describe(`a site behind ${name}`, () => {
    let front;
    let agent; // of alice, for the site
    const page = () => front.page ?? "/a/b";
    const ask = (path, options) => asPage(front.url + path, { ca: front.deployment.ca, ...options });
    prepared(async (owned) => {
      front = owned(await start());
      await front.deployment.addUser("alice", "correct horse battery staple", {
        name: "Alice",
        email: "a@example.org",
      });
      await front.deployment.postern(["group", "add", "staff"]);
      await front.deployment.postern(["group", "member", "add", "staff", "alice"]);
      await front.deployment.postern(["site", "add", "wiki", "--url", `${front.url}/`]);
      const send = (url, options) => asPage(url, options);
      agent = new UserAgent({ ca: front.deployment.ca, send });
    });

    it("a first visit is led to the sign-in, and comes back to where it wanted to be [GATE-15, GATE-22]", async () => {
      const led = await agent.visit(`${front.url}${page()}?c=d`);
      assert.equal(led.status, 302);
      assert.equal(led.location.href.split("?")[0], `${front.deployment.issuer}/authorize`);
      const browser = new UserAgent({ ca: front.deployment.ca });
      const answered = await browser.signIn(
        await browser.visit(led.location.href),
        "alice",
        "correct horse battery staple",
      );
      assert.equal(answered.location.href.split("?")[0], `${front.url}/.postern/callback`);
      const back = await agent.visit(answered.location.href);
      assert.equal(back.url, `${front.url}${page()}?c=d`);
      assert.equal(back.status, 200);
      assert.equal(front.user(front.told(back)), "alice");
    });

    it("what a browser sends as a user, a site or an address counts for nothing [GATE-10, GATE-30]", async () => {
      const told = await ask(page(), { headers: { ...FORGED, cookie: agent.cookieHeader } });
      assert.equal(told.status, 200);
      assert.equal(front.user(front.told(told)), "alice");
      const stranger = await ask(page(), { headers: FORGED });
      assert.equal(stranger.status, 302);
      const script = await request(front.url + page(), { ca: front.deployment.ca, headers: FORGED });
      assert.equal(script.status, 401);
      assert.equal(script.headers["www-authenticate"], undefined);
    });

    it("methods and bodies arrive, and the check reads none [GATE-18]", async () => {
      for (const method of ["POST", "PUT"]) {
        const body = "x".repeat(30_000);
        const headers = { cookie: agent.cookieHeader, "content-length": body.length };
        assert.equal((await ask(page(), { method, headers, body })).status, 200, method);
        assert.equal((await ask(page(), { method, headers: { "content-length": body.length }, body })).status, 401);
      }
    });

    it("cookies that are forged, cut or of a former session do not pass [GATE-13, GATE-20]", async () => {
      const name = agent.cookieNames.find((each) => /gate-[0-9a-f]+$/.test(each));
      assert.ok(name.startsWith("__Host-postern-gate-"), name);
      const value = agent.cookieHeader.match(new RegExp(`${name}=([^;]*)`))[1];
      for (const bad of [value.slice(1), `${value}A`, "x"]) {
        const led = await ask(page(), { headers: { cookie: `${name}=${bad}` } });
        assert.equal(led.status, 302);
      }
      assert.equal((await ask(page(), { headers: { cookie: `${name}=x; ${name}=${value}` } })).status, 200);
    });

    it("a user for whom the site is not reads so [GATE-16]", async () => {
      await front.deployment.postern(["group", "add", "others"]);
      await front.deployment.postern(["site", "set", "wiki", "--allow-group", "others"]);
      const refused = await ask(page(), { headers: { cookie: agent.cookieHeader } });
      assert.equal(refused.status, 403);
      assert.match(refused.body, /alice/);
      await front.deployment.postern(["site", "set", "wiki", "--allow-everyone"]);
      assert.equal((await ask(page(), { headers: { cookie: agent.cookieHeader } })).status, 200);
    });

    it("addresses of the gate are its own, and no other reaches the application below them [GATE-25, GATE-26]", async () => {
      const who = await ask("/.postern/whoami", { headers: { cookie: agent.cookieHeader } });
      assert.equal(JSON.parse(who.body).user, "alice");
      assert.equal((await ask("/.postern/x", { headers: { cookie: agent.cookieHeader } })).status, 404);
      assert.equal((await ask("/.postern/callback")).status, 400);
    });

    it("a session that ends passes no more, in the same moment [GATE-13]", async () => {
      await front.deployment.postern(["session", "end", "--user", "alice"]);
      assert.equal((await ask(page(), { headers: { cookie: agent.cookieHeader } })).status, 302);
    });
  });
}

protects("nginx", behindNginx);
protects("Apache", behindApache);
protects("lighttpd", behindLighttpd);

describe("nested sites behind nginx", () => {
  let front;
  const ask = (path) => request(front.url + path, { ca: front.deployment.ca, headers: PAGE });
  prepared(async (owned) => {
    front = owned(await behindNginx());
    await front.deployment.postern(["site", "add", "one", "--url", `${front.url}/one/`]);
    await front.deployment.postern(["site", "add", "two", "--url", `${front.url}/two/`]);
  });

  it("a path that can be read as another site's is refused [GATE-11]", async () => {
    assert.equal((await ask("/one/a")).status, 302);
    for (const path of ["/one/..%2ftwo/s", "//two/s", "/%74wo/s", "/one/%2e%2e/two/s", "/three/"])
      assert.equal((await ask(path)).status, 403, path);
  });
});
