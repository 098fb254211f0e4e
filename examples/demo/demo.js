// The page around oidc.js: two buttons, eight steps and their results.
import {
    Problem,
    answerChecks,
    challengeOf,
    checkDiscovery,
    demand,
    exchange,
    jsonOf,
    randomText,
    verifyIdToken,
} from "./oidc.js";

const CLIENT_ID = "demo-spa";
const SCOPE = "openid profile email";
const ISSUER = location.origin;
const REDIRECT_URI = `${ISSUER}/demo/`;
const STORAGE_KEY = "postern-demo";

const RFC = (number, section) => ({
    label: `RFC ${number} §${section}`,
    url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
});
const CORE = (section, anchor) => ({
    label: `OpenID Connect Core §${section}`,
    url: `https://openid.net/specs/openid-connect-core-1_0.html#${anchor}`,
});
const STEPS = [
    {
        id: "discover",
        title: "Ask the server what it can do",
        refs: [
            RFC(8414, "3"),
            {
                label: "OpenID Connect Discovery §4",
                url: "https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig",
            },
        ],
        why: "One public document names every endpoint, so a client needs to know only the issuer.",
    },
    {
        id: "prepare",
        title: "Create three random values",
        refs: [RFC(7636, "4.1"), RFC(6749, "10.12"), CORE("15.5.2", "NonceNotes")],
        why:
            "state ties the answer to this tab, nonce ties the ID token to this sign-in, " +
            "and the PKCE verifier makes a stolen code useless. They stay in this tab's session storage.",
    },
    {
        id: "authorize",
        title: "Send the browser to the server",
        refs: [RFC(6749, "4.1.1"), RFC(7636, "4.3"), CORE("3.1.2.1", "AuthRequest")],
        why: "The user signs in and agrees there. This page never sees the password.",
    },
    {
        id: "answer",
        title: "Read the answer and check whose it is",
        refs: [RFC(6749, "4.1.2"), RFC(9207, "2.4")],
        why: "The code in it works once and for a minute. It is taken out of the address bar at once.",
    },
    {
        id: "token",
        title: "Exchange the code for tokens",
        refs: [RFC(6749, "4.1.3"), RFC(7636, "4.5"), CORE("3.1.3", "TokenEndpoint")],
        why: "The verifier proves that the client that redeems the code also started the flow.",
    },
    {
        id: "keys",
        title: "Fetch the server's public keys",
        refs: [RFC(7517, "5")],
        why: "Any client can verify the server's signatures with them.",
    },
    {
        id: "verify",
        title: "Check the ID token",
        refs: [CORE("3.1.3.7", "IDTokenValidation"), RFC(8725, "3")],
        why: "Only after the signature and every claim have been checked does this page know who signed in.",
    },
    {
        id: "userinfo",
        title: "Ask for the user's details",
        refs: [CORE("5.3", "UserInfo"), RFC(6750, "2.1")],
        why:
            "The access token opens this endpoint. Its sub must equal " +
            "the ID token's; otherwise the answer is about another user.",
    },
];

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

// ---- The trace, stored across the redirect ----

let trace = {}; // step id → { sent, received, checks, failed }
let current = null; // the current step, which failed if something throws

function record(id, facts) {
    trace[id] = { ...trace[id], ...facts };
    showSteps();
}

function begin(id) {
    current = id;
    const number = STEPS.findIndex((step) => step.id === id) + 1;
    byId("status").textContent = `Step ${number} of ${STEPS.length}: ${STEPS[number - 1].title}`;
}

async function fetchJson(id, url, options) {
    begin(id);
    const done = await exchange(url, options);
    record(id, { sent: done.sent, received: done.received });
    return jsonOf(done);
}

// ---- The flow ----

async function signIn() {
    byId("sign-in").disabled = true;
    const discovery = await fetchJson("discover", `${ISSUER}/.well-known/openid-configuration`);
    checkDiscovery(discovery, ISSUER);

    begin("prepare");
    const secrets = { state: randomText(), nonce: randomText(), code_verifier: randomText() };
    const code_challenge = await challengeOf(secrets.code_verifier);
    record("prepare", {
        sent: { line: "Nothing leaves this page yet", headers: {}, parameters: { ...secrets, code_challenge } },
    });

    begin("authorize");
    const parameters = {
        response_type: "code",
        client_id: CLIENT_ID,
        redirect_uri: REDIRECT_URI,
        scope: SCOPE,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge,
        code_challenge_method: "S256",
    };
    record("authorize", { sent: { line: `GET ${discovery.authorization_endpoint}`, headers: {}, parameters } });
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ discovery, secrets, trace }));
    const target = new URL(discovery.authorization_endpoint);
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    location.assign(target);
}

