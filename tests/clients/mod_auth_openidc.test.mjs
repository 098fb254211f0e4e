// Apache's mod_auth_openidc, as Debian ships it, with the configuration that examples/clients ships.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { totp } from "../support/totp.mjs";
import { startApache } from "../support/web_server.mjs";
import { signOutElsewhere, tellOfLogouts, withoutFetching } from "./back_channel.mjs";
import { Person } from "./person.mjs";
import { PERSON, openProvider, userinfo as told } from "./provider.mjs";
import { apacheExample } from "./shipped.mjs";
import { Site } from "./site.mjs";

/// Shows the test what the application gets: identity, token, error.
const ECHO = [
  'Header always set X-User "expr=%{REMOTE_USER}"',
  ...["sub", "name", "email", "iss", "aud", "acr"].map(
    (claim) => `Header always set X-Claim-${claim} "%{OIDC_CLAIM_${claim}}e"`,
  ),
  'Header always set X-Token "%{OIDC_access_token}e"',
  // The module of Debian 12 has an error page of its own, that of Debian 13 sets this variable.
  'ErrorDocument 400 "%{reqenv:OIDC_ERROR}"',
];

/// Apache in front of an application; `lines` come behind what is shipped, `registration` are options of `client add`.
function startApplication(deployment, { lines = [], registration = [], secret, prot = "/" } = {}) {
  return Site.start(startApache, deployment, async (site) => {
    const id = `application-${site.port}`;
    const redirect = `${site.origin}/oidc/callback`;
    const { client_secret } = await deployment.addClient(
      id,
      redirect,
      ...["--pkce", "required", "--post-logout-redirect-uri", `${site.origin}/`, ...registration],
    );
    const shipped = apacheExample("mod_auth_openidc.conf", {
      OIDC_ISSUER: deployment.issuer,
      OIDC_CLIENT_ID: id,
      OIDC_CLIENT_SECRET: secret ?? client_secret,
      OIDC_PASSPHRASE: "x".repeat(32),
      OIDC_SITE: site.origin,
      OIDC_PROTECTED: prot,
      OIDC_CA_BUNDLE: site.caFile,
    });
    return {
      modules: ["authn_file", "authz_user", "rewrite", "auth_openidc"],
      lines: [`DocumentRoot "${site.documents}"`, shipped, ...ECHO, ...lines],
    };
  });
}

