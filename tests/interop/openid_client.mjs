// openid-client 6 behind the interface of libraries.mjs.
import * as client from "openid-client";
import { fetchTrusting, importKey } from "./fetch.mjs";
import { PLAIN_REDIRECT_URI } from "./relying_party.mjs";

const AUTHENTICATION = {
  client_secret_basic: client.ClientSecretBasic,
  client_secret_post: client.ClientSecretPost,
  none: client.None,
};

/// Adds what the server said where the library keeps to the challenge or to the answer.
async function refusal(caught) {
  if (caught instanceof client.WWWAuthenticateChallengeError) {
    const [{ parameters }] = caught.cause;
    caught.error = parameters.error ?? (await caught.response.json()).error;
  }
  return caught;
}

async function ask(promise) {
  try {
    return await promise;
  } catch (caught) {
    throw await refusal(caught);
  }
}

async function tokensOf(promise) {
  const tokens = await ask(promise);
  return { ...tokens, claims: tokens.claims() };
}

export class OpenidClient {
  redirectUri = PLAIN_REDIRECT_URI; // it leaves a query out of the redirect_uri that it redeems a code with
  #provider;
  #metadata;
  #method;
  #secret;
  #keyPair;

  constructor(provider, method, secret) {
    const { metadata, signing } = provider.clients[method];
    this.#provider = provider;
    this.#metadata = metadata;
    this.#method = method;
    this.#secret = secret ?? (method === "private_key_jwt" ? signing : metadata.client_secret);
  }

  async #authentication() {
    if (this.#method !== "private_key_jwt") return AUTHENTICATION[this.#method](this.#secret);
    return client.PrivateKeyJwt(await this.#signing());
  }

  async #signing() {
    return { key: await importKey(this.#secret), kid: this.#secret.kid };
  }

  /// What an application discovers at its start; `execute` is what it expects of answers.
  async #discover(...execute) {
    const { client_id, id_token_signed_response_alg } = this.#metadata;
    const { issuer, ca } = this.#provider.deployment;
    return client.discovery(
      new URL(issuer),
      client_id,
      { id_token_signed_response_alg },
      await this.#authentication(),
      { [client.customFetch]: fetchTrusting(ca), execute },
    );
  }

  async #bound(config) {
    return this.#keyPair ? { DPoP: client.getDPoPHandle(config, this.#keyPair) } : {};
  }

  /// Proves with a new key from now on, which the library makes.
  async useKey() {
    this.#keyPair = await client.randomDPoPKeyPair();
  }

  async callback({ location, posted }, { state, nonce, code_verifier }) {
    const answer = posted ? new Request(this.redirectUri, { method: "POST", body: posted }) : location;
    const signed = (posted ?? location.searchParams).has("response");
    const config = await (signed ? this.#discover(client.useJwtResponseMode) : this.#discover());
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: code_verifier };
    return tokensOf(client.authorizationCodeGrant(config, answer, checks, undefined, await this.#bound(config)));
  }

  /// The address has `request_uri` alone; how long that is good the library keeps to itself.
  async push(parameters) {
    const config = await this.#discover();
    const url = await ask(client.buildAuthorizationUrlWithPAR(config, parameters, await this.#bound(config)));
    return { request_uri: url.searchParams.get("request_uri") };
  }

  /// Answers a request object.
  async sign(parameters) {
    const url = await client.buildAuthorizationUrlWithJAR(await this.#discover(), parameters, await this.#signing());
    return url.searchParams.get("request");
  }

  async refresh(token, parameters) {
    const config = await this.#discover();
    return tokensOf(client.refreshTokenGrant(config, token, parameters, await this.#bound(config)));
  }

  async clientCredentials(scope) {
    return tokensOf(client.clientCredentialsGrant(await this.#discover(), { scope }));
  }

  async introspect(token, hint) {
    return ask(client.tokenIntrospection(await this.#discover(), token, hint && { token_type_hint: hint }));
  }

  async revoke(token, hint) {
    return ask(client.tokenRevocation(await this.#discover(), token, hint && { token_type_hint: hint }));
  }

  async userinfo({ access_token, claims }) {
    const config = await this.#discover();
    const expected = claims?.sub ?? client.skipSubjectCheck;
    return ask(client.fetchUserInfo(config, access_token, expected, await this.#bound(config)));
  }

  async endSessionUrl({ id_token }, parameters) {
    const config = await this.#discover();
    return client.buildEndSessionUrl(config, { id_token_hint: id_token, ...parameters }).href;
  }
}
