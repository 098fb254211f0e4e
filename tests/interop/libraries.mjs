// Client libraries behind one interface, so that each goes through the same tests.
import * as oauth from "oauth4webapi";
import { fetchTrusting, importKey, keyPairOf } from "./fetch.mjs";
import { OpenidClient } from "./openid_client.mjs";
import { REDIRECT_URI } from "./relying_party.mjs";

/// Answers of a token endpoint are { access_token, refresh_token, scope, id_token, claims }; claims are those of the
/// verified ID token. A refusal is an exception with `error` and `status`.
class OpenidClient5 {
  redirectUri = REDIRECT_URI;

  constructor(provider, method, secret) {
    const { metadata } = provider.clients[method];
    if (!secret) this.client = provider.clients[method];
    else if (secret.kty) this.client = new provider.issuer.Client(metadata, { keys: [secret] });
    else this.client = new provider.issuer.Client({ ...metadata, client_secret: secret });
  }

  async #ask(promise) {
    try {
      return await promise;
    } catch (caught) {
      if (caught.response) caught.status = caught.response.statusCode;
      throw caught;
    }
  }

  #tokens = async (promise) => {
    const tokens = await this.#ask(promise);
    return { ...tokens, claims: tokens.id_token ? tokens.claims() : undefined };
  };

  /// Proves with that key from now on.
  useKey({ privateKey }) {
    this.bound = { DPoP: privateKey };
  }

  callback({ location, posted }, checks) {
    const incoming = posted
      ? { method: "POST", url: location.href, body: posted.toString() }
      : { method: "GET", url: location.href };
    return this.#tokens(this.client.callback(REDIRECT_URI, this.client.callbackParams(incoming), checks, this.bound));
  }

  push(parameters) {
    return this.#ask(this.client.pushedAuthorizationRequest(parameters, this.bound));
  }
  /// Answers a request object.
  sign(parameters) {
    return this.client.requestObject(parameters, { sign: "ES256" });
  }
  refresh(token, parameters) {
    return this.#tokens(this.client.refresh(token, { exchangeBody: parameters, ...this.bound }));
  }
  clientCredentials(scope) {
    return this.#tokens(this.client.grant({ grant_type: "client_credentials", scope }));
  }
  introspect(token, hint) {
    return this.#ask(this.client.introspect(token, hint));
  }
  revoke(token, hint) {
    return this.#ask(this.client.revoke(token, hint));
  }
  userinfo({ access_token }) {
    return this.#ask(this.client.userinfo(access_token, this.bound));
  }
  endSessionUrl({ id_token }, parameters) {
    return this.client.endSessionUrl({ id_token_hint: id_token, ...parameters });
  }
}

class Oauth4webapi {
  redirectUri = REDIRECT_URI;
  #server;
  #client;
  #options;
  #signing;

  constructor({ issuer, clients, deployment }, method, secret) {
    const { client_id, client_secret } = clients[method].metadata;
    this.#server = issuer.metadata;
    this.#client = { client_id, token_endpoint_auth_method: method };
    if (method === "private_key_jwt") this.#signing = secret ?? clients[method].signing;
    else this.#client.client_secret = secret ?? client_secret;
    this.#options = { [oauth.customFetch]: fetchTrusting(deployment.ca) };
  }

  async useKey(key) {
    this.#options.DPoP = await keyPairOf(key);
  }

  #answer(processed, { status }) {
    if (oauth.isOAuth2Error(processed))
      throw Object.assign(new Error(processed.error_description), { error: processed.error, status });
    return processed;
  }

  async #tokens(response, process) {
    const tokens = this.#answer(await process(this.#server, this.#client, response), response);
    if (!tokens.id_token) return tokens;
    await oauth.validateIdTokenSignature(this.#server, tokens, this.#options);
    return { ...tokens, claims: oauth.getValidatedIdTokenClaims(tokens) };
  }

  /// This release sends the token endpoint beside the issuer, which no server should take [CVE-2025-27370].
  async #authenticated() {
    if (!this.#signing) return this.#options;
    const { kid } = this.#signing;
    const key = await importKey(this.#signing);
    const modify = (_header, payload) => {
      payload.aud = this.#server.issuer;
    };
    return { ...this.#options, clientPrivateKey: { key, kid, [oauth.modifyAssertion]: modify } };
  }

  async #with(parameters = {}) {
    return { ...(await this.#authenticated()), additionalParameters: parameters };
  }

  async callback({ location, posted }, { state, nonce, code_verifier }) {
    const received = posted ?? location.searchParams;
    const answer = received.has("response")
      ? await oauth.validateJwtAuthResponse(this.#server, this.#client, received, state, this.#options)
      : oauth.validateAuthResponse(this.#server, this.#client, posted ?? location, state);
    const parameters = this.#answer(answer, { status: 302 });
    const response = await oauth.authorizationCodeGrantRequest(
      this.#server,
      this.#client,
      parameters,
      REDIRECT_URI,
      code_verifier,
      await this.#authenticated(),
    );
    return this.#tokens(response, (server, client, answer) =>
      oauth.processAuthorizationCodeOpenIDResponse(server, client, answer, nonce),
    );
  }

  async push(parameters) {
    const options = await this.#authenticated();
    const response = await oauth.pushedAuthorizationRequest(this.#server, this.#client, parameters, options);
    return this.#answer(await oauth.processPushedAuthorizationResponse(this.#server, this.#client, response), response);
  }

  async sign(parameters) {
    const { clientPrivateKey } = await this.#authenticated();
    return oauth.issueRequestObject(this.#server, this.#client, parameters, clientPrivateKey);
  }

  async refresh(token, parameters) {
    const response = await oauth.refreshTokenGrantRequest(
      this.#server,
      this.#client,
      token,
      await this.#with(parameters),
    );
    return this.#tokens(response, oauth.processRefreshTokenResponse);
  }

  async clientCredentials(scope) {
    const response = await oauth.clientCredentialsGrantRequest(
      this.#server,
      this.#client,
      { scope },
      await this.#authenticated(),
    );
    return this.#tokens(response, oauth.processClientCredentialsResponse);
  }

  async introspect(token, hint) {
    const response = await oauth.introspectionRequest(
      this.#server,
      this.#client,
      token,
      await this.#with(hint && { token_type_hint: hint }),
    );
    return this.#answer(await oauth.processIntrospectionResponse(this.#server, this.#client, response), response);
  }

  async revoke(token, hint) {
    const response = await oauth.revocationRequest(
      this.#server,
      this.#client,
      token,
      await this.#with(hint && { token_type_hint: hint }),
    );
    this.#answer(await oauth.processRevocationResponse(response), response);
  }

  async userinfo({ access_token }) {
    const response = await oauth.userInfoRequest(this.#server, this.#client, access_token, this.#options);
    const [challenge] = oauth.parseWwwAuthenticateChallenges(response) ?? [];
    if (challenge) {
      const { error, error_description } = challenge.parameters;
      throw Object.assign(new Error(error_description), { error, status: response.status });
    }
    return oauth.processUserInfoResponse(this.#server, this.#client, oauth.skipSubjectCheck, response);
  }

  endSessionUrl({ id_token }, parameters) {
    return `${this.#server.end_session_endpoint}?${new URLSearchParams({ id_token_hint: id_token, ...parameters })}`;
  }
}

export const LIBRARIES = {
  "openid-client": OpenidClient,
  "openid-client 5": OpenidClient5,
  oauth4webapi: Oauth4webapi,
};
