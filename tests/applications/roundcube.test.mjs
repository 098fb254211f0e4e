// Roundcube 1.6, as Debian 12 ships it, in front of Dovecot (mail_server.mjs): it signs the user in, and shows the
// access token to the mail server.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { describeWithPackage } from "../support/installed.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";
import { MailServer } from "./mail_server.mjs";

const ROUNDCUBE = "/var/lib/roundcube";

/// As docs/clients/roundcube.md has it, and what Debian's configuration asks for at installation.
const configuration = ({ issuer }, directory, mailPort) => `<?php
$config['oauth_provider'] = 'generic';
$config['oauth_provider_name'] = 'Postern';
$config['oauth_client_id'] = 'roundcube';
$config['oauth_client_secret'] = '${SECRET}';
$config['oauth_auth_uri'] = '${issuer}/authorize';
$config['oauth_token_uri'] = '${issuer}/token';
$config['oauth_identity_uri'] = '${issuer}/userinfo';
$config['oauth_scope'] = 'openid profile mail offline_access';
$config['oauth_identity_fields'] = ['preferred_username'];
$config['imap_host'] = 'ssl://127.0.0.1:${mailPort}';
$config['db_dsnw'] = 'sqlite:///${directory}/roundcube.db?mode=0600';
$config['log_driver'] = 'file';
$config['log_dir'] = '${directory}';
$config['temp_dir'] = '${directory}';
$config['des_key'] = 'twenty-four-characters-x';
$config['plugins'] = [];
`;

describeWithPackage("roundcube-core", ROUNDCUBE, "Roundcube", () => {
  let provider;
  let mail;
  let origin;
  let directory;
  let log;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: 3, scopeDescriptions: { mail: "Read your mail" } }));
    const { deployment } = provider;
    await deployment.postern(["group", "add", "members"]);
    origin = `http://127.0.0.1:${await freePort()}`;
    const scope = ["--scope", "openid profile mail offline_access"];
    await addClientWithSecret(deployment, "roundcube", SECRET, `${origin}/index.php/login/oauth`, ...scope);
    const itself = ["--grant", "client_credentials", "--scope", ""];
    const { client_secret: secret } = await deployment.postern(["client", "add", "imap", ...itself]);
    mail = owned(await MailServer.start(deployment, secret));
    directory = temporaryDirectory();
    await mkdir(join(directory, "config"));
    const settings = await readFile("/etc/roundcube/defaults.inc.php", "utf8");
    await writeFile(join(directory, "config/defaults.inc.php"), settings);
    await writeFile(join(directory, "config/config.inc.php"), configuration(deployment, directory, mail.port));
    await writeFile(join(directory, "ca.pem"), `${deployment.ca}\n${mail.ca}`);
    const { host } = new URL(origin);
    const server = new WebServer(
      "php",
      ["-d", `openssl.cafile=${join(directory, "ca.pem")}`, "-S", host, "-t", `${ROUNDCUBE}/public_html`],
      {
        env: { ROUNDCUBE_CONFIG_DIR: join(directory, "config") },
        logFiles: [join(directory, "errors.log")],
      },
    );
    await owned(server).untilItAnswers(`${origin}/`, { status: 200 });
    log = () => server.log.slice(-3000);
  });

  const newPerson = () => new Person(provider.deployment.ca);
  const signIn = (person, options) => person.signIn(`${origin}/index.php/login/oauth`, options);

  /// As whom the mail server let it in, each time so far.
  const logins = () => [...mail.log.matchAll(/Login: user=<([^>]*)>, method=XOAUTH2/g)].map(([, user]) => user);
  function inbox(page) {
    assert.deepEqual([page.status, page.title], [200, "Roundcube Webmail :: Inbox"], `${page.url}\n${log()}`);
    return page.body;
  }
  const mailbox = (person) => person.open(`${origin}/?_task=mail`);

  it("a user who denies consent, or may not use the client, is not signed in", async () => {
    const person = newPerson();
    const denied = await signIn(person, { decision: "deny" });
    assert.match(denied.title, /Welcome to Roundcube/);
    await provider.deployment.postern(["client", "set", "roundcube", "--allow-group", "members"]);
    const page = await signIn(newPerson());
    assert.deepEqual([new URL(page.url).origin, page.status], [provider.deployment.origin, 403]);
    await provider.deployment.postern(["client", "set", "roundcube", "--allow-everyone"]);
  });

  it("signs a user in, and opens the mailbox with the access token", async () => {
    const person = newPerson();
    const { searchParams: asked } = (await person.visit(`${origin}/index.php/login/oauth`)).location;
    assert.equal(asked.get("code_challenge"), null, "without PKCE");
    inbox(await signIn(person));
    assert.equal(logins().at(-1), PERSON.username);
  });

  it("refreshes, and stores the rotated refresh token", async () => {
    const person = newPerson();
    inbox(await signIn(person));
    for (let round = 0; round < 2; ++round) {
      const before = logins().length;
      await new Promise((done) => setTimeout(done, 5000));
      inbox(await mailbox(person));
      assert.ok(logins().length > before, "another connection, with another token");
    }
  });

  it("signs out of Roundcube alone", async () => {
    const person = newPerson();
    const body = inbox(await signIn(person));
    const [, token] = body.match(/"request_token":"([^"]+)"/);
    await person.open(`${origin}/?_task=logout&_token=${token}`);
    assert.match((await mailbox(person)).title, /Welcome to Roundcube/);
    inbox(await person.open(`${origin}/index.php/login/oauth`)); // without the password
  });

  // The last one: Dovecot lets an address wait that has just failed, until tokens of this test have expired.
  it("ends the session of a user who was disabled, when it refreshes", async () => {
    const person = newPerson();
    inbox(await signIn(person));
    await provider.deployment.postern(["user", "disable", PERSON.username]);
    await new Promise((done) => setTimeout(done, 5000));
    const before = logins().length;
    await mailbox(person); // an empty one
    assert.equal(logins().length, before, "the mail server refuses");
    assert.match((await mailbox(person)).title, /Welcome to Roundcube/);
  });
});
