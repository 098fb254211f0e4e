// The 35 modules of the plan `oidcc-basic-certification-test-plan` that run with static clients, in its order. The Form
// Post plan has the same ones. Not among them, since they need dynamic registration: oidcc-idtoken-signature,
// oidcc-idtoken-unsigned, oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported.
import { createHash } from "node:crypto";
import { checkNothingElse, checkScopeClaims, checkUserinfo, SCOPE_CLAIMS } from "../checks/claims.mjs";
import {
  checkAccessToken,
  checkAcr,
  checkAuthTime,
  checkLaterLogin,
  checkRefreshToken,
  checkRefreshedIdToken,
  checkSameLogin,
  checkTokenError,
  checkTokenResponse,
} from "../checks/tokens.mjs";
import { REDIRECT_URI } from "../provider.mjs";
import { longState, randomText } from "../run.mjs";

/// A flow with these parameters that must go well.
const succeeds = (parameters) => (run) => run.signIn({ parameters });

/// The claims of these scopes in UserInfo, and no others.
function scopes(names, order = (list) => list) {
  return async (run) => {
    const missing = names.find((name) => !run.supports("scopes_supported", name));
    if (missing) run.skip(`scopes_supported lacks ${missing}`);
    const { userinfo } = await run.signIn({ parameters: { scope: order(["openid", ...names]).join(" ") } });
    run.check(
      checkScopeClaims(userinfo, names),
      checkNothingElse(
        userinfo,
        names.flatMap((name) => SCOPE_CLAIMS[name]),
      ),
    );
  };
}

/// A second flow that the first one's login answers without any page.
function silently(parametersOf) {
  return async (run) => {
    const first = await run.signIn();
    const second = await run.signIn({ parameters: { prompt: "none", ...parametersOf(first) } });
    run.expectNoPage(second);
    run.check(checkSameLogin(first.claims, second.claims));
  };
}

async function codeReuse(run, pause) {
  const flow = await run.signIn();
  await run.wait(pause);
  return { flow, again: await run.codeRequest(flow) };
}

/// A request object without signature: header and claims, and nothing after the second dot.
function unsignedObject(claims) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}

/// An authorization request whose parameters are in an unsigned request object; beside it the browser sends what
/// OpenID Connect Core §6.1 wants there, and `outside`. `inside` of the answer: what the object has.
async function authorizeByObject(run, outside = {}) {
  const inside = run.newRequest();
  const onlyInside = { state: undefined, nonce: undefined, response_mode: undefined };
  const flow = await run.authorize({ parameters: { request: unsignedObject(inside), ...onlyInside, ...outside } });
  return { ...flow, inside };
}

function skipWithoutUnsignedObjects(run) {
  const algorithms = run.metadata.request_object_signing_alg_values_supported;
  if (algorithms && !algorithms.includes("none")) run.skip("request_object_signing_alg_values_supported lacks none");
}

async function refresh(run, { client, tokens, claims }, parameters) {
  run.check(checkRefreshToken(tokens.refresh_token));
  await run.wait(1); // so that a new iat can be told from the old one
  const answer = await run.tokenRequest(client, {
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token,
    ...parameters,
  });
  run.require(checkTokenResponse(answer, { idToken: "optional" }));
  run.check(checkAccessToken(answer.json.access_token));
  if (answer.json.refresh_token) run.check(checkRefreshToken(answer.json.refresh_token));
  if (answer.json.id_token) {
    const expected = { client, accessToken: answer.json.access_token, nonce: undefined };
    run.check(checkRefreshedIdToken(claims, run.readIdToken(answer.json.id_token, expected)));
  }
  await run.expectUserinfo({ tokens: answer.json, claims });
  return { refresh_token: tokens.refresh_token, ...answer.json };
}

