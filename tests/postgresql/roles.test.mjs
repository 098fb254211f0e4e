// Each program under its own role: what `postern init` grants is enough for every flow, each right is needed by one,
// and nothing else is allowed.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { standInForSendmail } from "../browser/sendmail.mjs";
import { challengeOf, openProvider } from "../security/provider.mjs";
import { Authenticator } from "../support/authenticator.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { assertion, newKey, proof } from "../support/signer.mjs";
import { totp } from "../support/totp.mjs";
import { Proxy } from "./proxy.mjs";
import { PostgreSQL } from "./server.mjs";

const SCOPE = "openid profile offline_access";
const GROUPS = `${SCOPE} groups`;
const NOTES = "https://notes.example/"; // a resource
const OUT = "https://app.example/out";
const PAGE = "https://spa.example"; // whose scripts may read the answers
const TOOL = "tool"; // a client of devices
const WIKI = "https://wiki.example"; // a site behind the gate
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const manual = readFileSync(join(ROOT, "docs/OPERATIONS.md"), "utf8");
const RECORD = join(ROOT, "docs/decisions/0053-roles.md");

/// Of grants-postgresql.sql: what an operator adds for some options, as [what the comment above says, statement].
const optional = (() => {
  let words = "";
  const rows = [];
  for (const line of readFileSync(join(ROOT, "grants-postgresql.sql"), "utf8").split("\n")) {
    const [, grant] = line.match(/^-- {5}(GRANT .*;)$/) ?? [];
    if (grant) rows.push([words, grant]);
    else words = line;
  }
  return rows;
})();

/// The rights of the programs' roles, each [privilege, object]: columns, tables, the schema, the database.
const RIGHTS = `
  WITH acl (kind, object, columns, list) AS (
    SELECT 'TABLE', 'postern.' || relname, '', relacl FROM pg_class WHERE relnamespace = 'postern'::regnamespace
    UNION ALL
    SELECT 'TABLE', 'postern.' || relname, ' (' || attname || ')', attacl
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'postern'::regnamespace
    UNION ALL SELECT 'SCHEMA', nspname, '', nspacl FROM pg_namespace WHERE nspname = 'postern'
    UNION ALL SELECT 'DATABASE', datname, '', datacl FROM pg_database WHERE datname = current_database())
  SELECT privilege_type || columns, kind || ' ' || object
  FROM acl, aclexplode(list) JOIN pg_roles ON pg_roles.oid = grantee WHERE rolname = `;

/// Each table with its columns.
const TABLES = `
  SELECT table_name, string_agg(column_name, ' ' ORDER BY ordinal_position)
  FROM information_schema.columns WHERE table_schema = 'postern' GROUP BY 1 ORDER BY 1`;

