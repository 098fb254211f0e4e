// go-oidc with golang.org/x/oauth2: an application on a desktop (tests/applications/go/login), as kubelogin and many
// others are built, and an API that verifies access tokens (tests/applications/go/verifier).
import assert from "node:assert/strict";
import { it } from "node:test";
import { Person } from "../clients/person.mjs";
import { BuiltProgram } from "../clients/program.mjs";
import { PERSON, openProvider } from "../clients/provider.mjs";
import { altered, claimsOf, untilExpired } from "../clients/tokens.mjs";
import { prepared } from "../support/prepared.mjs";
import { describeWithGo, goProgram } from "./go_programs.mjs";

const API = "https://reports.example";
const OTHER = "https://other.example";
const PROFILE = ["--access-token-profile", "rfc9068", "--default-resource"];

for (const algorithm of ["RS256", "ES256", "EdDSA"]) {
  describeWithGo(`go-oidc, tokens with ${algorithm}`, () => {
    let provider;
    let deployment;
    prepared(async (owned) => {
      provider = await openProvider({ idTokenAlgorithm: algorithm, accessTokenTTL: 10 });
      deployment = owned(provider.deployment);
      for (const uri of [API, OTHER]) await deployment.postern(["resource", "add", uri, "--scope", "reports"]);
      for (const group of ["staff", "members"]) await deployment.postern(["group", "add", group]);
      await deployment.postern(["group", "member", "add", "staff", PERSON.username]);
      await add("desktop", API);
    });

    const add = (id, resource, ...options) =>
      deployment.addClient(
        id,
        "http://127.0.0.1/callback",
        ...["--public", "--native", "--scope", "openid profile email groups reports"],
        ...[...PROFILE, resource, ...options],
      );

    /// Runs the application; `use` gets it, the address that it wrote, and a person.
    async function withApplication(id, use) {
      const settings = { CLIENT_ID: id, SCOPE: "openid profile email groups reports" };
      const application = new BuiltProgram(goProgram("login"), deployment, settings);
      try {
        const address = await application.line();
        await use(application, address, new Person(deployment.ca));
      } finally {
        await application.stop();
      }
    }

    async function signIn(id) {
      let report;
      await withApplication(id, async (application, address, person) => {
        assert.match((await person.signIn(address)).body, /You can close this page/);
        report = JSON.parse(await application.line());
      });
      return report;
    }

    /// What the API says of each token: its claims, or an error.
    async function verify(audience, tokens) {
      const api = new BuiltProgram(goProgram("verifier"), deployment, { AUDIENCE: audience });
      try {
        const answers = [];
        for (const token of tokens) {
          api.write(token);
          answers.push(JSON.parse(await api.line()));
        }
        return answers;
      } finally {
        await api.stop();
      }
    }

    it("signs a user in with PKCE and a nonce, reads UserInfo, and refreshes", () =>
      withApplication("desktop", async (application, address, person) => {
        const { code_challenge_method, nonce } = Object.fromEntries(new URL(address).searchParams);
        assert.equal(code_challenge_method, "S256");
        assert.ok(nonce);
        await person.signIn(address);
        const first = JSON.parse(await application.line());
        const { sub, name, email, groups } = first.userinfo;
        assert.deepEqual(
          { sub, name, email, groups },
          { sub: provider.sub, name: PERSON.claims.name, email: PERSON.claims.email, groups: ["staff"] },
        );
        application.write("again");
        const second = JSON.parse(await application.line());
        assert.equal(second.claims.sub, provider.sub);
        for (const token of ["id_token", "access_token", "refresh_token"]) assert.notEqual(second[token], first[token]);
      }));

    it("a user who denies consent, or may not use the client, is not signed in", async () => {
      await add("members-only", API, "--allow-group", "members");
      await withApplication("members-only", async (_, address, person) => {
        const page = await person.signIn(address);
        assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
      });
      await withApplication("desktop", async (application, address, person) => {
        await person.signIn(address, { decision: "deny" });
        await assert.rejects(application.line(), /access_denied/);
      });
    });

    it("an API takes an access token for it, and none that is altered, for another API, or has expired", async () => {
      const { access_token: token } = await signIn("desktop");
      await add("other", OTHER);
      const { access_token: another } = await signIn("other");
      const [good, bad, foreign] = await verify(API, [token, altered(token), another]);
      assert.deepEqual(good.claims, claimsOf(token));
      assert.equal(good.claims.sub, provider.sub);
      assert.match(bad.error, /failed to verify signature/);
      assert.match(foreign.error, /expected audience "https:\/\/reports\.example"/);
      await untilExpired(token);
      const [late] = await verify(API, [token]);
      assert.match(late.error, /token is expired/);
    });

    it("without an audience to expect it takes ID tokens, and with ES256 refresh tokens, too", async () => {
      const { id_token, access_token, refresh_token } = await signIn("desktop");
      const kinds = [access_token, id_token, refresh_token];
      const taken = async (audience) => (await verify(audience, kinds)).map(({ error }) => error === undefined);
      assert.deepEqual(await taken(API), [true, false, false]);
      assert.deepEqual(await taken(""), [true, true, algorithm === "ES256"]);
    });
  });
}
