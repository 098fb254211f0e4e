// Apache's mod_oauth2, as Debian ships it, in front of an API, with the two configurations that examples/clients ships.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { startApache } from "../support/web_server.mjs";
import { PERSON } from "./provider.mjs";
import { apacheExample } from "./shipped.mjs";
import { Site } from "./site.mjs";
import { API_CLIENT, altered, openTokenSource } from "./tokens.mjs";

const AUDIENCE = "https://reports.example";
const DEFAULT = ["--default-resource", "https://default.example"]; // without which there is no profile rfc9068

/// What the API was told about the caller, for the test to see.
const ECHO = [
  'Header always set X-User "expr=%{REMOTE_USER}"',
  ...["sub", "scope", "username", "client_id", "cid", "aud"].map(
    (claim) => `Header always set X-Claim-${claim} "%{OAUTH2_CLAIM_${claim}}e"`,
  ),
];

/// With the line that the file has as a comment.
function forOneApi(text) {
  const line = '# Require oauth2_claim "aud:https://api.example.org"';
  assert.ok(text.includes(line));
  return text.replace(line, `Require oauth2_claim "aud:${AUDIENCE}"`);
}

/// The module knows the machine's authorities only, so the provider is asked over http, which its issuer may be on a
/// loopback host.
function startApi({ deployment, api }, lines = []) {
  return Site.start(startApache, deployment, (site) => {
    const values = { API_ISSUER: deployment.issuer, API_SCOPE: "reports" };
    return {
      modules: ["authn_file", "authz_user", "oauth2"],
      lines: [
        `DocumentRoot "${site.documents}"`,
        "FallbackResource /index.html",
        apacheExample("mod_oauth2-introspect.conf", {
          ...values,
          API_PATH: "/introspect",
          API_CLIENT_ID: api.client_id,
          API_CLIENT_SECRET: api.client_secret,
        }),
        apacheExample("mod_oauth2-jwks.conf", { ...values, API_PATH: "/jwks" }),
        forOneApi(apacheExample("mod_oauth2-jwks.conf", { ...values, API_PATH: "/audience" })),
        ...ECHO,
        ...lines,
      ],
    };
  });
}

