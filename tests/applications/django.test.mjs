// mozilla-django-oidc, django-allauth and social-auth-app-django, in a site of Django
// (tests/applications/django_site.py).
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PythonApplication } from "../clients/program.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider, userinfo } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";

const LIBRARIES = {
  "mozilla-django-oidc": {
    login: "/oidc/authenticate/",
    callback: "/oidc/callback/",
    logout: "/oidc/logout/",
    // It calls a user what the address hashes to, and keeps no subject.
    knows: ({ username, email }) => assert.ok(username && email === PERSON.claims.email),
    denied: (page, origin) => assert.deepEqual([page.url, page.status], [`${origin}/`, 401]),
  },
  "django-allauth": {
    login: "/accounts/oidc/postern/login/",
    callback: "/accounts/oidc/postern/login/callback/",
    logout: "/accounts/logout/",
    knows: ({ username, email, first_name, accounts }, sub) =>
      assert.deepEqual(
        { username, email, first_name, accounts },
        {
          username: PERSON.username,
          email: PERSON.claims.email,
          first_name: PERSON.claims.given_name,
          accounts: [sub],
        },
      ),
    denied: (page) =>
      assert.match(page.url, /\/accounts\/(3rdparty\/login\/cancelled\/|oidc\/postern\/login\/callback\/\?error=)/),
  },
  // NetBox and Weblate use it.
  "social-auth-app-django": {
    login: "/oauth/login/oidc/",
    posts: true, // version 8 demands it
    callback: "/oauth/complete/oidc/",
    logout: "/logout/",
    knows: ({ username, email, first_name, accounts }, sub) =>
      assert.deepEqual(
        { username, email, first_name, accounts },
        {
          username: PERSON.username,
          email: PERSON.claims.email,
          first_name: PERSON.claims.given_name,
          accounts: [sub],
        },
      ),
    denied: (page) => assert.deepEqual([new URL(page.url).pathname, page.status], ["/oauth/complete/oidc/", 403]),
    misconfigured: (page) =>
      assert.deepEqual([new URL(page.url).pathname, page.status], ["/oauth/complete/oidc/", 500]),
  },
};

