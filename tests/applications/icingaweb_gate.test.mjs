// Icinga Web 2 behind the gate, as Debian ships it: it takes the user from the variable REMOTE_USER. A person uses it
// in a browser.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { PERSON, openBrowser, signIn } from "../browser/browser.mjs";
import { behindApache } from "../servers/gate_fronts.mjs";
import { Person } from "../servers/gate_person.mjs";
import { ROOT } from "../support/deployment.mjs";
import { describeWithPackage } from "../support/installed.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, identity, privateDirectory } from "../support/web_server.mjs";

const FPM = readdirSync("/usr/sbin").find((name) => /^php-fpm\d/.test(name));
const ICINGA = "/usr/share/icingaweb2/public";

const BASIC = `Basic ${btoa("dana:x")}`;

/// The blocks of the section in docs/clients/gate.md, in their order.
const recipe = () => {
  const [, section] = readFileSync(join(ROOT, "docs/clients/gate.md"), "utf8").match(/\n## Icinga Web 2\n([^]*?)\n## /);
  return [...section.matchAll(/```\w+\n([^]*?)```/g)].map(([, text]) => text);
};

describeWithPackage("icingaweb2, php-fpm", FPM ? ICINGA : "", "Icinga Web 2 behind the gate", () => {
  let front;
  let browser;
  let php;
  const at = (path) => front.url + path;
  prepared(async (owned) => {
    const directory = await privateDirectory(temporaryDirectory());
    const [authentication, roles, lines] = recipe();
    const files = {
      "config.ini": `[logging]\nlog = "file"\nlevel = "ERROR"\nfile = "${directory}/icinga.log"\n`,
      "authentication.ini": authentication,
      "roles.ini": roles,
      "fpm.conf": `[global]
error_log = ${directory}/fpm.log
[www]
${process.getuid() === 0 ? `user = ${identity.user}\nlisten.owner = ${identity.user}` : ""}
listen = ${directory}/fpm.sock
pm = static
pm.max_children = 4
env[ICINGAWEB_CONFIGDIR] = ${directory}
php_admin_value[session.save_path] = ${directory}
`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, { mode: 0o644 });
    const fpm = ["--nodaemonize", "--fpm-config", join(directory, "fpm.conf")];
    php = owned(new WebServer(FPM, fpm, { logFiles: [`${directory}/fpm.log`, `${directory}/icinga.log`] }));
    front = owned(await behindApache({ lines: [lines.replace("/run/php/php-fpm.sock", join(directory, "fpm.sock"))] }));
    const { deployment } = front;
    await deployment.postern(["group", "add", "staff"]);
    await deployment.postern(["site", "add", "monitoring", "--url", at("/"), "--allow-group", "staff"]);
    await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    for (const name of ["alice", "bob"]) await deployment.addUser(name, Person.PASSWORD);
    for (const name of [PERSON.username, "alice", "bob"])
      await deployment.postern(["group", "member", "add", "staff", name]);
    browser = owned(await openBrowser());
  });

  async function fresh(use) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en" });
    context.setDefaultTimeout(60_000);
    try {
      await use(await context.newPage());
    } catch (error) {
      throw new Error(`${error.message}\n${php.log}`);
    } finally {
      await context.close();
    }
  }
  /// Whose page it is.
  const nameOn = (html) => html.match(/href="\/account"><i class="user-ball">.<\/i>([^<]*)</)?.[1];

  it("a person arrives under the name that the gate tells, and its own sign-out is the gate's", () =>
    fresh(async (page) => {
      for (const [name, password, mayConfigure] of [
        [PERSON.username, PERSON.password, true],
        ["alice", Person.PASSWORD, false],
      ]) {
        await page.goto(at("/about"));
        await signIn(page, password, name);
        await page.waitForURL(at("/about"));
        assert.equal(nameOn(await page.content()), name);
        assert.equal((await page.goto(at("/config/general"))).status(), mayConfigure ? 200 : 403);
        await page.goto(at("/about"));
        await page
          .locator('a[href="/authentication/logout"]')
          .first()
          .evaluate((link) => link.click());
        await page.waitForURL(at("/.postern/logout"));
        await page.click("#logout");
        await page.waitForURL(at("/.postern/logout?done"));
      }
    }));

  it("and under no other, whatever a browser sends", async () => {
    const agent = await new Person(front.deployment.ca, "alice").signIn(at("/about"));
    assert.deepEqual([agent.page.status, nameOn(agent.page.body)], [200, "alice"]);
    for (const cookie of [agent.cookieHeader, "_chc=1"]) {
      const forged = {
        "remote-user": "dana",
        Remote_User: "dana",
        "redirect-remote-user": "dana",
        authorization: BASIC,
      };
      const answer = await request(at("/about"), { ca: front.deployment.ca, headers: { cookie, ...forged } });
      if (cookie === "_chc=1") assert.equal(answer.status, 401);
      else assert.deepEqual([answer.status, nameOn(answer.body)], [200, "alice"]);
    }
  });

  it("a user for whom the site is not is refused at every address", async () => {
    const agent = await new Person(front.deployment.ca, "bob").signIn(at("/about"));
    await front.deployment.postern(["group", "member", "remove", "staff", "bob"]);
    for (const path of ["/about", "/index.php", "/img/icinga-logo.svg", "/authentication/login"]) {
      const headers = { cookie: agent.cookieHeader };
      assert.equal((await request(at(path), { ca: front.deployment.ca, headers })).status, 403, path);
    }
  });
});