/// The values stored before the redirect; removed, because a response is read once.
function takeFlow() {
    const stored = sessionStorage.getItem(STORAGE_KEY);
    sessionStorage.removeItem(STORAGE_KEY);
    return stored === null ? null : JSON.parse(stored);
}

function readAnswer(answer, flow) {
    trace = flow?.trace ?? {};
    begin("answer");
    record("answer", {
        received: {
            line: `GET ${REDIRECT_URI}`,
            headers: {},
            text: [...answer].map(([name, value]) => `${name} = ${value}`).join("\n"),
        },
    });
    if (!flow)
        throw new Problem(
            "This answer does not belong to a sign-in that was started in this tab. Nothing was done with it.",
        );
    const checks = answerChecks(answer, { state: flow.secrets.state, issuer: flow.discovery.issuer });
    record("answer", { checks });
    demand(checks, "The answer");
    if (answer.has("error")) {
        throw new Problem(
            `The server answered ${[answer.get("error"), answer.get("error_description")].filter(Boolean).join(": ")}`,
        );
    }
    if (!answer.get("code")) throw new Problem("The answer holds neither a code nor an error.");
    return answer.get("code");
}

async function redeem(code, { discovery, secrets }) {
    const form = {
        grant_type: "authorization_code",
        code,
        redirect_uri: REDIRECT_URI,
        client_id: CLIENT_ID,
        code_verifier: secrets.code_verifier,
    };
    const tokens = await fetchJson("token", discovery.token_endpoint, { form });
    if (`${tokens.token_type}`.toLowerCase() !== "bearer" || !tokens.access_token || !tokens.id_token) {
        throw new Problem(
            "The token response lacks a Bearer access token or an ID token (OpenID Connect Core §3.1.3.3).",
        );
    }
    return tokens;
}

async function checkIdToken(tokens, jwks, { discovery, secrets }) {
    begin("verify");
    const expected = {
        issuer: discovery.issuer,
        clientId: CLIENT_ID,
        nonce: secrets.nonce,
        accessToken: tokens.access_token,
        now: Date.now() / 1000,
    };
    const { header, claims, checks } = await verifyIdToken(tokens.id_token, jwks, expected);
    record("verify", {
        received: { line: "The ID token, decoded", headers: {}, text: JSON.stringify({ header, claims }) },
        checks,
    });
    demand(checks, "The ID token");
    return claims;
}

async function finish(answer) {
    const flow = takeFlow();
    const code = readAnswer(answer, flow);
    const tokens = await redeem(code, flow);
    const jwks = await fetchJson("keys", flow.discovery.jwks_uri);
    const claims = await checkIdToken(tokens, jwks, flow);
    const user = await fetchJson("userinfo", flow.discovery.userinfo_endpoint, { bearer: tokens.access_token });
    const checks = [
        { text: "sub is the ID token's", clause: "OpenID Connect Core §5.3.2", ok: user.sub === claims.sub },
    ];
    record("userinfo", { checks });
    demand(checks, "The UserInfo answer");
    showSuccess(claims, user);
    offerSignOut(flow.discovery, tokens.id_token);
}

/// The ID token identifies the user, so that the server need not ask (OpenID Connect RP-Initiated Logout §2).
function offerSignOut(discovery, idToken) {
    if (!discovery.end_session_endpoint) return;
    const target = new URL(discovery.end_session_endpoint);
    target.searchParams.set("id_token_hint", idToken);
    target.searchParams.set("post_logout_redirect_uri", REDIRECT_URI);
    byId("sign-out").addEventListener("click", () => location.assign(target));
    byId("sign-out").hidden = false;
}

// ---- Showing it ----

const TIMES = new Set(["exp", "iat", "auth_time", "nbf", "updated_at"]);

function showClaims(list, claims) {
    list.replaceChildren(
        ...Object.entries(claims).map(([name, value]) => {
            const text = typeof value === "string" ? value : JSON.stringify(value);
            const time =
                TIMES.has(name) && Number.isFinite(value)
                    ? [element("span", { class: "quiet" }, ` ${new Date(value * 1000).toLocaleString()}`)]
                    : [];
            return element("div", {}, element("dt", {}, name), element("dd", {}, text, ...time));
        }),
    );
}