describe("Apache mod_auth_openidc signs users in", () => {
  let provider;
  let application;
  prepared(async (owned) => {
    provider = owned(await openProvider());
    application = async (options) => owned(await startApplication(provider.deployment, options));
  });

  const newPerson = (site) => new Person([provider.deployment.ca, site.ca]);
  const atCallback = (site) => (page) => page.location?.href.startsWith(`${site.origin}/oidc/callback`);
  const userinfo = (token) => told(provider.deployment, token);

  /// The protected page was served, to this person.
  function signedIn(page, site) {
    assert.equal(page.status, 200, `${page.url}: ${page.title}\n${site.log}`);
    assert.match(page.body, /Application/);
    assert.equal(page.headers["x-user"], PERSON.username);
    assert.equal(page.headers["x-claim-sub"], provider.sub);
    return page.headers["x-token"];
  }
  function notSignedIn(page) {
    assert.equal(page.headers["x-user"] || undefined, undefined);
    assert.doesNotMatch(page.body, /<title>Application/);
  }

  describe("with the shipped configuration", () => {
    let site;
    before(async () => {
      site = await application({
        lines: [
          '<Location "/always">',
          "OIDCRefreshAccessTokenBeforeExpiry 100000",
          "</Location>",
          '<Location "/asked">',
          "OIDCPathAuthRequestParams prompt=consent",
          "</Location>",
          '<Location "/after-a-moment">',
          "OIDCRefreshAccessTokenBeforeExpiry 894",
          "</Location>",
          "FallbackResource /index.html",
        ],
      });
    });

    it("a protected page leads to the sign-in, and back with code and PKCE [RFC 7636 §4.3]", async () => {
      const { location } = await newPerson(site).visit(`${site.origin}/somewhere?a=b&c=d`);
      assert.equal(location.origin + location.pathname, `${provider.deployment.issuer}/authorize`);
      const { response_type, scope, code_challenge_method, code_challenge, nonce } = Object.fromEntries(
        location.searchParams,
      );
      assert.deepEqual(
        { response_type, scope, code_challenge_method },
        { response_type: "code", scope: "openid profile email", code_challenge_method: "S256" },
      );
      assert.ok(code_challenge && nonce);
      const page = await newPerson(site).signIn(`${site.origin}/somewhere?a=b&c=d`);
      signedIn(page, site);
      assert.equal(page.url, `${site.origin}/somewhere?a=b&c=d`);
    });

    it("the application sees the claims of ID token and UserInfo, and a token that is good", async () => {
      const { headers } = await newPerson(site).signIn(`${site.origin}/`);
      assert.equal(Buffer.from(headers["x-claim-name"], "latin1").toString(), PERSON.claims.name);
      assert.equal(headers["x-claim-email"], PERSON.claims.email);
      assert.equal(headers["x-claim-iss"], provider.deployment.issuer);
      assert.equal(headers["x-claim-aud"], `application-${site.port}`);
      assert.equal((await userinfo(headers["x-token"])).status, 200);
    });

    it("a user who denies consent gets the application's own error page", async () => {
      const page = await newPerson(site).signIn(`${site.origin}/asked`, { decision: "deny" });
      notSignedIn(page);
      assert.ok(page.url.startsWith(`${site.origin}/oidc/callback`), page.url);
      assert.match(page.body, /access_denied/);
    });

    it("tokens are refreshed round after round, and each is good [RFC 6749 §6]", async () => {
      const person = newPerson(site);
      const seen = new Set([signedIn(await person.signIn(`${site.origin}/`), site)]);
      for (let round = 0; round < 20; ++round) {
        const token = signedIn(await person.visit(`${site.origin}/always`), site);
        assert.ok(!seen.has(token), `round ${round}: a new token\n${site.log}`);
        seen.add(token);
      }
      assert.equal((await userinfo([...seen].at(-1))).status, 200);
    });

    it("requests that refresh together with one token lose neither session nor grant [RFC 9700 §4.14.2]", async () => {
      const person = newPerson(site);
      const token = signedIn(await person.signIn(`${site.origin}/`), site);
      const { iat } = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
      // new ones are not refreshed at once
      while (Date.now() / 1000 <= iat + 7) await new Promise((done) => setTimeout(done, 20));
      const pages = await Promise.all(Array.from({ length: 8 }, () => person.visit(`${site.origin}/after-a-moment`)));
      const shown = pages.map((page) => signedIn(page, site));
      assert.ok(
        shown.some((one) => one !== token),
        "at least one of them refreshed",
      );
      const kept = signedIn(await person.visit(`${site.origin}/`), site);
      assert.notEqual(kept, token);
      assert.equal((await userinfo(kept)).status, 200);
      const last = signedIn(await person.visit(`${site.origin}/always`), site);
      assert.notEqual(last, kept);
      assert.equal((await userinfo(last)).status, 200, site.log);
    });

    it("signing out ends both and revokes the tokens [RP-Initiated Logout §2, RFC 7009 §2.1]", async () => {
      const person = newPerson(site);
      const token = signedIn(await person.signIn(`${site.origin}/`), site);
      const { location } = await person.visit(
        `${site.origin}/oidc/callback?logout=${encodeURIComponent(`${site.origin}/`)}`,
      );
      assert.equal(location.origin + location.pathname, `${provider.deployment.issuer}/logout`);
      assert.ok(location.searchParams.get("id_token_hint"));
      assert.equal((await userinfo(token)).status, 401, site.log);
      const signedOut = await person.visit(location.href);
      assert.equal(signedOut.location.href, `${site.origin}/`);
      const { form } = await person.open(signedOut.location.href);
      assert.ok(form.buttons.login, "and the password is asked for again");
    });

    it("keys may be rotated while it runs [J18]", async () => {
      const before = await newPerson(site).signIn(`${site.origin}/`);
      await provider.deployment.postern(["key", "rotate", "--lead", "0", "--force"]);
      const after = await newPerson(site).signIn(`${site.origin}/`);
      const kid = (page) => JSON.parse(Buffer.from(signedIn(page, site).split(".")[0], "base64url")).kid;
      assert.notEqual(kid(after), kid(before));
    });
  });

  for (const [mode, ...lines] of [["query"], ["form_post", "OIDCCookieSameSite Off"], ["fragment"]]) {
    it(`response_mode ${mode} brings the same answer, and a refusal is shown`, async () => {
      const site = await application({ lines: [`OIDCResponseMode ${mode}`, ...lines] });
      // The module's page for fragments posts what is behind the # with JavaScript: this is what that does.
      const answer = async (person, page) => {
        if (mode !== "fragment") return person.go(page);
        return person.post(`${site.origin}/oidc/callback`, [
          ...new URLSearchParams(page.location.hash.slice(1)),
          ["response_mode", "fragment"],
        ]);
      };
      for (const decision of ["deny", "approve"]) {
        const person = newPerson(site);
        const page = await person.signIn(`${site.origin}/`, { decision, until: atCallback(site) });
        assert.equal(page.location.searchParams.has("code"), mode === "query" && decision === "approve");
        const shown = await answer(person, page);
        if (decision === "approve") signedIn(shown, site);
        else {
          notSignedIn(shown);
          assert.match(shown.body, /access_denied/);
        }
      }
    });
  }

  it(
    "a user who signs out elsewhere is signed out here, and no other [Back-Channel Logout §2.7]",
    {
      skip: withoutFetching,
    },
    async () => {
      const site = await application();
      const { deployment } = provider;
      const client = `application-${site.port}`;
      await tellOfLogouts(deployment, client, `${site.origin}/oidc/callback?logout=backchannel`, site.authority);
      const [person, other] = [newPerson(site), newPerson(site)];
      for (const each of [person, other]) signedIn(await each.signIn(`${site.origin}/`), site);
      const { deliver } = await signOutElsewhere(deployment, person);
      signedIn(await person.visit(`${site.origin}/`), site);
      await deliver();
      const page = await person.visit(`${site.origin}/`);
      notSignedIn(page);
      assert.equal(page.location?.origin, deployment.origin, site.log);
      signedIn(await other.visit(`${site.origin}/`), site);
    },
  );

  it("a client that may only use client_secret_post", async () => {
    const site = await application({
      registration: ["--auth-method", "client_secret_post"],
      lines: ["OIDCProviderTokenEndpointAuth client_secret_post"],
    });
    signedIn(await newPerson(site).signIn(`${site.origin}/`), site);
  });

  it("with a wrong secret no user is signed in, and the log of the application says why", async () => {
    const site = await application({ secret: "x".repeat(43) });
    notSignedIn(await newPerson(site).signIn(`${site.origin}/`));
    assert.match(site.log, /invalid_client/);
  });

  it("prompt=none signs in a user with a session elsewhere without a page, and no other user", async () => {
    const elsewhere = await application();
    const site = await application({ registration: ["--first-party"], lines: ["OIDCAuthRequestParams prompt=none"] });
    const person = new Person([provider.deployment.ca, elsewhere.ca, site.ca]);
    const stranger = await person.open(`${site.origin}/`);
    notSignedIn(stranger);
    assert.match(stranger.body, /login_required/);
    signedIn(await person.signIn(`${elsewhere.origin}/`), elsewhere);
    signedIn(await person.open(`${site.origin}/`), site);
  });

  it("a path that wants more than a password steps up [LEVEL-9, RFC 9470 §4]", async () => {
    const mfa = "https://refeds.org/profile/mfa";
    const site = await application({
      lines: [
        '<Location "/vault">',
        `Require claim acr:${mfa}`,
        "OIDCUnAutzAction auth",
        `OIDCPathAuthRequestParams acr_values=${encodeURIComponent(mfa)}`,
        "</Location>",
        "FallbackResource /index.html",
      ],
    });
    const person = newPerson(site);
    const first = await person.signIn(`${site.origin}/`);
    signedIn(first, site);
    assert.match(first.headers["x-claim-acr"], /PasswordProtectedTransport$/);

    const elsewhere = newPerson(site);
    const set = await elsewhere.signIn(`${provider.deployment.issuer}/account/app`);
    const [, key] = set.body.match(/id="key"[^>]*>([A-Z2-7 ]+)</);
    const code = (seconds) => totp(key, provider.deployment.now() + seconds);
    const on = await elsewhere.post(set.form.action, { ...set.form.fields, code: code(0) });
    assert.match(on.body, /Your app is on/);
    try {
      // The module answers with a page that goes there by itself.
      const { body } = await person.visit(`${site.origin}/vault`);
      const step = await person.signIn(body.match(/http-equiv="refresh" content="0; url=([^"]+)"/)[1]);
      assert.match(step.title, /One more step/);
      const page = await person.post(step.form.action, { ...step.form.fields, code: code(30) });
      signedIn(page, site);
      assert.equal(page.url, `${site.origin}/vault`);
      assert.equal(page.headers["x-claim-acr"], mfa);
    } finally {
      await provider.deployment.postern(["user", "factors", PERSON.username, "--remove", "all"]);
    }
  });
});

describe("Apache mod_auth_openidc and other algorithms", () => {
  // Each beside a key set that also has keys the module does not know.
  for (const [idTokenAlgorithm, accessTokenAlgorithm] of [
    ["ES256", "RS256"],
    ["RS256", "EdDSA"],
  ]) {
    it(`ID tokens by ${idTokenAlgorithm}, access tokens by ${accessTokenAlgorithm}`, async () => {
      const { deployment } = await openProvider({ idTokenAlgorithm, accessTokenAlgorithm });
      let site;
      try {
        site = await startApplication(deployment);
        const page = await new Person([deployment.ca, site.ca]).signIn(`${site.origin}/`);
        assert.equal(page.headers["x-user"], PERSON.username, site.log);
      } finally {
        await site?.stop();
        await deployment.stop();
      }
    });
  }
});