/// { role: { table: what the cell says } }
const record = (() => {
  const [[, ...tables], , ...rows] = readFileSync(RECORD, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return Object.fromEntries(
    rows.map(([role, ...cells]) => [role, Object.fromEntries(cells.map((cell, at) => [tables[at], cell]))]),
  );
})();

/// Whether the record lets the role do it: the privilege is there, and where it names columns, this one among them.
function isRecorded(role, { privilege, table, column }) {
  if (table === "schema_version") return privilege === "SELECT";
  if (["key_files", "key_nodes"].includes(table)) return false; // the command's alone
  const found = record[role][table].match(new RegExp(`${privilege[0]}(?:\\(([^)]*)\\))?(?: |$)`));
  return found !== null && (!found[1] || found[1].split(", ").includes(column));
}

/// What the server writes when a right on `object` is missing. A schema that may not be used is not searched.
function refusalOf(object) {
  const [kind, name] = object.split(" ");
  if (kind === "SCHEMA") return 'relation "schema_version" does not exist';
  return kind === "TABLE" ? `permission denied for table ${name.split(".")[1]}` : "permission denied for database";
}

/// A statement for each right on the table, which changes nothing.
const triesOf = (table, columns) => [
  ...columns.map((column) => ({
    table,
    privilege: "SELECT",
    column,
    statement: `SELECT ${column} FROM ${table} WHERE false`,
  })),
  ...columns.map((column) => ({
    table,
    privilege: "INSERT",
    column,
    statement: `INSERT INTO ${table} (${column}) VALUES (DEFAULT)`, // and NULLs, where they are refused
  })),
  ...columns.map((column) => ({
    table,
    privilege: "UPDATE",
    column,
    statement: `UPDATE ${table} SET ${column} = DEFAULT WHERE false`,
  })),
  { table, privilege: "DELETE", statement: `DELETE FROM ${table} WHERE false` },
];

/// What no role may do, whatever its rights on tables.
const REFUSED = [
  "CREATE TABLE t ()",
  "CREATE TABLE public.t ()",
  "CREATE TEMPORARY TABLE t ()",
  "CREATE SCHEMA s",
  "CREATE DATABASE d",
  "SET ROLE postern_owner",
  "TRUNCATE sessions",
  "ALTER TABLE users DISABLE TRIGGER ALL",
  "CREATE ROLE r",
  "ALTER ROLE postern_owner LOGIN",
  "ALTER ROLE CURRENT_USER VALID UNTIL 'infinity'",
  "GRANT postern_owner TO CURRENT_USER",
  "SELECT pg_read_file('PG_VERSION')",
  "COPY (SELECT 1) TO PROGRAM 'true'",
  // without bound
  "SELECT lo_creat(-1)",
  "SELECT lo_create(0)",
  "SELECT lo_from_bytea(0, 'x')",
  "SELECT lo_open(1, 131072)",
  "SELECT lo_put(1, 0, 'x')",
  "SELECT lowrite(0, 'x')",
  "SELECT pg_advisory_lock(1)",
  "SELECT pg_advisory_lock_shared(1, 1)",
  "SELECT pg_advisory_xact_lock(1)",
  "SELECT pg_try_advisory_lock(1)",
  "SELECT pg_try_advisory_xact_lock_shared(1, 1)",
  "SELECT pg_logical_emit_message(false, 'x', CAST('x' AS bytea))",
  "SELECT pg_export_snapshot()",
  "SET temp_file_limit = -1",
  "ALTER ROLE CURRENT_USER SET temp_file_limit = -1",
];

/// Nor one whose program commits nothing.
const REFUSED_TO_READERS = ["SELECT pg_logical_emit_message(false, 'x', CAST('x' AS text))"];
const READERS = ["introspect", "userinfo"];

const is = (status, answer) => {
  assert.equal(answer.status, status, `${answer.status} ${answer.body ?? ""}`);
  return answer;
};

/// What the program that fetches answers for a JSON document: fields, each behind its length.
function fetched(document) {
  const fields = ["", "200", "application/json", "", "", "", "", JSON.stringify(document)].map((text) =>
    Buffer.from(text),
  );
  return Buffer.concat(fields.flatMap((field) => [Buffer.from([0, 0, field.length >> 8, field.length & 255]), field]));
}

describe("a role for each program", () => {
  const directory = temporaryDirectory();
  let server;
  let proxy;
  let superuser;
  let p;
  let person; // who is signed in
  const phone = { username: "phone", password: "another quiet gate" }; // whose app has the key `phone.key`
  const lost = { username: "lost", password: "four words in a row" }; // who gets a link
  const strict = { username: "strict", password: "another quiet gate" }; // who must have an app
  const fob = { username: "fob", password: "another quiet gate", key: new Authenticator() }; // who has a passkey
  const nomad = { username: "nomad", password: "another quiet gate" }; // whose passkeys come and go

  prepared(async (owned) => {
    chmodSync(directory, 0o755);
    server = owned(await PostgreSQL.start({ log_statement: "none", fsync: "on", full_page_writes: "on" }));
    proxy = owned(await Proxy.start(directory, server.directory));
    const database = server.addDatabase("postern");
    ({ superuser } = database);
    const uri = database.uri.replace(server.directory, directory);
    const responseTypes = ["code", "token", "id_token", "code id_token token"];
    const paths = { deviceAuthorization: "/device_authorization", device: "/device", gate: "/gate" };
    const gate = { proxies: ["127.0.0.1"] };
    const config = { database: uri, responseTypes, login: { maxFailures: 100 }, paths, gate };
    p = owned(await openProvider({ config, host: "localhost" })); // a passkey is for a host with a name
    await p.deployment.postern(["client", "set", "web", "--post-logout-redirect-uri", OUT, "--scope", `${GROUPS} api`]);
    await p.deployment.postern(["client", "set", "spa", "--grant", "implicit", "--grant", "authorization_code"]);
    const grants = ["authorization_code", "refresh_token", "implicit"].flatMap((grant) => ["--grant", grant]);
    const types = ["code", "id_token"].flatMap((type) => ["--response-type", type]);
    await p.deployment.postern(["client", "set", "web", ...grants, ...types]);
    for (const group of ["staff", "guests"]) await p.deployment.postern(["group", "add", group]);
    await p.deployment.postern(["group", "member", "add", "staff", p.user.username]);
    await p.deployment.postern(["client", "set", "web", "--allow-group", "staff"]);
    await p.deployment.postern(["client", "set", "other", "--allow-group", "guests"]); // nobody is one
    await p.deployment.postern(["client", "claim", "add", "web", "roles=groups"]);
    await p.deployment.postern(["resource", "add", NOTES]);
    const tool = [
      "client",
      "add",
      TOOL,
      "--grant",
      "device_code",
      "--scope",
      "openid api groups",
      "--allow-group",
      "staff",
    ];
    p.clients.tool = { id: TOOL, secret: (await p.deployment.postern(tool)).client_secret };
    await p.deployment.postern(["client", "claim", "add", TOOL, "roles=groups"]);
    await p.deployment.postern([
      ...["site", "add", "wiki", "--url", `${WIKI}/`, "--bearer", "--allow-group", "staff", "--groups", "own"],
    ]);
    await p.deployment.postern(["client", "claim", "add", "wiki", "roles=groups"]);
    for (const { username, password } of [phone, strict, fob, nomad, lost])
      await p.deployment.addUser(username, password);
    await p.deployment.postern(["user", "set", strict.username, "--second-factor", "required"]);
    person = p.person();
    await p.code(p.clients.web, { scope: SCOPE }, person);
    await turnOn(await openApp(phone), phone);
    await addPasskey(await openAccount(fob), fob.key);
  });

  const rightsOf = (role, database = superuser) =>
    server
      .sql(`${RIGHTS}'${role}'`, database)
      .split("\n")
      .map((line) => line.split("|"));

  /// With the answer to the COMMIT lost, where the program looks for what it has written.
  async function commitLost(act) {
    proxy.plan("COMMIT", "unanswered");
    await act();
    assert.equal(proxy.commits, 1);
    proxy.plan(Infinity, "unanswered");
  }

  const code = (parameters = {}) => p.code(p.clients.web, { scope: SCOPE, ...parameters }, person);
  const approved = () => code({ prompt: "consent", resource: NOTES });
  const tokens = () => p.tokens(p.clients.web, { scope: SCOPE }, person);

  /// The page that sets an app up, of the user in a browser of its own.
  async function openApp(user, browser = p.person()) {
    await p.walk(browser, `${p.issuer}/account/app?another=yes`, { user });
    return { browser, page: is(200, await browser.visit(`${p.issuer}/account/app?another=yes`)) };
  }
  const codesIn = (body) => [...body.matchAll(/<code[^>]*>([A-Z0-9 ]+)<\/code>/g)].map(([, text]) => text);
  /// Turns the app of that page on, and keeps the key and the recovery codes of the user.
  async function turnOn({ browser, page }, user) {
    [user.key] = codesIn(page.body);
    const done = is(200, await browser.submit(page, "turn-on", { code: totp(user.key, p.deployment.now()) }));
    const codes = codesIn(done.body);
    if (codes.length === 10) user.codes = codes;
    return done;
  }
  /// Codes count again.
  const forgetCodes = () =>
    server.sql(
      "UPDATE postern.totp_secrets SET last_step = 0; UPDATE postern.recovery_codes SET used_at = NULL",
      superuser,
    );
  /// Both halves of a login, with the code that `codeOf` gives.
  async function signInWithCode(codeOf) {
    forgetCodes();
    const browser = p.person();
    const url = p.authorizationUrl(p.clients.trusted);
    const half = is(200, await p.walk(browser, url, { user: phone }));
    const again = is(200, await browser.submit(half, "verify", { code: "0000 0000 0000 0000" }));
    const done = await browser.submit(again, "verify", { code: codeOf() });
    assert.ok(done.location?.searchParams.get("code"));
  }

  /// A browser of the user on the account's pages.
  async function openAccount(user) {
    const browser = p.person();
    is(200, await p.walk(browser, `${p.issuer}/account`, { user }));
    return browser;
  }
  const passkeysPage = (query = "") => `${p.issuer}/account/passkeys${query}`;
  async function addPasskey(browser, key) {
    const page = is(200, await browser.visit(passkeysPage("?add=yes")));
    const added = is(200, await browser.submit(page, "add-passkey", key.register(page)));
    assert.match(added.body, /Your passkey is added/);
  }
  /// The user has none, whatever a flow that was refused has left.
  const forgetFactors = ({ username }) =>
    server.sql(
      ["totp_secrets", "recovery_codes", "passkeys"]
        .map(
          (table) => `DELETE FROM postern.${table} t USING postern.users u
            WHERE t.subject = u.subject AND u.username = '${username}';`,
        )
        .join(""),
      superuser,
    );
  /// A passkey is as new, and its address has not failed.
  function forgetUses({ key }) {
    key.counter = 0;
    server.sql(
      `UPDATE postern.passkeys SET sign_count = 0, suspended_at = NULL;
       DELETE FROM postern.login_attempts`,
      superuser,
    );
  }
  /// To where a login leads in which the passkey is all, or comes behind the password.
  async function giveKey({ behindPassword = false } = {}) {
    const browser = p.person();
    let page = is(200, await browser.visit(p.authorizationUrl(p.clients.trusted)));
    if (behindPassword) page = is(200, await browser.signIn(page, fob.username, fob.password));
    return browser.submit(page, "use-passkey", fob.key.use(page));
  }
  async function signInWithKey(how) {
    assert.ok((await giveKey(how)).location?.searchParams.get("code"));
  }

  const askForDevice = (parameters = {}) => p.post("/device_authorization", parameters, { client: p.clients.tool });
  const poll = ({ device_code }) =>
    p.post("/token", { grant_type: DEVICE_GRANT, device_code }, { client: p.clients.tool });
  /// The answer of the user to a device that has asked, in a browser of its own.
  async function answerDevice(device, button) {
    const browser = p.person();
    const form = is(200, await p.walk(browser, device.verification_uri_complete));
    return browser.submit(is(200, await browser.submit(form, "continue")), button);
  }
  /// What strangers have asked for, and users typed, is forgotten.
  const forgetDevices = () =>
    server.sql("DELETE FROM postern.device_codes; DELETE FROM postern.login_attempts", superuser);

  /// A question of a proxy about the wiki, or a request for a page of the gate there, by a browser with these cookies.
  async function askGate(cookies, path, more = {}) {
    const answer = await p.ask(path, {
      headers: {
        "x-forwarded-proto": "https",
        "x-forwarded-host": "wiki.example",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        ...more,
      },
    });
    for (const line of answer.headers["set-cookie"] ?? [])
      cookies.set(...line.split(";")[0].split(/=(.*)/).slice(0, 2));
    return answer;
  }
  const mayPass = (cookies, more) =>
    askGate(cookies, "/gate", { "x-forwarded-method": "GET", "x-forwarded-uri": "/a", ...more });
  /// The callback to which the person is sent who signs in to the wiki.
  async function signInToWiki(cookies) {
    const led = is(302, await mayPass(cookies));
    const { location } = await p.walk(person, led.headers.location);
    assert.equal(location.href.split("?")[0], `${WIKI}/.postern/callback`);
    return location;
  }
  const callBack = (cookies, { pathname, search }) => askGate(cookies, `/gate/pages${pathname}${search}`);
  const lastSeen = () => Number(server.sql("SELECT max(last_seen_at) FROM postern.sessions", superuser));

  const readable = (answer) => assert.equal(answer.headers["access-control-allow-origin"], PAGE) ?? answer;
  const ofPage = { headers: { origin: PAGE } };

  /// What each program does for a client and a user; a step that fails throws.
  const flows = {
    authorize: async () => {
      await approved();
      await commitLost(() => p.code(p.clients.trusted, {}, person));
      const refused = is(403, await p.walk(person, p.authorizationUrl(p.clients.other)));
      assert.match(refused.title, new RegExp(`${p.user.username} may not use`));
    },

    login: async () => {
      const other = p.person();
      const page = await other.visit(p.authorizationUrl(p.clients.trusted, { state: "1" }));
      is(200, await other.signIn(page, p.user.username, "wrong"));
      const url = p.authorizationUrl(p.clients.trusted, { prompt: "login" });
      for (let session = 0; session < 2; ++session)
        assert.ok((await p.walk(other, url)).location?.searchParams.get("code"));
      await signInWithCode(() => totp(phone.key, p.deployment.now()));
      await signInWithCode(() => phone.codes[0]);
      forgetUses(fob);
      await signInWithKey();
      await signInWithKey({ behindPassword: true });
      fob.key.counter = 7;
      await signInWithKey();
      assert.match(is(200, await giveKey()).body, /That passkey was not accepted/); // of a copy, perhaps
    },

    scopes: async () => {
      await approved();
    },

    token: async () => {
      const { web, spa, machine } = p.clients;
      const own = { grant_type: "client_credentials", resource: NOTES };
      is(200, await p.post("/token", own, { client: machine }));
      const first = is(200, await p.exchange(web, await code()));
      const second = is(200, await p.refresh(web, first.json.refresh_token));
      is(200, await p.refresh(web, first.json.refresh_token)); // its answer was lost
      is(200, await p.refresh(web, second.json.refresh_token));
      const claims = JSON.stringify({ id_token: { name: null, groups: null } });
      const named = await code({ scope: GROUPS, claims });
      const { id_token: signed } = is(200, await p.exchange(web, named)).json;
      const { name, groups } = JSON.parse(Buffer.from(signed.split(".")[1], "base64url"));
      assert.deepEqual([name, groups], [p.user.claims.name, ["staff"]]);
      const spent = await code();
      is(400, await p.exchange(web, spent, { code_verifier: "w".repeat(43) }));
      const once = await code();
      is(200, await p.exchange(web, once));
      is(400, await p.exchange(web, once));
      readable(is(400, await p.exchange(spa, once, {}, ofPage)));
      forgetDevices();
      const device = is(200, await askForDevice()).json;
      is(400, await poll(device));
      is(400, await poll(device));
      // A long interval, so that a busy machine polls within it.
      server.sql("UPDATE postern.device_codes SET last_poll_at = last_poll_at - 3, poll_interval = 60", superuser);
      assert.equal(is(400, await poll(device)).json.error, "slow_down");
      is(200, await answerDevice(device, "approve"));
      server.sql("UPDATE postern.device_codes SET last_poll_at = NULL", superuser);
      is(200, await poll(device));
    },

    device_authorization: async () => {
      forgetDevices();
      is(200, await askForDevice({ resource: NOTES }));
      await commitLost(async () => is(200, await askForDevice()));
      readable(is(400, await p.post("/device_authorization", {}, { client: p.clients.spa, ...ofPage })));
    },

    device: async () => {
      forgetDevices();
      const approved = is(200, await answerDevice(is(200, await askForDevice({ resource: NOTES })).json, "approve"));
      assert.match(approved.title, /is connected/);
      const denied = is(200, await answerDevice(is(200, await askForDevice()).json, "deny"));
      assert.match(denied.title, /no access/);
    },

    introspect: async () => {
      const { access_token: access, refresh_token: refresh } = await tokens();
      for (const token of [access, refresh]) assert.equal((await p.introspect(token)).active, true);
    },

    userinfo: async () => {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: GROUPS }, person);
      const answer = is(200, await p.post("/userinfo", {}, { bearer: token, ...ofPage }));
      assert.deepEqual([answer.json.name, answer.json.groups], [p.user.claims.name, ["staff"]]);
      readable(is(401, await p.post("/userinfo", {}, { bearer: "none", ...ofPage })));
    },

    revoke: async () => {
      const { web, spa } = p.clients;
      is(200, await p.revoke(web, (await code()).code, { token_type_hint: "auth_code" }));
      is(200, await p.revoke(web, (await tokens()).access_token));
      is(200, await p.revoke(web, (await tokens()).refresh_token));
      readable(is(200, await p.post("/token/revoke", { token: "none" }, { client: spa, ...ofPage })));
    },

    logout: async () => {
      const other = p.person();
      const { id_token: hint } = await p.tokens(p.clients.web, { scope: SCOPE }, other);
      const asked = { id_token_hint: hint, post_logout_redirect_uri: OUT };
      const url = `${p.issuer}/logout?${new URLSearchParams(asked)}`;
      const left = await other.submit(is(200, await other.visit(`${p.issuer}/logout`)), "logout");
      is(200, left);
      assert.equal((await other.visit(url)).location?.href, OUT);
    },

    account: async () => {
      await tokens();
      const browser = p.person();
      const at = (page) => `${p.issuer}/account${page}`;
      const press = async (page, fields) => {
        const { csrf } = is(200, await browser.visit(at(page))).form.fields;
        const [url] = is(200, await browser.post(at(page), { csrf, ...fields })).url.split("?");
        assert.equal(url, at(page));
      };
      await p.walk(browser, at(""));
      await p.walk(p.person(), at("")); // elsewhere
      const { body } = is(200, await browser.visit(at("")));
      assert.match(body, /<bdi>staff<\/bdi>/);
      assert.match(is(200, await browser.visit(at("/activity"))).body, /Signed in with a password/);
      is(200, await browser.visit(at("/profile")));
      await press("/devices", { everywhere: "yes" });
      await press("/applications", { client_id: p.clients.web.id });
      const { username, password } = p.user;
      const wrong = { present: "wrong", new: password, again: password };
      await press("/password", wrong);
      await press("/password", { ...wrong, present: password });
      person = p.person();

      // Both ways to an app, another in its place, new codes, and none any more.
      forgetFactors(strict);
      const demand = (demanded) => p.deployment.postern(["user", "set", strict.username, "--second-factor", demanded]);
      await demand("required");
      const hers = p.person();
      const enrolment = is(200, await p.walk(hers, p.authorizationUrl(p.clients.trusted), { user: strict }));
      const shown = await turnOn({ browser: hers, page: enrolment }, strict);
      const [, next] = shown.body.match(/href="([^"]+)" id="kept"/);
      assert.ok((await hers.visit(next.replaceAll("&amp;", "&"))).location?.searchParams.get("code"));
      await turnOn({ browser: hers, page: is(200, await hers.visit(`${p.issuer}/account/app?another=yes`)) }, strict);
      is(200, await hers.submit(is(200, await hers.visit(`${p.issuer}/account/codes?new=yes`)), "make"));
      await demand("default"); // else the last app stays
      const removed = is(200, await hers.submit(is(200, await hers.visit(`${p.issuer}/account/app`)), "remove"));
      assert.match(removed.body, /Your app is removed/);

      // A first passkey, a second one, another name, and none any more.
      forgetFactors(nomad);
      const theirs = await openAccount(nomad);
      const keys = [new Authenticator(), new Authenticator()];
      for (const key of keys) await addPasskey(theirs, key);
      const change = async (fields, said) => {
        const { csrf } = is(200, await theirs.visit(passkeysPage())).form.fields;
        assert.match(is(200, await theirs.post(passkeysPage(), { csrf, ...fields })).body, said);
      };
      const [first, second] = keys.map(({ id }) => id.toString("base64url"));
      await change({ rename: first, name: "Old phone" }, /<bdi>Old phone<\/bdi>/);
      for (const id of [first, second]) await change({ remove: id }, /Your passkey is removed/);
    },

    recover: async () => {
      const { link } = await p.deployment.postern(["user", "reset-link", lost.username, "--factors"]);
      const browser = p.person();
      const page = is(200, await browser.visit(link));
      const { password } = lost;
      const done = is(200, await browser.submit(page, "save", { new: password, again: password }));
      assert.match(done.title, /is saved/);

      const { link: invitation } = await p.deployment.postern(["user", "invite", "invited"]);
      const form = is(200, await browser.visit(invitation));
      const added = is(200, await browser.submit(form, "add-passkey", new Authenticator().register(form)));
      assert.match(added.title, /Your passkey is added/);
    },

    sweep: async () => {
      await p.deployment.postern(["purge", "--quick"]);
    },
  };

  const log = () => server.log.length;
  /// The server's log is read a moment after it was written.
  async function untilLogged(words, since) {
    for (let tries = 0; !server.log.slice(since).includes(words); ++tries) {
      assert.ok(tries < 1000, `the server has not said "${words}"`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /// Takes the right away, runs the flow, which must fail for it, and gives it back.
  async function isNeeded(role, [privilege, object], flow, database = superuser) {
    const since = log();
    server.sql(
      `REVOKE ${privilege} ON ${object} FROM ${role};
       SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '${role}'`,
      database,
    );
    try {
      await assert.rejects(flow(), undefined, `${role} needs no ${privilege} ON ${object}`);
      await untilLogged(refusalOf(object), since);
    } finally {
      server.sql(`GRANT ${privilege} ON ${object} TO ${role}`, database);
    }
    // A connection that was refused is tried again after a pause.
    while (
      object.startsWith("DATABASE") &&
      !(await flow().then(
        () => true,
        () => false,
      ))
    )
      continue;
  }

  for (const program of Object.keys(flows)) {
    const role = `postern_${program}`;
    it(`${role} has the rights that ${program} needs, and needs each of them`, async () => {
      const since = log();
      await flows[program]();
      assert.doesNotMatch(server.log.slice(since), /permission denied/);
      const rights = rightsOf(role);
      assert.ok(rights.length > 5, rights.join());
      for (const right of rights) await isNeeded(role, right, flows[program]);
      await flows[program]();
    });
  }

  for (const program of [...Object.keys(flows), "par", "registration", "gate"]) {
    it(`postern_${program} may do what the decision record says, and everything else is refused [G22]`, async () => {
      const uri = superuser.replace("user=postgres", `user=postern_${program}`);
      const tables = server
        .sql(TABLES, superuser)
        .split("\n")
        .map((line) => line.split("|"));
      const tries = tables.flatMap(([table, columns]) => triesOf(table, columns.split(" ")));
      const states = await server.states(
        tries.map(({ statement }) => statement),
        uri,
      );
      const named = ({ privilege, table, column }) => [privilege, table, column].join(" ").trim();
      const done = tries.filter((_, at) => states[at] !== "42501").map(named);
      const recorded = tries.filter((each) => isRecorded(`postern_${program}`, each)).map(named);
      assert.deepEqual(done, recorded);
      const refused = [...REFUSED, ...(READERS.includes(program) ? REFUSED_TO_READERS : [])];
      assert.deepEqual(await server.states(refused, uri), Array(refused.length).fill("42501"));
    });
  }

  it("a role is kept from the server's other databases by the statement of the manual [G22]", () => {
    const [statement, names] = manual.match(/`(REVOKE CONNECT ON DATABASE ([a-z0-9, ]+) FROM PUBLIC)`/).slice(1);
    const others = names.split(", ").map((name) => {
      const uri = new URL(superuser);
      uri.pathname = `/${name}`;
      return String(uri).replace("user=postgres", "user=postern_introspect");
    });
    for (const uri of others) assert.equal(server.sql("SELECT lo_unlink(lo_from_bytea(0, 'x'))", uri), "1");
    server.sql(statement);
    for (const uri of others) assert.throws(() => server.sql("SELECT 1", uri), /permission denied for database/);
    server.sql(`GRANT CONNECT ON DATABASE ${names} TO PUBLIC`);
  });

  it("a program that may not delete does not try to sweep", () => {
    assert.doesNotMatch(p.deployment.log, /"event":"sweep_failed"[^\n]*for table sessions/);
  });

  /// One answer of the program as CGI, with what it writes to standard error.
  async function runOnce(program, configuration) {
    const variables = { REQUEST_METHOD: "GET", REQUEST_URI: `/${program}?client_id=web` };
    const env = { ...p.deployment.environment, POSTERN_CONFIG: configuration, ...variables };
    return run(join(BUILD, "cgi-bin", program), [], { env }).catch((failure) => failure);
  }

  it("a program that may not read the version does not start, and says what is missing", async () => {
    const { POSTERN_CONFIG: configuration } = p.deployment.environment;
    server.sql("REVOKE SELECT ON postern.schema_version FROM postern_token", superuser);
    try {
      const missing = /schema_version \(42501\) for the role postern_token, which needs what grants-postgresql\.sql/;
      const { stdout, stderr, code } = await runOnce("token", configuration);
      assert.match(stdout, /^Status: 500/); // it does not pass by itself
      assert.match(stderr, missing);
      assert.equal(code, 1);
      const socket = join(directory, "token.socket");
      const options = ["-n", "-s", socket, "--", join(BUILD, "cgi-bin/token")];
      const fastcgi = await run("spawn-fcgi", options, { env: p.deployment.environment }).catch((failure) => failure);
      assert.equal(fastcgi.code, 1);
      assert.match(fastcgi.stderr, missing);
    } finally {
      server.sql("GRANT SELECT ON postern.schema_version TO postern_token", superuser);
    }
  });

  it("a role that does not exist is a 503 and a line in the log", async () => {
    const configuration = join(directory, "postern.json");
    const configured = JSON.parse(readFileSync(p.deployment.environment.POSTERN_CONFIG, "utf8"));
    writeFileSync(configuration, JSON.stringify({ ...configured, database: `${configured.database}&user=stranger` }));
    const { stdout, stderr } = await runOnce("authorize", configuration);
    assert.match(stdout, /^Status: 503/);
    assert.match(stderr, /"event":"store_failed"[^\n]*role \\"stranger\\" does not exist/);
  });

  /// The optional grants of a role below a comment with the name of the option.
  const grantsFor = (role, option) =>
    optional
      .filter(([words, grant]) => words.includes(option) && grant.endsWith(` ${role};`))
      .map(([, grant]) => grant);

  /// Adds the optional grants of a role for an option; answers the rights that are new.
  function widen(role, option, database) {
    const old = rightsOf(role, database).map(String);
    const admin = database.replace("user=postgres", "user=postern_admin");
    for (const grant of grantsFor(role, option)) server.sql(grant, admin);
    return rightsOf(role, database).filter((right) => !old.includes(String(right)));
  }

  /// Uses a provider of its own with that configuration: use(provider, its database).
  async function withProvider(name, config, use, front) {
    const { superuser: database, uri } = server.addDatabase(name);
    const provider = await openProvider({ config: { database: uri, ...config }, ...(front ? { front } : {}) });
    try {
      await use(provider, database);
    } finally {
      await provider.stop();
    }
  }

  /// Signs a new person in and expects a code.
  async function getCode(provider, url = provider.authorizationUrl(provider.clients.trusted)) {
    const page = await provider.walk(provider.person(), url);
    assert.ok(page.location?.searchParams.get("code"), `${page.status} ${page.title}`);
  }

  /// Without the optional grants the flow ends with a 503, with them it goes, and each of so many is needed.
  async function optionNeeds(role, option, count, flow, database) {
    await assert.rejects(flow(), /503/);
    const rights = widen(role, option, database);
    assert.equal(rights.length, count, rights.join());
    await flow();
    for (const right of rights) await isNeeded(role, right, flow, database);
  }

  it("responseTypes need rights of their own; without them there is a 503 and a line in the log [HYB-7]", async () => {
    const parameters = { response_type: "token", code_challenge: undefined, code_challenge_method: undefined };
    const url = p.authorizationUrl(p.clients.spa, { ...parameters, scope: "profile" });
    const flow = async () => assert.match((await p.walk(person, url)).location?.hash ?? "", /access_token=/);
    const alone = { ...parameters, response_type: "id_token", nonce: "n", scope: GROUPS };
    const idToken = p.authorizationUrl(p.clients.web, alone);
    const idTokenFlow = async () => assert.match((await p.walk(person, idToken)).location?.hash ?? "", /id_token=/);
    is(503, await p.walk(person, url));
    assert.match(
      p.deployment.log,
      /"event":"store_failed"[^\n]*for table users \(42501\) for the role postern_authorize, which needs/,
    );
    const rights = widen("postern_authorize", "responseTypes", superuser);
    assert.equal(rights.length, 7);
    await flow(); // with consent
    await idTokenFlow();
    await commitLost(flow);
    for (const right of rights) {
      const needs = /client_/.test(right[1]) ? idTokenFlow : () => commitLost(flow);
      await isNeeded("postern_authorize", right, needs);
    }
    await flow();
  });

  it("a second installation of the same server grants the roles of the first nothing", async () => {
    server.sql("CREATE ROLE second LOGIN; CREATE DATABASE second OWNER second");
    server.sql("CREATE DATABASE moved OWNER second");
    const keys = mkdtempSync(join(directory, "second-"));
    const configuration = join(keys, "postern.json");
    const database = server.uri.replace("/postgres?", "/second?").replace("user=postgres", "user=second");
    const moved = database.replace("/second?", "/moved?");
    const members = {
      issuer: "https://second.example",
      database,
      keys: join(keys, "keys"),
      state: join(keys, "state"),
    };
    writeFileSync(configuration, JSON.stringify(members));
    const counted = `SELECT count(*) FROM pg_class, aclexplode(relacl) JOIN pg_roles ON pg_roles.oid = grantee
      WHERE relnamespace = 'public'::regnamespace AND rolname LIKE 'postern%'`;
    for (const [uri, command] of Object.entries({ [database]: ["init"], [moved]: ["migrate", "--to", moved] })) {
      await run(join(BUILD, "bin/postern"), [...command, "--config", configuration]);
      assert.equal(server.sql("SELECT to_regclass('users') IS NOT NULL", uri), "t");
      assert.equal(server.sql(counted, uri), "0");
      const login = uri.replace("user=second", "user=postern_login");
      assert.deepEqual(await server.states(["SELECT password_hash FROM public.users"], login), ["42501"]);
    }
  });

  it("remote_user and autoCreate need the rights that are named for them", async () => {
    const login = { method: "remote_user", autoCreate: true, claimsFromEnvironment: { email: "REMOTE_EMAIL" } };
    const named = `"REMOTE_USER" => "bob", "AUTH_TYPE" => "Basic", "REMOTE_EMAIL" => "bob@example.org"`;
    const lines = [`setenv.set-environment = ( ${named} )`];
    await withProvider(
      "remote",
      { login },
      async (remote, database) => {
        const flow = async () => {
          await remote.deployment.postern(["user", "remove", "bob"]).catch(() => {}); // is not there at first
          await getCode(remote);
          await remote.deployment.postern(["user", "set", "bob", "--unset-claim", "email"]);
          await getCode(remote);
        };
        await optionNeeds("postern_login", "remote_user", 4, flow, database);
      },
      lighttpd("fastcgi", lines),
    );
  });

  it("outbound needs the rights that are named for it [FETCH-9]", async () => {
    const { superuser: database, uri } = server.addDatabase("fetching");
    const place = mkdtempSync(join(directory, "fetching-"));
    const file = (name, text, mode) => {
      writeFileSync(join(place, name), text, { mode });
      return join(place, name);
    };
    const reply = file("reply", fetched({}));
    const outbound = { enabled: true, program: file("fetch", `#!/bin/sh\nexec cat ${reply}\n`, 0o755) };
    const members = { issuer: "https://id.example", keys: join(place, "keys"), state: join(place, "state"), outbound };
    const config = (name, user) => file(name, JSON.stringify({ ...members, database: `${uri}${user}` }));
    await run(join(BUILD, "bin/postern"), ["init", "--config", config("admin.json", "")]);
    const POSTERN_CONFIG = config("postern.json", "&user=postern_authorize");
    const query = `url=${encodeURIComponent("https://app.example/")}`;
    const env = { ...p.deployment.environment, POSTERN_CONFIG, REQUEST_METHOD: "GET", REQUEST_URI: `/probe?${query}` };
    const flow = async () => {
      server.sql("TRUNCATE postern.fetched, postern.fetch_limits", database);
      const { stdout } = await run(join(BUILD, "tests/fetch_probe"), [], { env: { ...env, QUERY_STRING: query } });
      assert.match(stdout, /"body":"\{\}"/);
    };
    await assert.rejects(flow());
    const rights = widen("postern_authorize", "outbound", database);
    assert.equal(rights.length, 13);
    await flow();
    for (const right of rights) await isNeeded("postern_authorize", right, flow, database);
  });

  it("clientDocuments needs the rights that are named for it [CIMD-10, CIMD-13]", async () => {
    const place = mkdtempSync(join(directory, "documents-"));
    chmodSync(place, 0o755);
    const id = "https://app.example/client.json";
    const redirectUri = "https://app.example/cb";
    const [reply, program] = [join(place, "reply"), join(place, "fetch")];
    writeFileSync(program, `#!/bin/sh\nexec cat ${reply}\n`, { mode: 0o755 });
    const config = { outbound: { enabled: true, program }, clientDocuments: { enabled: true, allow: ["app.example"] } };
    await withProvider("documents", config, async (described, database) => {
      /// Instead of the program that fetches, which has its own tests.
      const publish = (more = {}) => {
        const document = { client_id: id, client_name: "Notes", redirect_uris: [redirectUri], ...more };
        writeFileSync(reply, fetched(document), { mode: 0o644 });
        server.sql("TRUNCATE postern.fetched, postern.fetch_limits", database);
      };
      const url = described.authorizationUrl({ id, redirectUri });
      const flow = async () => {
        await described.deployment.postern(["client", "remove", id]).catch(() => {}); // is not there at first
        publish();
        await getCode(described, url);
        server.sql("UPDATE postern.clients SET last_used_at = 0 WHERE origin = 'document'", database);
        publish({ client_name: "Other notes", scope: "openid" });
        await getCode(described, url);
        publish({ token_endpoint_auth_method: "private_key_jwt" });
        is(400, await described.walk(described.person(), url));
        const ended = "SELECT count(*) FROM postern.grants WHERE client_id LIKE 'https%' AND ended_at IS NOT NULL";
        assert.equal(server.sql(ended, database), "2");
      };
      await assert.rejects(flow(), /503/);
      widen("postern_authorize", "outbound", database);
      await optionNeeds("postern_authorize", "clientDocuments", 11, flow, database); // those are not the ones
    });
  });

  it("backchannelLogout needs the rights that are named for it [BCL-2, BCL-3]", async () => {
    const place = mkdtempSync(join(directory, "logouts-"));
    chmodSync(place, 0o755);
    const responseTypes = ["code", "id_token"];
    const [reply, program] = [join(place, "reply"), join(place, "fetch")];
    writeFileSync(reply, fetched({}), { mode: 0o644 });
    writeFileSync(program, `#!/bin/sh\nexec cat ${reply}\n`, { mode: 0o755 });
    const config = { outbound: { enabled: true, program }, backchannelLogout: true, responseTypes };
    await withProvider("logouts", config, async (logouts, database) => {
      const postern = (...command) => logouts.deployment.postern(command);
      const { web, trusted } = logouts.clients;
      const grants = ["authorization_code", "refresh_token", "implicit"].flatMap((grant) => ["--grant", grant]);
      const types = ["code", "id_token"].flatMap((type) => ["--response-type", type]);
      await postern(
        "client",
        "set",
        web.id,
        "--backchannel-logout-uri",
        "https://app.example/out",
        ...grants,
        ...types,
      );
      widen("postern_authorize", "responseTypes", database);
      const needs = async (program, count, flow) =>
        optionNeeds(`postern_${program}`, "backchannelLogout", count, flow, database);

      /// A browser in which the user has signed in, and the client has an ID token of that.
      const enter = async () => {
        const browser = logouts.person();
        is(200, await logouts.exchange(web, await logouts.code(web, { scope: SCOPE }, browser)));
        return browser;
      };
      widen("postern_login", "backchannelLogout", database);
      await needs("token", 8, enter);
      const front = { response_type: "id_token", nonce: "n", code_challenge: undefined, scope: "openid" };
      const url = logouts.authorizationUrl(web, { ...front, code_challenge_method: undefined });
      await needs("authorize", 4, async () => {
        const page = await logouts.walk(logouts.person(), url);
        assert.match(page.location?.hash ?? `${page.status}`, /id_token=/);
      });
      await needs("logout", 3, async () => {
        const browser = await enter();
        is(200, await browser.submit(is(200, await browser.visit(`${logouts.issuer}/logout`)), "logout"));
      });
      const again = logouts.authorizationUrl(trusted, { prompt: "login" });
      const demand = (demanded) => postern("user", "set", logouts.user.username, "--second-factor", demanded);
      await needs("account", 5, async () => {
        server.sql("DELETE FROM postern.totp_secrets; DELETE FROM postern.recovery_codes", database);
        await demand("default");
        await enter();
        const browser = await enter();
        const devices = `${logouts.issuer}/account/devices`;
        is(200, await logouts.walk(browser, devices));
        const { csrf } = is(200, await browser.visit(devices)).form.fields;
        is(200, await browser.post(devices, { csrf, everywhere: "yes" }));

        // A login that ends in the account keeps the notes of the session that it renews.
        const renewed = await enter();
        await demand("required");
        const page = is(200, await logouts.walk(renewed, again));
        const [key] = codesIn(page.body);
        is(200, await renewed.submit(page, "turn-on", { code: totp(key, logouts.deployment.now()) }));
      });
      server.sql("DELETE FROM postern.totp_secrets; DELETE FROM postern.recovery_codes", database);
      await demand("default");
      await needs("recover", 7, async () => {
        await enter();
        const { link } = await postern("user", "reset-link", logouts.user.username);
        const browser = logouts.person();
        const { password } = logouts.user;
        const page = is(200, await browser.visit(link));
        is(200, await browser.submit(page, "save", { new: password, again: password }));
      });
      const sent = async () => {
        server.sql("DELETE FROM postern.logout_outbox", database);
        server.sql(
          `INSERT INTO postern.logout_outbox (id, client_id, subject, sid, jti, not_before, expires_at)
           VALUES ('id', 'web', 'sub', 'sid', 'jti', 1, 4102444800)`,
          database,
        );
        assert.equal((await postern("session", "deliver")).sent, 1);
      };
      await assert.rejects(sent());
      const rights = widen("postern_notify", "backchannelLogout", database);
      assert.equal(rights.length, 7, rights.join());
      await sent();
      for (const right of rights) await isNeeded("postern_notify", right, sent, database);
      assert.ok((await logouts.walk(await enter(), again)).location?.searchParams.get("code")); // login keeps the notes
    });
  });

  it("registration needs the rights that are named for it, and has none before [REG-16, REG-19, REG-30]", async () => {
    const config = { registration: { mode: "open", max: 1 }, clientAssertions: true };
    await withProvider("registering", config, async (registering, database) => {
      const register = (metadata, token) => {
        const body = JSON.stringify(metadata);
        const headers = {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        };
        return registering.ask("/register", { method: "POST", body, headers });
      };
      const flow = async () => {
        server.sql(
          `DELETE FROM postern.login_attempts;
           UPDATE postern.clients SET created_at = created_at - 700 WHERE origin = 'dynamic'`,
          database,
        );
        const { initial_access_token: token } = await registering.deployment.postern(["registration", "token", "add"]);
        const own = is(201, await register({ redirect_uris: ["https://app.example/registered"] }, token)).json;
        const headers = { authorization: `Bearer ${own.registration_access_token}` };
        is(200, await registering.ask(own.registration_client_uri, { headers }));
        is(204, await registering.ask(own.registration_client_uri, { method: "DELETE", headers }));
        is(201, await register({ redirect_uris: ["http://127.0.0.1/cb"] })); // in the place of the one before
      };
      await optionNeeds("postern_registration", '"registration"', 16, flow, database);

      const signs = { token_endpoint_auth_method: "private_key_jwt", jwks: newKey("k1").jwks };
      const flowOfSigner = async () => {
        const { initial_access_token: token } = await registering.deployment.postern(["registration", "token", "add"]);
        const own = is(201, await register({ redirect_uris: ["https://robot.example/cb"], ...signs }, token)).json;
        const headers = { authorization: `Bearer ${own.registration_access_token}` };
        const { jwks } = is(200, await registering.ask(own.registration_client_uri, { headers })).json;
        assert.equal(jwks.keys[0].kid, "k1");
      };
      const option = '"clientAssertions", clients that register themselves';
      await optionNeeds("postern_registration", option, 2, flowOfSigner, database);
    });
  });

  it("clients with certificates register keys with the rights that are named for it [MTLS-5, REG-9]", async () => {
    const config = { registration: { mode: "token" }, mtls: { baseUrl: "https://mtls.example" } };
    await withProvider("certified", config, async (certified, database) => {
      const metadata = {
        redirect_uris: ["https://robot.example/cb"],
        token_endpoint_auth_method: "self_signed_tls_client_auth",
        jwks: newKey("k1").jwks,
      };
      const flow = async () => {
        const { initial_access_token: token } = await certified.deployment.postern(["registration", "token", "add"]);
        const body = JSON.stringify(metadata);
        const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
        const bearer = (value) => ({ authorization: `Bearer ${value}` });
        const asked = { method: "POST", body, headers: { ...headers, ...bearer(token) } };
        const own = is(201, await certified.ask("/register", asked)).json;
        const shown = await certified.ask(own.registration_client_uri, {
          headers: bearer(own.registration_access_token),
        });
        assert.equal(is(200, shown).json.jwks.keys[0].kid, "k1");
      };
      widen("postern_registration", '"registration"', database);
      const option = '"mtls", clients that register themselves';
      await optionNeeds("postern_registration", option, 2, flow, database);
    });
  });

  it("clients with certificates need the rights that are named for them [MTLS-4, MTLS-5, MTLS-7]", async () => {
    const file = (name) => join(directory, `mtls.${name}`);
    const fresh = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-x509", "-days", "2"];
    const ofAuthority = ["-subj", "/CN=Clients", "-keyout", file("ca.key"), "-out", file("ca.pem")];
    await run("openssl", [...fresh, ...ofAuthority, "-addext", "keyUsage=critical,keyCertSign"]);
    const request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=robot"];
    await run("openssl", [...request, "-keyout", file("key"), "-out", file("csr")]);
    writeFileSync(file("ext"), "subjectAltName=DNS:robot.example\nextendedKeyUsage=clientAuth\n");
    const signed = ["-in", file("csr"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial"];
    await run("openssl", ["x509", "-req", ...signed, "-days", "2", "-extfile", file("ext"), "-out", file("pem")]);
    const certificate = readFileSync(file("pem"), "utf8");
    const jwk = new X509Certificate(certificate).publicKey.export({ format: "jwk" });
    writeFileSync(file("jwks"), JSON.stringify({ keys: [{ ...jwk, kid: "one" }] }));
    chmodSync(file("ca.pem"), 0o644);
    // Every connection shows it.
    const shown = `"SSL_CLIENT_VERIFY" => "SUCCESS", "SSL_CLIENT_CERT" => "${encodeURIComponent(certificate)}"`;
    const config = {
      mtls: { baseUrl: "https://mtls.example", ca: file("ca.pem") },
      paths: { deviceAuthorization: "/device_authorization", device: "/device", par: "/par" },
    };
    const use = async (certified, database) => {
      const postern = (...command) => certified.deployment.postern(command);
      const named = ["authorization_code", "client_credentials", "device_code"];
      const grants = [...named.flatMap((grant) => ["--grant", grant]), "--redirect-uri", "https://robot.example/cb"];
      const add = (id, ...method) =>
        postern("client", "add", id, ...grants, "--scope", "reports", "--auth-method", ...method);
      await add("issued", "tls_client_auth", "--tls-client-auth-san-dns", "robot.example");
      await add("own", "self_signed_tls_client_auth", "--jwks", file("jwks"));
      const { spa } = certified.clients;
      await postern("client", "set", spa.id, "--tls-client-certificate-bound-access-tokens");
      const pushed = {
        response_type: "code",
        redirect_uri: "https://robot.example/cb",
        code_challenge: challengeOf("v".repeat(43)),
        code_challenge_method: "S256",
      };
      const requests = {
        token: ["/token", { grant_type: "client_credentials" }, 200],
        introspect: ["/token/introspect", { token: "x" }, 200],
        revoke: ["/token/revoke", { token: "x" }, 200],
        device_authorization: ["/device_authorization", {}, 200],
        par: ["/par", pushed, 201],
      };
      const by = async (id, program) => {
        const [path, form, status] = requests[program];
        is(status, await certified.post(path, { ...form, client_id: id }));
      };
      let token;
      const bind = async () => {
        const answer = is(200, await certified.exchange(spa, await certified.code(spa)));
        token = answer.json.access_token;
        const { cnf } = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
        assert.equal(cnf["x5t#S256"].length, 43);
      };
      widen("postern_par", "paths.par", database);
      for (const program of Object.keys(requests)) {
        await by("issued", program); // whose name is with the client
        const flow = async () => {
          await by("own", program);
          if (program === "token") await bind();
        };
        const count = program === "token" ? 2 : 1;
        await optionNeeds(`postern_${program}`, '"mtls", clients have keys', count, flow, database);
      }
      const since = log();
      const headers = { authorization: `Bearer ${token}` };
      assert.equal(is(200, await certified.ask("/userinfo", { headers })).json.sub, certified.user.sub);
      assert.equal(grantsFor("postern_userinfo", '"mtls"').length, 0);
      assert.doesNotMatch(server.log.slice(since), /permission denied/);
    };
    await withProvider("shown", config, use, lighttpd("fastcgi", [`setenv.set-environment = ( ${shown} )`]));
  });

  it("the gate needs the rights that are named for it, and has none before [GATE-5, GATE-31]", async () => {
    const flow = async () => {
      const cookies = new Map();
      const [one, two] = [await signInToWiki(cookies), await signInToWiki(cookies)];
      const state = one.searchParams.get("state");
      two.searchParams.set("state", state);
      is(400, await callBack(cookies, two)); // another verifier: the code is spent
      is(303, await callBack(cookies, one));
      const then = Math.floor(Date.now() / 1000) - 3000;
      server.sql(`UPDATE postern.sessions SET last_seen_at = ${then}`, superuser);
      const passed = is(200, await mayPass(cookies)).headers;
      assert.deepEqual([passed["remote-user"], passed["remote-groups"]], [p.user.username, "staff"]);
      // Noted behind the answer.
      for (let tries = 0; lastSeen() === then; ++tries) {
        assert.ok(tries < 100, "the use of the session was not noted");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const { access_token: token } = is(
        200,
        await p.exchange(p.clients.web, await code(), { resource: `${WIKI}/` }),
      ).json;
      is(200, await mayPass(new Map(), { authorization: `Bearer ${token}` }));
    };
    await optionNeeds("postern_gate", "paths.gate", 32, flow, superuser);
  });

  it("paths.par needs the rights that are named for it, with clientDocuments more [PAR-3, PAR-11]", async () => {
    const place = mkdtempSync(join(directory, "pushing-"));
    chmodSync(place, 0o755);
    const [reply, program] = [join(place, "reply"), join(place, "fetch")];
    writeFileSync(program, `#!/bin/sh\nexec cat ${reply}\n`, { mode: 0o755 });
    const id = "https://app.example/client.json";
    const redirectUri = "https://app.example/cb";
    const config = {
      paths: { par: "/par" },
      outbound: { enabled: true, program },
      clientDocuments: { enabled: true, allow: ["app.example"] },
    };
    await withProvider("pushing", config, async (pushing, database) => {
      const parameters = (client, more) => {
        const asked = new URL(pushing.authorizationUrl(client, more)).searchParams;
        return Object.fromEntries([...asked].filter(([name]) => name !== "client_id" || !client.secret));
      };
      const { web } = pushing.clients;
      await pushing.deployment.postern(["resource", "add", NOTES]);
      await optionNeeds(
        "postern_par",
        "paths.par",
        5,
        async () => is(201, await pushing.post("/par", parameters(web, { resource: NOTES }), { client: web })),
        database,
      );
      const publish = (more = {}) => {
        const document = { client_id: id, client_name: "Notes", redirect_uris: [redirectUri], ...more };
        writeFileSync(reply, fetched(document), { mode: 0o644 });
        server.sql("TRUNCATE postern.fetched, postern.fetch_limits", database);
      };
      const ofDocument = { id, redirectUri };
      const headers = { origin: new URL(id).origin };
      const push = () => pushing.post("/par", parameters(ofDocument), { headers });
      publish();
      assert.equal((await push()).status, 503);
      widen("postern_par", "outbound", database);
      const first = is(201, await push());
      // An application in a browser reads it although no user has approved it, so that nothing of it is stored.
      assert.equal(first.headers["access-control-allow-origin"], headers.origin);
      for (const option of ["outbound", "clientDocuments"]) widen("postern_authorize", option, database);
      await optionNeeds(
        "postern_par",
        "clientDocuments",
        4,
        async () => {
          publish();
          await getCode(pushing, pushing.authorizationUrl(ofDocument));
          publish({ token_endpoint_auth_method: "private_key_jwt" });
          const refused = await push();
          assert.equal(refused.status, 401, `${refused.status}`);
        },
        database,
      );
    });
  });

  it("the use of registered clients needs the rights that are named for it [REG-20]", async () => {
    const paths = { deviceAuthorization: "/device_authorization", device: "/device" };
    const config = { registration: { mode: "open", hosts: ["app.example"] }, device: { freshLogin: false }, paths };
    await withProvider("registered", config, async (registered, database) => {
      const added = await registered.deployment.postern(["client", "add", TOOL, "--grant", "device_code"]);
      const tool = { id: TOOL, secret: added.client_secret };
      /// Every client has registered, with this token or without one, and nobody has used it.
      const unused = (token) =>
        server.sql(
          `UPDATE postern.clients SET origin = 'dynamic', registered_by = '${token}', last_used_at = NULL,
             brought_by = '', removable_at = 4000000000; DELETE FROM postern.login_attempts`,
          database,
        );
      const allowDevice = async () => {
        const device = is(200, await registered.post("/device_authorization", {}, { client: tool })).json;
        const browser = registered.person();
        const form = is(200, await registered.walk(browser, device.verification_uri_complete));
        is(200, await browser.submit(is(200, await browser.submit(form, "continue")), "approve"));
      };
      const machineToken = async () =>
        is(
          200,
          await registered.post("/token", { grant_type: "client_credentials" }, { client: registered.clients.machine }),
        );
      const uses = [
        // The first approval of a client without a token counts for the user.
        ["postern_authorize", "", 3, () => getCode(registered, registered.authorizationUrl(registered.clients.web))],
        ["postern_token", "d", 2, machineToken],
        ["postern_device", "d", 2, allowDevice],
      ];
      for (const [role, token, rights, use] of uses) {
        const flow = async () => {
          unused(token);
          await use();
          const kept =
            "SELECT count(*) FROM postern.clients WHERE last_used_at IS NOT NULL AND removable_at < 4000000000";
          assert.equal(server.sql(kept, database), "1");
        };
        await optionNeeds(role, '"registration"', rights, flow, database);
      }
    });
  });

  it("clients that sign need the rights that are named for them [JTI-1, JTI-3]", async () => {
    const paths = { deviceAuthorization: "/device_authorization", device: "/device", par: "/par" };
    await withProvider("signing", { clientAssertions: true, paths }, async (signing, database) => {
      const { jwk, jwks } = newKey("k1");
      const file = join(directory, "robot.jwks");
      writeFileSync(file, JSON.stringify(jwks));
      const named = ["authorization_code", "client_credentials", "device_code"];
      const grants = [...named.flatMap((grant) => ["--grant", grant]), "--redirect-uri", "https://robot.example/cb"];
      const signs = ["--auth-method", "private_key_jwt", "--jwks", file];
      await signing.deployment.postern(["client", "add", "robot", ...signs, ...grants, "--scope", "reports"]);
      const { issuer } = signing.deployment;
      const send = async (path, form, status = 200) =>
        is(status, await signing.post(path, { ...form, ...assertion({ jwk, client: "robot", issuer }) }));
      const pushed = {
        response_type: "code",
        code_challenge: challengeOf("v".repeat(43)),
        code_challenge_method: "S256",
      };
      const flows = {
        token: () => send("/token", { grant_type: "client_credentials" }),
        introspect: () => send("/token/introspect", { token: "x" }),
        revoke: () => send("/token/revoke", { token: "x" }),
        device_authorization: () => send("/device_authorization", {}),
        par: () => send("/par", pushed, 201),
      };
      widen("postern_par", "paths.par", database);
      const option = '"clientAssertions", clients sign';
      for (const [program, flow] of Object.entries(flows))
        await optionNeeds(`postern_${program}`, option, 3, flow, database);
    });
  });

  it("purge needs the rights that are named for it to renew keys of clients [FETCH-15]", async () => {
    const place = mkdtempSync(join(directory, "renewing-"));
    chmodSync(place, 0o755);
    const { jwks } = newKey("k1");
    const [reply, program] = [join(place, "reply"), join(place, "fetch")];
    writeFileSync(reply, fetched(jwks), { mode: 0o644 });
    writeFileSync(program, `#!/bin/sh\nexec cat ${reply}\n`, { mode: 0o755 });
    const config = { clientAssertions: true, outbound: { enabled: true, program } };
    await withProvider("renewing", config, async (renewing, database) => {
      const published = ["--auth-method", "private_key_jwt", "--jwks-uri", "https://api.example/jwks"];
      const more = ["--grant", "client_credentials", "--scope", ""];
      await renewing.deployment.postern(["client", "add", "api", ...published, ...more]);
      const configuration = join(place, "postern.json");
      const own = JSON.parse(readFileSync(renewing.deployment.environment.POSTERN_CONFIG, "utf8"));
      writeFileSync(configuration, JSON.stringify({ ...own, database: `${own.database}&user=postern_sweep` }), {
        mode: 0o644,
      });
      const flow = async () => {
        // One document more than are kept, and a counter that has ended.
        server.sql(
          `TRUNCATE postern.fetched, postern.fetch_limits;
           INSERT INTO postern.fetched SELECT 'd' || n, '', '{}', 1, 1, 4102444800 FROM generate_series(1, 5000) n`,
          database,
        );
        await run(join(BUILD, "bin/postern"), ["purge", "--quick", "--config", configuration]);
        assert.equal(server.sql("SELECT count(*) FROM postern.fetched WHERE fresh_until > 1", database), "1");
      };
      await assert.rejects(flow());
      const rights = widen("postern_sweep", "introspects or revokes alone", database);
      assert.equal(rights.length, 18, rights.join());
      await flow();
      for (const right of rights) await isNeeded("postern_sweep", right, flow, database);
    });
  });

  it("tokens that are bound to keys need the rights that are named for them [DPOP-11, DPOP-15, JTI-1]", async () => {
    await withProvider("bound", { dpop: "allowed", paths: { par: "/par" } }, async (bound, database) => {
      const { jwk } = newKey("k1");
      const { spa, web } = bound.clients;
      const shown = (path, more) => proof({ jwk, url: bound.issuer + path, ...more });
      const pushed = {
        response_type: "code",
        redirect_uri: web.redirectUri,
        code_challenge: challengeOf("v".repeat(43)),
        code_challenge_method: "S256",
      };
      let token;
      const flows = {
        token: async () => {
          const answer = await bound.exchange(spa, await bound.code(spa), {}, { headers: shown("/token") });
          is(200, answer);
          token = answer.json.access_token;
        },
        userinfo: async () => {
          const headers = { authorization: `DPoP ${token}`, ...shown("/userinfo", { method: "GET", token }) };
          is(200, await bound.ask("/userinfo", { headers }));
        },
        par: async () => is(201, await bound.post("/par", pushed, { client: web, headers: shown("/par") })),
      };
      widen("postern_par", "paths.par", database);
      for (const [program, flow] of Object.entries(flows))
        await optionNeeds(`postern_${program}`, '"dpop", each proof', program === "token" ? 3 : 2, flow, database);
    });
  });

  it("claims that introspection tells need the rights that are named for them", async () => {
    await withProvider("mailboxes", {}, async (mailboxes, database) => {
      const postern = (...command) => mailboxes.deployment.postern(command);
      const { web, machine } = mailboxes.clients;
      await postern("group", "add", "staff");
      await postern("group", "member", "add", "staff", mailboxes.user.username);
      await postern("client", "set", web.id, "--scope", "openid email groups");
      const { access_token: token } = await mailboxes.tokens(web, { scope: "openid email groups" });
      const ask = async () => is(200, await mailboxes.post("/token/introspect", { token }, { client: machine })).json;
      assert.equal((await ask()).email, undefined); // needs no right that is not there
      await postern("client", "set", machine.id, "--introspection-claim", "email", "--introspection-claim", "groups");
      const flow = async () => {
        const { email, groups } = await ask();
        assert.deepEqual({ email, groups }, { email: mailboxes.user.claims.email, groups: ["staff"] });
      };
      await optionNeeds("postern_introspect", "--introspection-claim", 6, flow, database);
    });
  });

  it("postern migrate brings the tables of schema version 4 to this one, and the roles' rights with them", async () => {
    await withProvider("upgraded", {}, async (upgraded, database) => {
      await getCode(upgraded);
      server.sql(
        `ALTER TABLE postern.clients
           DROP COLUMN introspection_claims, DROP COLUMN response_types, DROP COLUMN details,
           DROP COLUMN registered_by, DROP COLUMN registration_token_hash, DROP CONSTRAINT clients_origin_check,
           ADD CONSTRAINT clients_origin_check CHECK (origin IN ('operator', 'document'));
         DROP TABLE postern.device_codes, postern.session_clients, postern.logout_outbox, postern.registration_tokens,
           postern.sites, postern.client_keys, postern.replays;
         ALTER TABLE postern.grants DROP COLUMN dpop_jkt, DROP COLUMN x5t;
         ALTER TABLE postern.authorization_codes DROP COLUMN dpop_jkt;
         ALTER TABLE postern.access_tokens DROP COLUMN cnf;
         REVOKE SELECT ON postern.clients FROM postern_authorize;
         UPDATE postern.schema_version SET version = 4`,
        database,
      );
      await assert.rejects(upgraded.deployment.postern(["client", "list"]), /schema version 4.*`postern migrate`/s);
      assert.deepEqual(await upgraded.deployment.postern(["migrate"]), { from: 4, to: 5 });
      assert.deepEqual(await upgraded.deployment.postern(["migrate"]), { from: 5, to: 5 });
      await getCode(upgraded);
      assert.ok((await upgraded.deployment.postern(["doctor"])).every(({ state }) => state !== "error"));
      server.sql("UPDATE postern.schema_version SET version = 6", database);
      await assert.rejects(upgraded.deployment.postern(["migrate"]), /run the release of Postern that it belongs to/);
    });
  });

  it("claims that users change need the rights that are named for them [ACCOUNT-11]", async () => {
    await withProvider("edited", { account: { editableClaims: ["nickname"] } }, async (edited, database) => {
      const browser = edited.person();
      const page = `${edited.issuer}/account/profile`;
      await edited.walk(browser, page);
      let number = 0;
      const flow = async () => {
        const form = is(200, await browser.visit(`${page}?edit=yes`));
        const done = is(200, await browser.submit(form, "save", { nickname: `Name ${++number}` }));
        assert.match(done.body, /Your profile is changed/);
      };
      await optionNeeds("postern_account", "editableClaims", 3, flow, database);
    });
  });

  it("mail needs the rights that are named for it [MAIL-1, MAIL-4, LINK-9, POLICY-5]", async () => {
    const { mail, linkOf } = standInForSendmail();
    await withProvider("mailed", { mail }, async (mailed, database) => {
      const postern = (...command) => mailed.deployment.postern(command);
      const forget = () => server.sql("TRUNCATE postern.mail_requests, postern.login_attempts", database);
      const waiting = () => server.sql("SELECT count(*) FROM postern.mail_requests", database);
      let number = 0;
      const recover = async () => {
        forget();
        const browser = mailed.person();
        const form = is(200, await browser.visit(`${mailed.issuer}/recover`));
        assert.match(is(200, await browser.submit(form, "send", { name: "nobody" })).body, /a message is on its way/);
        assert.equal(waiting(), "1");
        const name = `guest-${++number}`;
        await postern("user", "invite", name, "--claim", `email=${name}@example.org`, "--mail");
        const page = is(200, await browser.visit(await linkOf(mailed.deployment)));
        const saved = { new: "four words in a row", again: "four words in a row" };
        assert.match(is(200, await browser.submit(page, "save", saved)).body, /is saved/);
        assert.equal((await postern("user", "show", name)).claims.email_verified, true);
      };
      await optionNeeds("postern_recover", '"mail"', 13, recover, database);

      await postern("user", "set", mailed.user.username, "--claim", "email=owner@example.org");
      const owner = mailed.person();
      await mailed.walk(owner, `${mailed.issuer}/account`);
      const change = async () => {
        forget();
        const { username, password } = mailed.user;
        const fields = { username, present: password, new: password, again: password };
        const form = is(200, await owner.visit(`${mailed.issuer}/account/password`));
        is(200, await owner.submit(form, "save", fields));
        assert.equal(waiting(), "1");
      };
      await optionNeeds("postern_account", '"mail"', 1, change, database);

      const app = await turnOn(
        { browser: owner, page: is(200, await owner.visit(`${mailed.issuer}/account/app`)) },
        mailed.user,
      );
      assert.ok(app);
      const guess = async () => {
        forget();
        const browser = mailed.person();
        const half = is(200, await mailed.walk(browser, mailed.authorizationUrl(mailed.clients.trusted)));
        is(200, await browser.submit(half, "verify", { code: "0000 0000 0000 0000" }));
        assert.equal(waiting(), "1");
      };
      await optionNeeds("postern_login", '"mail"', 1, guess, database);
    });
  });

  it("remembered devices need the rights that are named for them [DEVICE-2, DEVICE-4]", async () => {
    await withProvider("remembered", { login: { rememberDevice: 86400 } }, async (kept, database) => {
      const url = kept.authorizationUrl(kept.clients.trusted);
      const app = kept.person();
      await kept.walk(app, `${kept.issuer}/account/app`);
      const page = is(200, await app.visit(`${kept.issuer}/account/app`));
      const [key] = codesIn(page.body);
      is(200, await app.submit(page, "turn-on", { code: totp(key, kept.deployment.now()) }));
      const devices = `${kept.issuer}/account/devices`;
      const arrived = (answer) => assert.ok(answer.location?.searchParams.get("code"), `${answer.status}`);
      const withBox = async (browser) => {
        server.sql("UPDATE postern.totp_secrets SET last_step = 0", database);
        const half = is(200, await kept.walk(browser, url));
        arrived(await browser.submit(half, "verify", { code: totp(key, kept.deployment.now()), remember: "yes" }));
      };
      const flow = async () => {
        server.sql("DELETE FROM postern.remembered_devices; DELETE FROM postern.sessions", database);
        const browser = kept.person();
        await withBox(browser);
        server.sql("DELETE FROM postern.sessions", database);
        arrived(await kept.walk(browser, url)); // the password alone
        server.sql("DELETE FROM postern.sessions; UPDATE postern.users SET stamp = stamp + 1", database);
        await withBox(browser);
        assert.equal(server.sql("SELECT count(*) FROM postern.remembered_devices", database), "1");
        const list = is(200, await browser.visit(devices));
        assert.match(list.body, /id="remembered"/);
        is(200, await browser.submit(list, "everywhere"));
        assert.equal(server.sql("SELECT count(*) FROM postern.remembered_devices", database), "0");
      };
      await assert.rejects(flow(), /503/);
      const login = widen("postern_login", "rememberDevice", database);
      const account = widen("postern_account", "rememberDevice", database);
      assert.equal(login.length, 10);
      assert.equal(account.length, 2);
      await flow();
      for (const right of login) await isNeeded("postern_login", right, flow, database);
      for (const right of account) await isNeeded("postern_account", right, flow, database);
    });
  });

  it("a sweep leaves out what options keep until its role has their rights [CIMD-10]", async () => {
    await withProvider("swept", {}, async (kept, database) => {
      const old = ["fetched", "fetch_limits", "mail_requests", "clients"];
      server.sql(
        `INSERT INTO postern.fetched VALUES ('d', '', '{}', 1, 1, 1);
         INSERT INTO postern.fetch_limits VALUES ('all', 1, 1);
         INSERT INTO postern.mail_requests VALUES ('m', 'notice', NULL, NULL, '', 'en', 1, 1, 5, 1);
         INSERT INTO postern.clients (id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce,
           created_at, origin, last_used_at, removable_at)
         VALUES ('https://app.example/c', 'x', 'public', 0, 0, 1, '', '', 'none', 'required', 1, 'document', 1, 1)`,
        database,
      );
      const left = () => {
        const due = { fetched: "true", fetch_limits: "true", mail_requests: "true", clients: "origin = 'document'" };
        return old.filter(
          (table) => server.sql(`SELECT count(*) FROM postern.${table} WHERE ${due[table]}`, database) !== "0",
        );
      };
      const configuration = join(directory, "swept.json");
      const own = JSON.parse(readFileSync(kept.deployment.environment.POSTERN_CONFIG, "utf8"));
      writeFileSync(configuration, JSON.stringify({ ...own, database: `${own.database}&user=postern_sweep` }), {
        mode: 0o644,
      });
      const purge = () => run(join(BUILD, "bin/postern"), ["purge", "--quick", "--config", configuration]);
      await purge();
      assert.deepEqual(left(), old);
      const rights = [
        ...widen("postern_sweep", "outbound", database),
        ...widen("postern_sweep", "clientDocuments", database),
        ...widen("postern_sweep", '"mail"', database),
      ];
      assert.equal(rights.length, 13);
      const revoked = ["SELECT", "UPDATE"];
      for (const right of rights.filter(([privilege]) => revoked.some((word) => privilege.startsWith(word))))
        await isNeeded("postern_sweep", right, purge, database);
      assert.deepEqual(left(), old); // each of these runs was refused as a whole
      await purge();
      assert.deepEqual(left(), []);
    });
  });

  it("groupsFromEnvironment needs the rights that are named for it [GROUP-8]", async () => {
    const groupsFromEnvironment = {
      variable: "MEMBEROF",
      separator: ";",
      groups: { "cn=staff": "staff", "cn=guests": "guests" },
    };
    const login = { method: "remote_user", groupsFromEnvironment };
    const named = `"REMOTE_USER" => "alice", "AUTH_TYPE" => "Basic", "MEMBEROF" => "cn=staff;cn=x"`;
    const lines = [`setenv.set-environment = ( ${named} )`];
    await withProvider(
      "mapped",
      { login },
      async (mapped, database) => {
        const postern = (...command) => mapped.deployment.postern(command);
        for (const group of ["staff", "guests"]) await postern("group", "add", group);
        const flow = async () => {
          await postern("group", "member", "remove", "staff", "alice");
          await postern("group", "member", "add", "guests", "alice");
          await getCode(mapped);
          assert.deepEqual((await postern("user", "show", "alice")).groups, ["staff"]);
        };
        await assert.rejects(flow(), /503/);
        assert.equal(widen("postern_login", "remote_user", database).length, 4);
        await optionNeeds("postern_login", "groupsFromEnvironment", 15, flow, database); // those are not the ones
        assert.doesNotMatch(
          JSON.stringify(await postern("doctor").catch(String)),
          /may do what its program never does/,
        );
      },
      lighttpd("fastcgi", lines),
    );
  });
});