function pretty(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
        return text;
    }
}

function message(label, { line, headers, parameters = {}, text = "" }) {
    const lines = [line, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    const body = [
        ...Object.entries(parameters).map(([name, value]) => `${name} = ${value}`),
        ...(text ? [pretty(text)] : []),
    ];
    // Scrolls when long, so it must be reachable by keyboard.
    return element(
        "div",
        { class: "message" },
        element("h4", {}, label),
        element(
            "pre",
            { tabindex: "0", role: "group", "aria-label": label },
            [lines.join("\n"), body.join("\n")].filter(Boolean).join("\n\n"),
        ),
    );
}

function checkList(checks) {
    const row = (check) =>
        element(
            "li",
            { class: check.ok ? "good" : "bad" },
            element("span", { class: "verdict" }, check.ok ? "Passed: " : "Failed: "),
            check.text,
            element("span", { class: "quiet" }, ` ${check.clause}`),
        );
    return element("ul", { class: "checks" }, ...checks.map(row));
}

function showSteps() {
    byId("steps").replaceChildren(
        ...STEPS.map((step) => {
            const facts = trace[step.id];
            const links = step.refs.flatMap(({ label, url }) => [element("a", { href: url }, label), " "]);
            const messages = facts
                ? [
                      facts.sent && message("Sent", facts.sent),
                      facts.received && message("Received", facts.received),
                  ].filter(Boolean)
                : [];
            const state = facts?.failed ? "failed" : facts ? "done" : "ahead";
            return element(
                "li",
                { class: state, "data-step": step.id },
                element(
                    "h3",
                    {},
                    step.title,
                    ...(facts?.failed ? [element("span", { class: "stopped" }, " stopped here")] : []),
                ),
                element("p", { class: "quiet" }, step.why),
                element("p", { class: "refs" }, ...links),
                ...(messages.length ? [element("div", { class: "messages" }, ...messages)] : []),
                ...(facts?.checks ? [checkList(facts.checks)] : []),
            );
        }),
    );
}

function headline(title, state) {
    byId("headline").textContent = title;
    document.title = `${title} – Postern demo`;
    document.documentElement.dataset.state = state;
    byId("status").textContent = "";
    byId("sign-in").hidden = true;
    byId("start-over").hidden = false;
}

function showSuccess(claims, user) {
    headline(`Hello, ${user.name ?? user.preferred_username ?? claims.sub}`, "done");
    byId("summary").textContent =
        "You are signed in, and every check passed. Starting over forgets the tokens on this " +
        "page; your session at the server lives on, so it may not ask you again. Signing out ends it.";
    showClaims(byId("id-token"), claims);
    showClaims(byId("userinfo"), user);
    byId("results").hidden = false;
    byId("headline").focus({ preventScroll: true });
}

function showProblem(error) {
    if (current) record(current, { failed: true });
    headline("That did not work", "failed");
    byId("summary").textContent = "The step that stopped is marked below, with what was sent and received up to it.";
    const known = error instanceof Problem;
    if (!known) console.error(error);
    const box = byId("problem");
    box.textContent = known ? error.message : `Something unexpected happened: ${error.message}`;
    if (error.requestId) box.append(element("br"), "X-Request-Id: ", element("code", {}, error.requestId));
    box.hidden = false;
}

async function start() {
    const answer = new URLSearchParams(location.search);
    // A code must not stay in the address bar, the history or a copied link.
    history.replaceState(null, "", location.pathname);
    showSteps();
    if (!globalThis.crypto?.subtle)
        throw new Problem("This browser offers cryptography on https and on 127.0.0.1 only. Open the page there.");
    if (["code", "error", "state"].some((name) => answer.has(name))) return finish(answer);
    document.documentElement.dataset.state = "ready";
    byId("sign-in").hidden = false;
}

byId("sign-in").addEventListener("click", () => signIn().catch(showProblem));
byId("start-over").addEventListener("click", () => {
    sessionStorage.removeItem(STORAGE_KEY);
    location.replace(REDIRECT_URI);
});
// After the browser's Back button on the server's pages, the restored page must offer the button again.
addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
});
start().catch(showProblem);
