// Client secrets that an operator chose: each library form-encodes them for HTTP Basic as RFC 6749 §2.3.1 says.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AWKWARD_SECRETS, addClientWithSecret } from "../clients/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { LIBRARIES } from "./libraries.mjs";
import { openProvider } from "./relying_party.mjs";

describe("secrets that mean something else when they are form-decoded", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ config: { scopeDescriptions: { reports: "Read reports" } } }));
  });

  for (const method of ["client_secret_basic", "client_secret_post"]) {
    for (const [which, secret] of AWKWARD_SECRETS.entries()) {
      it(`${secret} by ${method}`, async () => {
        const { deployment, issuer } = provider;
        const client_id = `awkward-${which}-${method}`;
        const options = ["--auth-method", method, "--grant", "client_credentials", "--scope", "reports"];
        await addClientWithSecret(deployment, client_id, secret, "https://client.example/callback", ...options);
        const registered = new issuer.Client({ client_id, client_secret: secret, token_endpoint_auth_method: method });
        for (const Library of Object.values(LIBRARIES)) {
          const client = (other) => new Library({ ...provider, clients: { [method]: registered } }, method, other);
          const { access_token } = await client().clientCredentials("reports");
          assert.equal((await client().introspect(access_token)).sub, client_id);
          await assert.rejects(client(`${secret}x`).clientCredentials("reports"), { error: "invalid_client" });
          await assert.rejects(client(encodeURIComponent(secret)).clientCredentials("reports"), {
            error: "invalid_client",
          });
        }
      });
    }
  }
});
