// What is measured: a program and the requests that it is sent, all of one kind.
import { basicOf } from "../tests/security/provider.mjs";

const FORM = "application/x-www-form-urlencoded";
const post = (path, parameters, headers = {}) => ({
  method: "POST",
  path,
  body: new URLSearchParams(parameters).toString(),
  headers: { "content-type": FORM, ...headers },
});
const get = (path, query, headers = {}) => ({
  path,
  query: query ? new URLSearchParams(query).toString() : "",
  headers,
});
const byClient = ({ client }) => ({ authorization: basicOf(client.id, client.secret) });
const bearer = (token) => ({ authorization: `Bearer ${token}` });
const introspection = (prepared, token) => post("/token/introspect", { token }, byClient(prepared));
/// A form of a page as a browser sends it back, see preparePages().
const answered = (path, { fields, cookie }, values) => post(path, { ...fields, ...values }, { cookie });

/// `request(prepared, i, former)`: the i-th, where `former` is the answer to the one before; see instructions_site.mjs
/// for what is prepared. `status` and `shows`: what a right answer has, so that nothing is measured but the work that
/// is meant. `cgi`: the row's request is also what the program is given as a CGI program.
export const ROWS = [
  {
    name: "authorize: to the login page",
    program: "authorize",
    status: 303,
    shows: /^Location: [^\r]*\/login\?resume=/m,
    request: ({ authorization }) => get("/authorize", authorization),
  },
  {
    name: "authorize: a code",
    program: "authorize",
    cgi: true,
    status: 303,
    shows: /^Location: https:\/\/app\.example\/cb\?code=/m,
    request: ({ authorization, person }) => get("/authorize", authorization, { cookie: person.cookieHeader }),
  },
  {
    name: "login: the form",
    program: "login",
    cgi: true,
    status: 200,
    shows: /name="password"/,
    request: ({ logins }) => get("/login", { resume: logins[0].fields.resume }, { cookie: logins[0].cookie }),
  },
  {
    name: "login: signed in",
    program: "login",
    status: 303,
    shows: /^Location: [^\r]*\/authorize\?resume=/m,
    request: ({ logins, user }, i) => answered("/login", logins[i], user),
  },
  {
    name: "scopes: the form",
    program: "scopes",
    cgi: true,
    status: 200,
    shows: /id="approve"/,
    request: ({ consents }) => get("/scopes", { resume: consents[0].fields.resume }, { cookie: consents[0].cookie }),
  },
  {
    name: "scopes: approved",
    program: "scopes",
    status: 303,
    shows: /^Location: [^\r]*\/authorize\?resume=/m,
    request: ({ consents }, i) => answered("/scopes", consents[i], consents[i].buttons.approve),
  },
  {
    name: "logout: the form",
    program: "logout",
    cgi: true,
    status: 200,
    shows: /id="logout"/,
    request: ({ logouts }) => get("/logout", "", { cookie: logouts[0].cookie }),
  },
  {
    name: "logout: signed out",
    program: "logout",
    status: 200,
    shows: /^Clear-Site-Data: /m,
    request: ({ logouts }, i) => answered("/logout", logouts[i], logouts[i].buttons.logout),
  },
  {
    name: "account: the overview",
    program: "account",
    cgi: true,
    status: 200,
    shows: /id="logout"/,
    request: ({ person }) => get("/account", "", { cookie: person.cookieHeader }),
  },
  {
    name: "recover: an invitation",
    program: "recover",
    cgi: true,
    status: 200,
    shows: /name="new"/,
    request: ({ invitation }) => ({ path: invitation.pathname, query: invitation.search.slice(1) }),
  },
  {
    name: "token: client_credentials",
    program: "token",
    cgi: true,
    status: 200,
    shows: /"access_token"/,
    request: (prepared) => post("/token", { grant_type: "client_credentials", scope: "api" }, byClient(prepared)),
  },
  {
    name: "token: authorization_code",
    program: "token",
    status: 200,
    shows: /"id_token"/,
    request: (prepared, i) =>
      post("/token", { grant_type: "authorization_code", ...prepared.codes[i] }, byClient(prepared)),
  },
  {
    name: "token: refresh_token",
    program: "token",
    status: 200,
    shows: /"refresh_token"/,
    request: (prepared, i, former) =>
      post(
        "/token",
        { grant_type: "refresh_token", refresh_token: former?.json.refresh_token ?? prepared.refreshToken },
        byClient(prepared),
      ),
  },
  {
    name: "introspect: a token again",
    program: "introspect",
    cgi: true,
    status: 200,
    shows: /"active":true/,
    request: (prepared) => introspection(prepared, prepared.userTokens[0]),
  },
  {
    name: "introspect: another token",
    program: "introspect",
    status: 200,
    shows: /"active":true/,
    request: (prepared, i) => introspection(prepared, prepared.userTokens[i]),
  },
  {
    name: "revoke",
    program: "revoke",
    cgi: true,
    status: 200,
    request: (prepared, i) => post("/token/revoke", { token: prepared.userTokens[i] }, byClient(prepared)),
  },
  {
    name: "userinfo: a token again",
    program: "userinfo",
    cgi: true,
    status: 200,
    shows: /"email"/,
    request: ({ userTokens }) => get("/userinfo", "", bearer(userTokens[0])),
  },
  {
    name: "userinfo: another token",
    program: "userinfo",
    status: 200,
    shows: /"email"/,
    request: ({ userTokens }, i) => get("/userinfo", "", bearer(userTokens[i])),
  },
  {
    name: "discovery",
    program: "discovery",
    cgi: true,
    status: 200,
    shows: /"jwks_uri"/,
    request: () => get("/.well-known/openid-configuration"),
  },
  { name: "jwks", program: "jwks", cgi: true, status: 200, shows: /"keys"/, request: () => get("/jwks") },
];