const ask = (site, path, token) =>
  request(`${site.origin}${path}`, {
    ca: site.ca,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

describe("Apache mod_oauth2 in front of an API", () => {
  let source;
  let site;
  prepared(async (owned) => {
    source = owned(await openTokenSource({ tls: false }));
    site = owned(await startApi(source));
  });

  async function admitted(path, token) {
    const { status, headers, body } = await ask(site, path, token);
    assert.equal(status, 200, site.log);
    assert.match(body, /Application/);
    return headers;
  }
  async function refused(path, token) {
    const answer = await ask(site, path, token);
    assert.equal(answer.status, 401, `${path} ${token}\n${site.log}`);
    assert.doesNotMatch(answer.body, /<title>Application/);
    return answer;
  }

  for (const [path, clientClaim] of [
    ["/introspect", "client_id"],
    ["/jwks", "cid"],
  ]) {
    describe(path.slice(1), () => {
      it("a user's token is accepted, and the API knows the user", async () => {
        const { access_token } = await source.ofPerson();
        const headers = await admitted(path, access_token);
        assert.equal(headers["x-user"], source.sub);
        assert.equal(headers["x-claim-sub"], source.sub);
        assert.equal(headers["x-claim-scope"], "openid profile reports");
        assert.equal(headers["x-claim-username"], PERSON.username);
        assert.equal(headers[`x-claim-${clientClaim}`], "application");
      });

      it("so does the token of a program [RFC 6749 §4.4]", async () => {
        const headers = await admitted(path, (await source.ofProgram()).access_token);
        assert.deepEqual(
          [headers["x-user"], headers["x-claim-scope"], headers[`x-claim-${clientClaim}`]],
          ["program", "reports", "program"],
        );
      });

      it("no token, garbage, a changed token and one in the query are refused [RFC 6750 §3.1]", async () => {
        const { access_token } = await source.ofPerson();
        const unsigned = access_token.slice(0, access_token.lastIndexOf(".") + 1);
        assert.match((await refused(path)).headers["www-authenticate"], /^Bearer/);
        for (const token of ["x", "", unsigned, altered(access_token)]) await refused(path, token);
        await refused(`${path}?access_token=${access_token}`);
      });

      it("a token of another scope is refused, also where the name is only a part of it", async () => {
        await refused(path, (await source.ofPerson("openid profile")).access_token);
        await refused(path, (await source.ofPerson("reports-of-others")).access_token);
      });

      it("ID tokens and refresh tokens are not accepted as access tokens [RFC 9068 §5]", async () => {
        const { id_token, refresh_token } = await source.ofPerson();
        await refused(path, id_token);
        await refused(path, refresh_token);
      });

      it("a caller cannot name its own user", async () => {
        const { access_token } = await source.ofProgram();
        const forged = {
          OAUTH2_CLAIM_sub: source.sub,
          OAUTH2_CLAIM_username: PERSON.username,
          authorization: `Bearer ${access_token}`,
        };
        const { headers } = await request(`${site.origin}${path}`, { ca: site.ca, headers: forged });
        assert.deepEqual([headers["x-user"], headers["x-claim-sub"]], ["program", "program"]);
        assert.notEqual(headers["x-claim-username"], PERSON.username);
      });
    });
  }

  for (const profile of ["interface", "rfc9068"]) {
    it(`profile ${profile}: a token for the API is accepted, one for another or for none is not [RES-1]`, async () => {
      const application = await source.addApplication(`of-${profile}`, "--access-token-profile", profile, ...DEFAULT);
      const of = async (resource) =>
        (await source.ofPerson(undefined, undefined, { application, resource })).access_token;
      const token = await of(AUDIENCE);
      assert.equal((await admitted("/audience", token))["x-claim-aud"], AUDIENCE);
      for (const other of [`${AUDIENCE}/v2`, undefined]) {
        const theirs = await of(other);
        await refused("/audience", theirs);
        await admitted("/jwks", theirs);
      }
    });
  }

  it("a revoked token is refused at once by introspection, and accepted until it expires by keys", async () => {
    const { access_token } = await source.ofPerson();
    await admitted("/introspect", access_token);
    await admitted("/jwks", access_token);
    await source.revoke(access_token);
    await refused("/introspect", access_token);
    await admitted("/jwks", access_token);
  });

  it("keys may be rotated while it runs [J18]", async () => {
    await admitted("/jwks", (await source.ofPerson()).access_token);
    await source.deployment.postern(["key", "rotate", "--lead", "0", "--force"]);
    const { access_token } = await source.ofPerson();
    await admitted("/jwks", access_token);
    await admitted("/introspect", access_token);
  });

  it("an API whose secret is wrong refuses every caller", async () => {
    const { access_token } = await source.ofPerson();
    const other = await startApi({ ...source, api: { client_id: API_CLIENT, client_secret: "x".repeat(43) } });
    try {
      assert.equal((await ask(other, "/introspect", access_token)).status, 401);
    } finally {
      await other.stop();
    }
  });
});

it("Apache mod_oauth2 refuses what has expired, whichever way it verifies", async () => {
  const source = await openTokenSource({ tls: false, config: { accessTokenTTL: 2 } });
  let site;
  try {
    site = await startApi(source);
    const { access_token: fresh } = await source.ofPerson();
    for (const path of ["/introspect", "/jwks"]) assert.equal((await ask(site, path, fresh)).status, 200, site.log);
    const token = await source.expired();
    for (const path of ["/introspect", "/jwks"]) {
      assert.equal((await ask(site, path, token)).status, 401);
      assert.equal((await ask(site, path, fresh)).status, 401, "neither is it believed because it was once");
    }
  } finally {
    await site?.stop();
    await source.deployment.stop();
  }
});
