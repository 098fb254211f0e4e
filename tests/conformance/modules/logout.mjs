// The eleven modules of the plan `oidcc-rp-initiated-logout-certification-test-plan`, in its order.
import { generateKeyPairSync, sign } from "node:crypto";
import { checkEndSession } from "../checks/server.mjs";
import { POST_LOGOUT_REDIRECT_URI } from "../provider.mjs";
import { difficultState, longState, randomText } from "../run.mjs";

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/// Somebody signs in, and then a logout request is sent: the usual one with these changes.
async function logout(run, changes = () => ({})) {
  const { tokens, claims } = await run.signIn({ parameters: { state: longState() } });
  const usual = {
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: POST_LOGOUT_REDIRECT_URI,
    state: difficultState(),
  };
  const sent = { ...usual, ...changes({ idToken: tokens.id_token, claims }) };
  return { sent, ...(await run.logout(sent)) };
}

/// The browser goes back to the client, and the login is gone.
function leadsBack(changes) {
  return async (run) => {
    const answer = await logout(run, changes);
    run.expectLogoutRedirect(answer, answer.sent.state);
    await run.expectSessionGone();
  };
}

/// Nothing leads to an address that cannot be trusted, whether a person confirms the logout or is shown an error.
function leadsNowhere(changes) {
  return async (run) => {
    const { seen, page } = await logout(run, changes);
    run.review(page, seen.length > 0 ? "logged out" : "error");
  };
}

/// The person is signed out and told so.
function signsOut(changes) {
  return async (run) => {
    const { page } = await logout(run, changes);
    run.review(page, "logged out");
    await run.expectSessionGone();
  };
}

/// The token as it would be without a signature.
function unsigned(idToken) {
  return `${encode({ alg: "none" })}.${idToken.split(".")[1]}.`;
}

/// A token that the client made: its own key, and itself as the issuer.
function selfMade({ iss, aud, ...claims }) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const content = `${encode({ alg: "RS256", kid: randomText(10) })}.${encode({ ...claims, iss: aud, aud: iss })}`;
  return `${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`;
}

export const LOGOUT = {
  "oidcc-rp-initiated-logout-discovery-endpoint-verification": async (run) => {
    run.check(checkEndSession(run.metadata));
  },
  "oidcc-rp-initiated-logout": leadsBack(),
  "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri": leadsNowhere(() => ({
    post_logout_redirect_uri: `${POST_LOGOUT_REDIRECT_URI}${randomText(10)}`,
  })),
  "oidcc-rp-initiated-logout-modified-id-token-hint": leadsNowhere(({ idToken }) => ({
    id_token_hint: unsigned(idToken),
  })),
  "oidcc-rp-initiated-logout-no-id-token-hint": leadsNowhere(() => ({ id_token_hint: undefined })),
  "oidcc-rp-initiated-logout-no-params": signsOut(() => ({
    id_token_hint: undefined,
    post_logout_redirect_uri: undefined,
    state: undefined,
  })),
  "oidcc-rp-initiated-logout-no-post-logout-redirect-uri": signsOut(() => ({ post_logout_redirect_uri: undefined })),
  "oidcc-rp-initiated-logout-no-state": leadsBack(() => ({ state: undefined })),
  "oidcc-rp-initiated-logout-only-state": signsOut(() => ({
    id_token_hint: undefined,
    post_logout_redirect_uri: undefined,
  })),
  "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri": leadsNowhere(() => ({
    post_logout_redirect_uri: `${POST_LOGOUT_REDIRECT_URI}?foo=bar`,
  })),
  "oidcc-rp-initiated-logout-bad-id-token-hint": leadsNowhere(({ claims }) => ({ id_token_hint: selfMade(claims) })),
};