for (const [
  library,
  { login, posts = false, callback, logout, knows, denied, misconfigured = denied },
] of Object.entries(LIBRARIES)) {
  describe(library, () => {
    let provider;
    let directory;
    prepared(async (owned) => {
      directory = temporaryDirectory();
      provider = owned(await openProvider({ idTokenAlgorithms: ["RS256", "ES256"] }));
      await provider.deployment.postern(["group", "add", "members"]);
    });

    /// Runs while `use` has it; `options` are more of `client add`, `settings` the site's.
    async function withSite(id, use, { options = [], settings = {} } = {}) {
      const { deployment } = provider;
      const site = await PythonApplication.start(
        join(BUILD, "applications/django/bin/python"),
        "../applications/django_site.py",
        deployment,
        { LIBRARY: library, CLIENT_ID: id, CLIENT_SECRET: SECRET, DATABASE: join(directory, `${id}.db`), ...settings },
      );
      const { origin } = site;
      try {
        const home = ["--post-logout-redirect-uri", `${origin}/`];
        await addClientWithSecret(deployment, id, SECRET, origin + callback, ...home, ...options);
        await use(origin, new Person(deployment.ca));
      } finally {
        await site.stop();
      }
    }

    /// To where the site sends a person who wants to sign in: Postern's page.
    const begin = (origin, person) => (posts ? person.post(origin + login, {}) : person.open(origin + login));
    const signIn = async (origin, person, options) => person.signInFrom(await begin(origin, person), options);

    async function signedIn(origin, person) {
      const page = await signIn(origin, person);
      assert.deepEqual([page.url, page.status], [`${origin}/`, 200], page.title + page.body.slice(0, 2000));
      return JSON.parse(page.body);
    }

    it("signs a user in; it sends no PKCE until it is told to", () =>
      withSite("plain", async (origin, person) => {
        const { headers } = await request(origin + login, { method: posts ? "POST" : "GET" });
        const asked = new URL(headers.location).searchParams;
        assert.deepEqual([asked.get("client_id"), asked.get("code_challenge")], ["plain", null]);
        knows(await signedIn(origin, person), provider.sub);
      }));

    it("with PKCE switched on it does, and the client may demand it", () =>
      withSite("pkce", async (origin, person) => knows(await signedIn(origin, person), provider.sub), {
        options: ["--pkce", "required"],
        settings: { PKCE: "yes" },
      }));

    it("without, a client that demands PKCE is refused", () =>
      withSite(
        "no-pkce",
        async (origin, person) => {
          misconfigured(await signIn(origin, person), origin);
          assert.equal((await person.open(`${origin}/`)).status, 401);
        },
        { options: ["--pkce", "required"] },
      ));

    it("a user who may not use the client, or denies consent, is not signed in", () =>
      withSite("members", async (origin, person) => {
        denied(await signIn(origin, person, { decision: "deny" }), origin);
        await provider.deployment.postern(["client", "set", "members", "--allow-group", "members"]);
        const page = await signIn(origin, new Person(provider.deployment.ca));
        assert.deepEqual([new URL(page.url).origin, page.status], [provider.deployment.origin, 403], page.title);
        assert.equal((await person.open(`${origin}/`)).status, 401);
      }));

    if (library === "mozilla-django-oidc") {
      it("asks again with prompt=none after a while, and signs a user out who was disabled", () =>
        withSite("renewing", async (origin, person) => {
          await signedIn(origin, person);
          await new Promise((done) => setTimeout(done, 3000));
          const { location } = await person.visit(`${origin}/`);
          assert.equal(location.searchParams.get("prompt"), "none");
          assert.equal((await person.go({ location })).status, 200);
          await provider.deployment.postern(["user", "disable", PERSON.username]);
          await new Promise((done) => setTimeout(done, 3000));
          assert.equal((await person.open(`${origin}/`)).status, 401);
          await provider.deployment.postern(["user", "enable", PERSON.username]);
        }));

      it("signs out of the site and of Postern", () =>
        withSite("leaving", async (origin, person) => {
          await signedIn(origin, person);
          const page = await person.post(origin + logout, {});
          assert.deepEqual([page.url, page.status], [`${origin}/`, 401]);
          assert.ok((await begin(origin, person)).form.buttons.login, "asked for the password again");
        }));
    } else {
      if (library === "social-auth-app-django") {
        const options = ["--id-token-signed-response-alg", "ES256"];

        it("takes ID tokens with ES256 when it is told to", () =>
          withSite("es256", async (origin, person) => knows(await signedIn(origin, person), provider.sub), {
            options,
            settings: { ALGORITHM: "ES256" },
          }));

        it("takes ID tokens with RS256 alone otherwise", () =>
          withSite(
            "not-rs256",
            async (origin, person) => {
              assert.equal((await signIn(origin, person)).status, 502);
              assert.equal((await person.open(`${origin}/`)).status, 401);
            },
            { options },
          ));

        it("refreshes, until the user is disabled", () =>
          withSite("refreshing", async (origin, person) => {
            await signedIn(origin, person);
            const refresh = async () => JSON.parse((await person.open(`${origin}/refresh/`)).body);
            const first = await refresh();
            const second = await refresh();
            assert.deepEqual([first.before === first.after, second.before], [false, first.after]);
            assert.equal((await userinfo(provider.deployment, second.access)).status, 200);
            await provider.deployment.postern(["user", "disable", PERSON.username]);
            assert.ok((await refresh()).refused);
            await provider.deployment.postern(["user", "enable", PERSON.username]);
          }));
      }

      it("signs out of the site alone", () =>
        withSite("leaving", async (origin, person) => {
          await signedIn(origin, person);
          await person.post(origin + logout, {});
          assert.equal((await person.open(`${origin}/`)).status, 401);
          assert.equal((await begin(origin, person)).url, `${origin}/`, "without the password");
        }));
    }
  });
}
