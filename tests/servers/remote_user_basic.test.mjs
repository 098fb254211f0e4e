// Apache's mod_auth_basic with a password file signs people in, by examples/apache/login-basic.conf.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { UserAgent } from "../support/user_agent.mjs";
import {
  PERSON,
  REDIRECT_URI,
  authorizationUrl,
  authorize,
  newChecks,
  openProvider,
} from "../interop/relying_party.mjs";
import { prepared } from "../support/prepared.mjs";
import { browser, guarded, loginExample, setLogin, writePasswords } from "./remote_user.mjs";

const MARA = [PERSON.username, "another than Postern's"];
const NILS = ["nils", "of the file alone"];
const MODULES = ["auth_basic", "authn_file", "authz_user"];
const REMOTE = { method: "remote_user" };

const front = (mode) =>
  guarded(mode, MODULES, async ({ directory }) => {
    const file = join(directory, "passwords");
    await writePasswords(file, Object.fromEntries([MARA, NILS]));
    return loginExample("basic", { FILE: file });
  });

for (const mode of ["cgid", "fcgid", "proxy-fcgi"]) {
  describe(`users of a password file, Apache with mod_${mode.replace("-", "_")} [SOURCE-7]`, () => {
    let provider;
    prepared(async (owned) => {
      provider = owned(await openProvider({ front: front(mode), config: { login: REMOTE } }));
    });
    const client = () => provider.clients.client_secret_basic;
    const of = (user) => browser(provider.deployment, { user });
    const sessions = async () => (await provider.deployment.postern(["session", "list"])).length;
    const ask = (agent, parameters) => authorize(provider, client(), { agent, parameters });

    it("without a password, and with a wrong one, Apache asks for it, and no user is signed in", async () => {
      for (const user of [undefined, [MARA[0], "wrong"], [MARA[0], PERSON.password], [MARA[0], ""], ["nobody", "x"]]) {
        const agent = of(user);
        const page = await agent.visit(authorizationUrl(client(), newChecks()));
        assert.equal(page.status, 401, `${user}`);
        assert.match(page.headers["www-authenticate"], /^Basic realm="Sign in"/);
        assert.equal(agent.cookieNames.length, 1, "the browser's cookie, and no session's");
      }
      assert.equal(await sessions(), 0);
    });

    it("the right password leads to consent and code; the user is named, and the method is not", async () => {
      const { checks, answer } = await ask(of(MARA));
      const tokens = await client().callback(REDIRECT_URI, answer, checks);
      const claims = tokens.claims();
      assert.equal(claims.sub, provider.sub);
      for (const unknown of ["auth_time", "acr", "amr"]) assert.equal(claims[unknown], undefined, unknown);
      const { sub, name, email } = await client().userinfo(tokens);
      assert.deepEqual(
        { sub, name, email },
        { sub: provider.sub, name: PERSON.claims.name, email: PERSON.claims.email },
      );
    });

    it("the session does for the next sign-in and for prompt=none, without Apache", async () => {
      const agent = of(MARA);
      await ask(agent);
      agent.loginHeaders = {};
      const { checks, answer } = await ask(agent, { prompt: "none" });
      assert.equal((await client().callback(REDIRECT_URI, answer, checks)).claims().sub, provider.sub);
      const nobody = await ask(of(undefined), { prompt: "none" });
      assert.equal(nobody.answer.error, "login_required");
    });

    it("prompt=login and max_age are login_required: no login is fresh [OpenID Connect Core §3.1.2.1]", async () => {
      for (const parameters of [{ prompt: "login" }, { max_age: 0 }, { max_age: 1000 }]) {
        const { answer } = await ask(of(MARA), parameters);
        assert.equal(answer.error, "login_required", JSON.stringify(parameters));
      }
    });

    it("a user unknown to Postern gets a page, and no user is made", async () => {
      const page = await of(NILS).visit(authorizationUrl(client(), newChecks()));
      assert.equal(page.status, 403);
      assert.match(page.title, /not known here/);
      assert.equal((await provider.deployment.postern(["user", "list"])).length, 1);
    });

    it("after signing out the browser still sends the password, so that the next sign-in asks nothing", async () => {
      const agent = of(MARA);
      const { checks, answer } = await ask(agent);
      const { id_token } = await client().callback(REDIRECT_URI, answer, checks);
      const page = await agent.visit(client().endSessionUrl({ id_token_hint: id_token }));
      assert.match(page.title, /signed out/i);
      assert.equal((await ask(agent, { prompt: "none" })).answer.error, "login_required");
      assert.ok((await ask(agent)).answer.code);
    });

    it("the rest of the server asks for no password: a client's own one is its own affair", async () => {
      const page = await new UserAgent({ ca: provider.deployment.ca }).visit(`${provider.deployment.issuer}/scopes`);
      assert.equal(page.status, 400);
      assert.equal(page.headers["www-authenticate"], undefined);
    });

    it("no password is in a log", () => {
      const { log } = provider.deployment;
      assert.match(log, /authentication failure/);
      for (const [name, password] of [MARA, NILS]) {
        assert.ok(!log.includes(password));
        assert.ok(!log.includes(Buffer.from(`${name}:${password}`).toString("base64")));
      }
    });

    if (mode !== "cgid") return; // there the configuration is read for each request

    it("with autoCreate the file's users are made once, and a disabled one stays out", async () => {
      await setLogin(provider.deployment, { ...REMOTE, autoCreate: true });
      const subject = async () => {
        const { checks, answer } = await ask(of(NILS));
        return (await client().callback(REDIRECT_URI, answer, checks)).claims().sub;
      };
      const sub = await subject();
      assert.equal(await subject(), sub);
      assert.equal((await provider.deployment.postern(["user", "list"])).length, 2);
      await provider.deployment.postern(["user", "disable", NILS[0]]);
      const page = await of(NILS).visit(authorizationUrl(client(), newChecks()));
      assert.equal(page.status, 403);
      assert.match(page.title, /switched off/);
      await setLogin(provider.deployment, REMOTE);
    });
  });
}
