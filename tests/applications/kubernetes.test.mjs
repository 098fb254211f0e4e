// The authenticator of the Kubernetes API server (tests/applications/go/authenticator), for users whom the application
// of tests/applications/go/login signs in, as kubelogin does for kubectl.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { Person } from "../clients/person.mjs";
import { BuiltProgram } from "../clients/program.mjs";
import { PERSON, openProvider } from "../clients/provider.mjs";
import { altered, untilExpired } from "../clients/tokens.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { describeWithGo, goProgram } from "./go_programs.mjs";

const SCOPE = "openid profile groups offline_access";

/// The file of docs/clients/kubernetes.md, but for the names of this machine; YAML may be JSON.
const configuration = ({ issuer, ca }) => ({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthenticationConfiguration",
  jwt: [
    {
      issuer: { url: issuer, audiences: ["kubernetes"], certificateAuthority: ca },
      claimMappings: {
        username: { claim: "preferred_username", prefix: "postern:" },
        groups: { claim: "groups", prefix: "postern:" },
      },
    },
  ],
});

for (const algorithm of ["RS256", "ES256"]) {
  describeWithGo(`Kubernetes API server, ID tokens with ${algorithm}`, () => {
    let deployment;
    let directory;
    let server;
    prepared(async (owned) => {
      ({ deployment } = owned(await openProvider({ idTokenAlgorithm: algorithm, idTokenTTL: 10 })));
      for (const group of ["cluster-admins", "members"]) await deployment.postern(["group", "add", group]);
      await deployment.postern(["group", "member", "add", "cluster-admins", PERSON.username]);
      await add("kubernetes");
      directory = temporaryDirectory();
      const file = join(directory, "authentication.json");
      await writeFile(file, JSON.stringify(configuration(deployment)));
      server = owned(new BuiltProgram(goProgram("authenticator"), deployment, {}, file));
    });

    const add = (id, ...options) =>
      deployment.addClient(id, "http://127.0.0.1/callback", "--public", "--native", "--scope", SCOPE, ...options);

    /// Signs the person in at the client; `use` gets the tokens, and what gets more of them.
    async function signIn(id, use = (tokens) => tokens) {
      const application = new BuiltProgram(goProgram("login"), deployment, { CLIENT_ID: id, SCOPE });
      try {
        const page = await new Person(deployment.ca).signIn(await application.line());
        if (page.status !== 200) return page;
        const tokens = async () => JSON.parse(await application.line());
        return await use(await tokens(), () => (application.write("again"), tokens()));
      } finally {
        await application.stop();
      }
    }

    async function authenticate(token) {
      server.write(token);
      return JSON.parse(await server.line());
    }

    const user = { username: `postern:${PERSON.username}`, uid: "", groups: ["postern:cluster-admins"] };

    it("takes an ID token, with the user's name and groups, and that of a refresh", () =>
      signIn("kubernetes", async ({ id_token: token }, refresh) => {
        assert.deepEqual(await authenticate(token), user);
        const { id_token: next } = await refresh();
        assert.notEqual(next, token);
        assert.deepEqual(await authenticate(next), user);
        await untilExpired(next);
        assert.match((await authenticate(next)).error, /token is expired/);
        assert.deepEqual(await authenticate((await refresh()).id_token), user);
      }));

    it("refuses an ID token of another client, and one that is altered", async () => {
      await add("another");
      const { id_token: foreign } = await signIn("another");
      assert.match((await authenticate(foreign)).error, /expected audience "kubernetes" got \["another"\]/);
      const { id_token: token } = await signIn("kubernetes");
      assert.match((await authenticate(altered(token))).error, /failed to verify signature/);
    });

    it("refuses access tokens and refresh tokens", async () => {
      const { access_token, refresh_token } = await signIn("kubernetes");
      for (const token of [access_token, refresh_token]) assert.ok((await authenticate(token)).error);
    });

    it("finds no user name with --no-id-token-claims", async () => {
      await deployment.postern(["client", "set", "kubernetes", "--no-id-token-claims"]);
      const { id_token: token } = await signIn("kubernetes");
      assert.match((await authenticate(token)).error, /claim not present/);
      await deployment.postern(["client", "set", "kubernetes", "--id-token-claims"]);
    });

    it("a user who may not use the client gets no token", async () => {
      await add("members-only", "--allow-group", "members");
      assert.equal((await signIn("members-only")).status, 403);
    });
  });
}
