// APIs that verify access tokens of profile rfc9068 themselves, with libraries as they are published: an application of
// Express (tests/clients/express/api.mjs) and one of Python (tests/clients/python/pyjwt_api.py).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { NodeApplication, PythonProgram } from "./program.mjs";
import { altered, openTokenSource, untilExpired } from "./tokens.mjs";

const API = "https://reports.example";
const OTHER = "https://other.example/v1";

/// What each says of a token, by what is wrong with it. `unlike` is what profile interface lacks for it; aws-jwt-verify
/// demands nothing of the profile, and reads no `typ`.
const LIBRARIES = {
  oauth4webapi: {
    audience: /"aud"/,
    expired: /"exp"/,
    signature: /signature/,
    type: /"typ"/,
    unlike: { claim: /"client_id"/ },
  },
  "express-oauth2-jwt-bearer": {
    audience: /'aud'/,
    expired: /"exp"/,
    signature: /signature/,
    type: /'(typ|alg)'/,
    unlike: { claim: /'client_id'/, algorithm: /'alg'/ },
  },
  "aws-jwt-verify": {
    audience: /Audience/,
    expired: /expired/,
    signature: /signature/,
    type: /Audience/,
  },
  PyJWT: {
    audience: /InvalidAudience/,
    expired: /ExpiredSignature/,
    signature: /InvalidSignature/,
    type: /not an access token/,
    unlike: { claim: /"client_id"/, algorithm: /InvalidAlgorithm/ },
  },
};

/// An API with the name `audience`, once in each language.
class ResourceServers {
  static async start(deployment, audience) {
    const servers = new ResourceServers();
    const settings = { AUDIENCE: audience };
    servers.python = new PythonProgram("pyjwt_api.py", deployment, { ...settings, SSL_CERT_FILE: deployment.caFile });
    try {
      servers.express = await NodeApplication.start("express/api.mjs", deployment, settings);
    } catch (error) {
      await servers.stop();
      throw error;
    }
    return servers;
  }

  async stop() {
    await this.python.stop();
    await this.express?.stop();
  }

  /// { claims } of a token that the library accepts, else its { error }.
  async judge(library, token) {
    if (library === "PyJWT")
      return this.python.call("verify", { token }).then(
        (claims) => ({ claims }),
        ({ message }) => ({ error: message }),
      );
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await request(`${this.express.origin}/${library}`, { headers });
    return status === 200 ? { claims: JSON.parse(body) } : { error: JSON.parse(body).error };
  }
}

for (const algorithm of ["RS256", "ES256", "EdDSA"]) {
  describe(`resource servers, ID tokens with ${algorithm} and so access tokens of profile rfc9068`, () => {
    let source;
    let servers;
    let others;
    let tokens; // by what they are
    prepared(async (owned) => {
      const config = { accessTokenProfile: "rfc9068", defaultResource: OTHER, idTokenAlgorithm: algorithm };
      source = owned(await openTokenSource({ config }));
      for (const uri of [API, OTHER]) await source.deployment.postern(["resource", "add", uri, "--scope", "reports"]);
      servers = owned(await ResourceServers.start(source.deployment, API));
      others = owned(await ResourceServers.start(source.deployment, OTHER));
      tokens = await someTokens();
    });

    const ofPerson = (resource, application) => source.ofPerson(undefined, undefined, { resource, application });

    async function someTokens() {
      const older = await source.addApplication("older", "--access-token-profile", "interface");
      const lifetime = (seconds) =>
        source.deployment.postern(["resource", "set", API, "--access-token-ttl", `${seconds}`]);
      await lifetime(1);
      const { access_token: expired } = await ofPerson(API);
      await lifetime(0);
      const { access_token, id_token, refresh_token } = await ofPerson(API);
      await untilExpired(expired);
      return {
        valid: access_token,
        id_token,
        refresh_token,
        expired,
        other: (await ofPerson(OTHER)).access_token,
        unnamed: (await ofPerson(undefined)).access_token,
        older: (await ofPerson(API, older)).access_token,
        olderUnnamed: (await ofPerson(undefined, older)).access_token,
      };
    }

    for (const [library, says] of Object.entries(LIBRARIES)) {
      describe(library, () => {
        async function refused(token, reason) {
          const { error, claims } = await servers.judge(library, token);
          assert.ok(error, `accepted: ${JSON.stringify(claims)}`);
          assert.match(error, reason);
        }

        it("a token for the API is accepted: scope, client, login [ATP-1, RES-1, RES-9, RFC 9068 §4]", async () => {
          const { claims, error } = await servers.judge(library, tokens.valid);
          assert.equal(error, undefined);
          const { iss, sub, aud, client_id, scope, auth_time, iat, amr } = claims;
          assert.deepEqual(
            { iss, sub, aud, client_id, scope, amr },
            {
              iss: source.deployment.issuer,
              sub: source.sub,
              aud: API,
              client_id: "application",
              scope: "reports",
              amr: ["pwd"],
            },
          );
          assert.ok(auth_time <= iat);
        });

        it("a token for another API is refused, and accepted there [ATP-1, RFC 8707 §3, RFC 9068 §4]", async () => {
          await refused(tokens.other, says.audience);
          assert.equal((await others.judge(library, tokens.other)).claims?.aud, OTHER);
          assert.match((await others.judge(library, tokens.valid)).error, says.audience);
        });

        it("a token whose request names no API is for the default one [ATP-4, RFC 9068 §3b]", async () => {
          await refused(tokens.unnamed, says.audience);
          assert.equal((await others.judge(library, tokens.unnamed)).claims?.aud, OTHER);
        });

        it("a token that has expired, and one with another signature, are refused [RFC 9068 §4]", async () => {
          await refused(tokens.expired, says.expired);
          await refused(altered(tokens.valid), says.signature);
        });

        it("ID tokens and refresh tokens are not accepted as access tokens [ATP-1, RFC 9068 §5a]", async () => {
          await refused(tokens.id_token, says.type);
          await refused(tokens.refresh_token, says.type);
        });

        it("a token of profile interface is refused if the library demands more, and without aud", async () => {
          const { claims, error } = await servers.judge(library, tokens.older);
          // Those tokens have ES256, whatever ID tokens have.
          const reason = (algorithm !== "ES256" && says.unlike?.algorithm) || says.unlike?.claim;
          if (reason) assert.match(error, reason);
          else assert.equal(claims?.cid, "older");
          assert.ok((await servers.judge(library, tokens.olderUnnamed)).error);
        });
      });
    }

    it("PyJWT is the one that Debian ships", async (context) => {
      const version = await servers.python.call("version");
      context.diagnostic(`python3-jwt ${version}`);
      assert.match(version, /^2\./);
    });
  });
}

it("a library that goes by the algorithms of ID tokens refuses another accessTokenAlgorithm [ATP-1]", async () => {
  const source = await openTokenSource({
    config: { accessTokenProfile: "rfc9068", defaultResource: API, accessTokenAlgorithm: "ES256" },
  });
  let servers;
  try {
    servers = await ResourceServers.start(source.deployment, API);
    const { access_token: token } = await source.ofPerson();
    for (const [library, { unlike }] of Object.entries(LIBRARIES)) {
      const { claims, error } = await servers.judge(library, token);
      if (unlike?.algorithm) assert.match(error, unlike.algorithm, library);
      else assert.equal(claims?.aud, API, `${library}: ${error}`);
    }
  } finally {
    await servers?.stop();
    await source.deployment.stop();
  }
});