export const BASIC = {
  "oidcc-server": succeeds({}),

  "oidcc-response-type-missing": async (run) => {
    const flow = await run.authorize({ parameters: { response_type: undefined } });
    if (flow.callback) run.expectError(flow, ["unsupported_response_type", "invalid_request"]);
    else run.review(flow.page, "error");
  },

  "oidcc-userinfo-get": async (run) => {
    await run.expectUserinfo(await run.signIn(), { method: "GET" });
  },
  "oidcc-userinfo-post-header": async (run) => {
    await run.expectUserinfo(await run.signIn(), { method: "POST", form: {} }); // an empty form, as the suite sends it
  },

  "oidcc-userinfo-post-body": async (run) => {
    const flow = await run.signIn();
    const answer = await run.userinfo(flow.tokens, {
      method: "POST",
      headers: {},
      form: { access_token: flow.tokens.access_token },
    });
    if (answer.status >= 200 && answer.status <= 299) run.check(checkUserinfo(answer, flow.claims));
    else run.warn(`UserInfo answered ${answer.status} to a token in the body`);
  },

  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": async (run) => {
    run.expectCode(await run.authorize({ parameters: { nonce: undefined } }));
  },

  "oidcc-scope-profile": scopes(["profile"]),
  "oidcc-scope-email": scopes(["email"]),
  "oidcc-scope-address": scopes(["address"]),
  "oidcc-scope-phone": scopes(["phone"]),
  "oidcc-scope-all": scopes(["email", "phone", "address", "profile"]),
  "oidcc-alternate-happy-flow": scopes(["email"], (list) => list.reverse()),

  "oidcc-display-page": succeeds({ display: "page" }),
  "oidcc-display-popup": succeeds({ display: "popup" }),

  "oidcc-prompt-login": async (run) => {
    const first = await run.signIn();
    await run.wait(1);
    const second = await run.signIn({ parameters: { prompt: "login" } });
    run.expectLogin(second);
    run.check(checkLaterLogin(first.claims, second.claims));
  },

  "oidcc-prompt-none-not-logged-in": async (run) => {
    run.expectNobody(await run.authorize({ parameters: { prompt: "none", state: longState() } }));
  },

  "oidcc-prompt-none-logged-in": silently(() => ({})),

  "oidcc-max-age-1": async (run) => {
    const first = await run.signIn();
    await run.wait(2);
    const second = await run.signIn({ parameters: { max_age: "1" } });
    run.expectLogin(second);
    run.check(
      checkAuthTime(second.claims, { now: run.now(), seconds: 301 }),
      checkLaterLogin(first.claims, second.claims),
    );
  },

  "oidcc-max-age-10000": async (run) => {
    const first = await run.signIn({ parameters: { max_age: "15000" } });
    const second = await run.signIn({ parameters: { max_age: "10000" } });
    for (const { claims } of [first, second]) run.check(checkAuthTime(claims, { now: run.now(), seconds: 301 }));
    run.check(checkSameLogin(first.claims, second.claims));
  },

  "oidcc-ensure-request-with-unknown-parameter-succeeds": succeeds({ extra: "foobar" }),
  "oidcc-id-token-hint": silently(({ tokens }) => ({ id_token_hint: tokens.id_token })),
  "oidcc-login-hint": (run) =>
    run.signIn({ parameters: { login_hint: `buffy@${new URL(run.metadata.issuer).hostname}` } }),
  "oidcc-ui-locales": succeeds({ ui_locales: "se" }),
  "oidcc-claims-locales": succeeds({ claims_locales: "se" }),

  "oidcc-ensure-request-with-acr-values-succeeds": async (run) => {
    const asked = run.metadata.acr_values_supported ?? ["1", "2"];
    const { claims } = await run.signIn({ parameters: { acr_values: asked.join(" ") } });
    run.check(checkAcr(claims, asked));
  },

  "oidcc-codereuse": async (run) => {
    const { again } = await codeReuse(run, 0);
    if (again.status === 200) run.warn("a code could be used twice");
    else run.check(checkTokenError(again, "invalid_grant"));
  },

  "oidcc-codereuse-30seconds": async (run) => {
    const { flow, again } = await codeReuse(run, 30);
    run.check(checkTokenError(again, "invalid_grant"));
    const { status } = await run.userinfo(flow.tokens);
    if (status < 400 || status > 499) run.warn(`UserInfo answers ${status} to what a code yielded that was used twice`);
  },

  "oidcc-ensure-registered-redirect-uri": async (run) => {
    const { page } = await run.authorize({ parameters: { redirect_uri: `${REDIRECT_URI}/${randomText(10)}` } });
    run.review(page, "error");
  },

  "oidcc-ensure-post-request-succeeds": async (run) => {
    const flow = await run.authorize({ post: true });
    if (flow.callback) run.expectCode(flow);
    else run.warn(`POST at the authorization endpoint led to "${flow.page.title}" (${flow.page.status})`);
  },

  "oidcc-server-client-secret-post": (run) => run.signIn({ client: "client_secret_post" }),

  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": async (run) => {
    skipWithoutUnsignedObjects(run);
    const flow = await authorizeByObject(run);
    if (flow.callback?.parameters.has("error")) {
      run.expectError(flow, ["request_not_supported"]);
      run.skip("the parameter request is refused with request_not_supported");
    }
    await run.finish({ ...flow, sent: flow.inside });
    if (run.metadata.request_parameter_supported !== true)
      run.warn("request works but request_parameter_supported is not true");
  },

  "oidcc-claims-essential": async (run) => {
    const { userinfo } = await run.signIn({
      parameters: { claims: JSON.stringify({ userinfo: { name: { essential: true } } }) },
    });
    if (!("name" in userinfo)) run.warn("UserInfo lacks name, which the parameter claims asked for");
    run.check(checkNothingElse(userinfo, ["name"]));
  },

  "oidcc-ensure-request-object-with-redirect-uri": async (run) => {
    skipWithoutUnsignedObjects(run);
    const flow = await authorizeByObject(run, { redirect_uri: `${REDIRECT_URI}_invalid` });
    if (flow.callback) run.expectCode({ ...flow, sent: flow.inside });
    else run.review(flow.page, "error");
  },

  "oidcc-refresh-token": async (run) => {
    const offline = run.supports("scopes_supported", "offline_access");
    const parameters = offline ? { scope: "openid offline_access", prompt: "consent" } : {};
    const first = await run.signIn({ parameters });
    if (!first.tokens.refresh_token) {
      if (run.supports("grant_types_supported", "refresh_token"))
        run.warn("grant_types_supported has refresh_token, but none was issued");
      run.skip("no refresh token is issued");
    }
    if (!run.supports("grant_types_supported", "refresh_token")) run.warn("grant_types_supported lacks refresh_token");
    await refresh(run, first, { scope: parameters.scope ?? "openid" });
    const second = await run.signIn({ client: "client2", parameters: { ...parameters, nonce: randomText(43) } });
    const { refresh_token } = await refresh(run, second, {});
    run.check(
      checkTokenError(
        await run.tokenRequest("client", { grant_type: "refresh_token", refresh_token }),
        "invalid_grant",
      ),
    );
  },

  "oidcc-ensure-request-with-valid-pkce-succeeds": async (run) => {
    const code_verifier = randomText(64);
    const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
    await run.signIn({ parameters: { code_challenge, code_challenge_method: "S256" }, exchange: { code_verifier } });
  },
};
