// Federation: Apache's mod_auth_openidc guards the login of one Postern as a client of another one, by
// examples/apache/login-openidc.conf.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { custom } from "openid-client-5";
import { Deployment } from "../support/deployment.mjs";
import { openBrowser } from "../browser/browser.mjs";
import { Person } from "../clients/person.mjs";
import { PERSON, REDIRECT_URI, authorizationUrl, newChecks, openProvider } from "../interop/relying_party.mjs";
import { prepared } from "../support/prepared.mjs";
import { guarded, loginExample, setLogin } from "./remote_user.mjs";

const AFTER_LOGOUT = "https://client.example/bye?a=b";
const MODULES = ["authn_file", "authz_user", "rewrite", "auth_openidc"];

/// What the comment in the file says; `after` is what stands behind "logout=".
const login = (issuer, after) => ({
  method: "remote_user",
  autoCreate: true,
  claimsFromEnvironment: {
    name: "OIDC_CLAIM_name",
    email: "OIDC_CLAIM_email",
    email_verified: "OIDC_CLAIM_email_verified",
  },
  authTimeFromEnvironment: "OIDC_CLAIM_auth_time",
  logoutRedirect: `${issuer}/login/callback?logout=${after}`,
});

for (const base of ["", "/auth"]) {
  describe(`another provider authenticates users, Apache with mod_auth_openidc, the issuer's path is "${base}"`, () => {
    let upstream, provider, issuer;
    prepared(async (owned) => {
      upstream = owned(await Deployment.start());
      upstream.sub = (await upstream.addUser(PERSON.username, PERSON.password, PERSON.claims)).sub;
      const front = guarded("cgid", MODULES, async (site) => {
        const here = `https://127.0.0.1:${site.port}${base}`;
        const addresses = [`${here}/logout?signed_out=1`, AFTER_LOGOUT].flatMap((url) => [
          "--post-logout-redirect-uri",
          url,
        ]);
        const { client_secret } = await upstream.addClient(
          `postern-${site.port}`,
          `${here}/login/callback`,
          "--pkce",
          "required",
          ...addresses,
        );
        const example = await loginExample("openidc", {
          PROVIDER: upstream.issuer,
          CLIENT_ID: `postern-${site.port}`,
          CLIENT_SECRET: client_secret,
          PASSPHRASE: "p".repeat(64),
          AUTHORITIES: upstream.caFile,
        });
        // The module of Debian 12 has an error page of its own, that of Debian 13 sets these variables.
        const shipped = `${example}\nErrorDocument 400 "%{reqenv:OIDC_ERROR} %{reqenv:OIDC_ERROR_DESC}"`;
        return base === ""
          ? shipped
          : `${shipped}\nOIDCRedirectURLsAllowed "^https://(127\\.0\\.0\\.1|client\\.example)[:/]"`;
      });
      const registration = { client_secret_basic: ["--post-logout-redirect-uri", AFTER_LOGOUT] };
      provider = owned(await openProvider({ front, base, registration, config: { login: { method: "remote_user" } } }));
      ({ issuer } = provider.deployment);
      await setLogin(provider.deployment, login(issuer, encodeURIComponent(`${issuer}/logout?signed_out=1`)));
      custom.setHttpOptionsDefaults({ ca: provider.deployment.ca, timeout: 60_000 });
    });
    const client = () => provider.clients.client_secret_basic;
    const newPerson = (headers) => new Person([provider.deployment.ca, upstream.ca], PERSON, headers);
    const isHome = (page) => page.location?.href.startsWith(REDIRECT_URI);

    /// One authorization of the client, with whatever forms there are on the way.
    async function authorize(person, parameters) {
      const checks = newChecks();
      const page = await person.signIn(authorizationUrl(client(), checks, parameters), { until: isHome });
      assert.ok(isHome(page), `${page.url}: ${page.status} ${page.title}\n${provider.deployment.log}`);
      return { checks, answer: client().callbackParams(page.location.href) };
    }
    async function tokensOf(person, parameters) {
      const { checks, answer } = await authorize(person, parameters);
      return client().callback(REDIRECT_URI, answer, { ...checks, max_age: parameters?.max_age });
    }

    it("client, Postern, Apache, the other Postern and back, with claims and the time of the login", async () => {
      const person = newPerson();
      const { location } = await person.visit(authorizationUrl(client(), newChecks()));
      assert.equal(location.origin + location.pathname, `${upstream.issuer}/authorize`);
      const started = Math.floor(Date.now() / 1000);
      const tokens = await tokensOf(person);
      const claims = tokens.claims();
      const name = `${upstream.sub}@${upstream.issuer.replace("https://", "")}`;
      assert.ok(claims.auth_time >= started - 1 && claims.auth_time <= Date.now() / 1000, `${claims.auth_time}`);
      const { updated_at, ...info } = await client().userinfo(tokens);
      assert.deepEqual(info, {
        sub: claims.sub,
        preferred_username: name,
        name: PERSON.claims.name,
        email: PERSON.claims.email,
        email_verified: true,
      });
      assert.notEqual(claims.sub, upstream.sub);
      assert.equal((await tokensOf(newPerson())).claims().sub, claims.sub, "one person, whatever the browser");
    });

    it("signing out ends the sign-in here, the module's and the other provider's, and comes back", async () => {
      const person = newPerson();
      const { id_token } = await tokensOf(person);
      const page = await person.open(
        client().endSessionUrl({ id_token_hint: id_token, post_logout_redirect_uri: AFTER_LOGOUT }),
      );
      assert.equal(page.url, `${issuer}/logout?signed_out=1`);
      assert.match(page.title, /signed out/i);
      const again = await person.open(authorizationUrl(client(), newChecks()));
      assert.ok(again.url.startsWith(upstream.issuer), again.url);
      assert.ok(again.form.buttons.login, "the other provider asks for the password again");
    });

    if (base === "") extras();

    it("with {return} one comes out at the application, if module and other provider allow it", async () => {
      await setLogin(provider.deployment, login(issuer, "{return}"));
      const person = newPerson();
      const signOut = async (parameters) => {
        const url = client().endSessionUrl({ id_token_hint: (await tokensOf(person)).id_token, ...parameters });
        return person.signIn(url, { until: (page) => page.location?.href.startsWith("https://client.example/") });
      };
      assert.equal((await signOut({})).url, `${issuer}/logout?signed_out=1`);
      const page = await signOut({ post_logout_redirect_uri: AFTER_LOGOUT });
      if (base === "")
        assert.match(page.body, /does not match/); // by itself the module leads to its own host only
      else assert.equal(page.location?.href, AFTER_LOGOUT);
    });

    function extras() {
      it("the other provider's time proves a login, an old one is refused [OpenID Connect Core §3.1.2.1]", async () => {
        const person = newPerson();
        assert.ok((await tokensOf(person, { prompt: "login" })).claims().auth_time);
        assert.ok((await tokensOf(person, { max_age: 1000 })).claims().auth_time);
        const { auth_time } = (await tokensOf(person)).claims();
        // whole seconds count
        while (Math.floor(Date.now() / 1000) <= auth_time) await new Promise((done) => setTimeout(done, 50));
        assert.equal((await authorize(person, { prompt: "login" })).answer.error, "login_required");
        assert.ok((await authorize(person, { prompt: "none" })).answer.code);
        assert.equal((await authorize(newPerson(), { prompt: "none" })).answer.error, "login_required");
      });

      it("a claim that changes there follows at the next login", async () => {
        await upstream.postern(["user", "set", PERSON.username, "--claim", "email=mara@elsewhere.example"]);
        const { email } = await client().userinfo(await tokensOf(newPerson()));
        assert.equal(email, "mara@elsewhere.example");
      });

      it("a user who denies there gets a page that says so, and is not signed in", async () => {
        const person = newPerson();
        const isCallback = (page) => page.url.startsWith(`${issuer}/login/callback`);
        await upstream.postern(["consent", "revoke", "--user", PERSON.username]);
        const page = await person.signIn(authorizationUrl(client(), newChecks()), {
          decision: "deny",
          until: isCallback,
        });
        assert.ok(isCallback(page), page.url);
        assert.match(page.body, /access_denied/);
      });

      it("headers are neither claims nor a name", async () => {
        const count = (await provider.deployment.postern(["session", "list"])).length;
        for (const name of ["OIDC_CLAIM_sub", "Oidc-Claim-Sub", "Remote-User", "X-Remote-User", "OIDC_CLAIM_email"]) {
          const person = newPerson({ [name]: PERSON.username });
          assert.ok(
            (await person.visit(authorizationUrl(client(), newChecks()))).location.href.startsWith(upstream.issuer),
          );
        }
        assert.equal((await provider.deployment.postern(["session", "list"])).length, count);
        const tokens = await tokensOf(
          newPerson({ "Oidc-Claim-Name": "Mallory", "Oidc-Claim-Auth-Time": "1", "Remote-User": "mallory" }),
        );
        assert.equal((await client().userinfo(tokens)).name, PERSON.claims.name);
        assert.ok(tokens.claims().auth_time > 1);
      });

      it("a real browser keeps the module's cookies, with a long state too, and is signed out", async () => {
        await tokensOf(newPerson()); // from now on the other provider remembers the consent
        const chromium = await openBrowser();
        try {
          const context = await chromium.newContext({ ignoreHTTPSErrors: true });
          const checks = { ...newChecks(), state: "s".repeat(800) };
          const begin = (tab) => tab.goto(authorizationUrl(client(), checks, { prompt: "consent" }));
          const page = await context.newPage();
          await begin(page);
          await page.fill("#username", PERSON.username);
          await page.fill("#password", PERSON.password);
          await page.click("#login");
          await page.waitForURL(`${issuer}/scopes*`);
          // there is no such host
          const arrival = page.waitForEvent("requestfailed", (request) => request.url().startsWith(REDIRECT_URI));
          await page.click("#approve");
          const answer = client().callbackParams((await arrival).url());
          const { id_token } = await client().callback(REDIRECT_URI, answer, checks);
          // the first still goes to the error page of a host that is not there
          const second = await context.newPage();
          await second.goto(client().endSessionUrl({ id_token_hint: id_token }));
          assert.equal(second.url(), `${issuer}/logout?signed_out=1`);
          await begin(second);
          assert.ok(second.url().startsWith(upstream.issuer), second.url());
          await second.waitForSelector("#password");
        } finally {
          await chromium.close();
        }
      });
    }
  });
}
