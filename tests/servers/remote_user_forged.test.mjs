// The login path of a server whose operator forgot to protect it, or protects it: names that nobody has checked sign
// nobody in, with the parameters that each web server passes by itself.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cgid, fcgid, proxyFcgi } from "../support/fronts/apache.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { PERSON, authorizationUrl, authorize, newChecks, openProvider } from "../interop/relying_party.mjs";
import { prepared } from "../support/prepared.mjs";
import { basic, browser, writePasswords } from "./remote_user.mjs";

/// nginx's own file instead of ours; redirects that carry a sealed request are longer than its usual buffer.
const STOCK = "include /etc/nginx/fastcgi_params; fastcgi_buffer_size 32k; fastcgi_buffers 8 32k;";
const FORGOTTEN = {
  "Apache, mod_cgid": cgid,
  "Apache, mod_fcgid": fcgid,
  "Apache, mod_proxy_fcgi": proxyFcgi,
  "lighttpd, mod_fastcgi": lighttpd("fastcgi"),
  "lighttpd, mod_cgi": lighttpd("cgi"),
  nginx: nginx(),
  "nginx with its own fastcgi_params": nginx({ params: STOCK }),
};

const NAME = PERSON.username;
const BASIC = basic(NAME, PERSON.password);
const FORGERIES = [
  {},
  { "Remote-User": NAME },
  { Remote_User: NAME },
  { REMOTE_USER: NAME },
  { "X-Remote-User": NAME },
  { "X-Forwarded-User": NAME },
  { "Redirect-Remote-User": NAME },
  { "Remote-User": NAME, "Auth-Type": "Basic" },
  { REMOTE_USER: NAME, AUTH_TYPE: "Basic" },
  { authorization: BASIC },
  { authorization: BASIC, "Auth-Type": "Basic", AUTH_TYPE: "Basic" },
  { authorization: BASIC, "Remote-User": NAME },
  { "Ssl-Client-Verify": "SUCCESS", "Ssl-Client-S-Dn-Cn": NAME },
];

const open = (front) => openProvider({ front, config: { login: { method: "remote_user", autoCreate: true } } });

for (const [server, front] of Object.entries(FORGOTTEN)) {
  describe(`an unprotected login path: ${server}`, () => {
    let provider;
    prepared(async (owned) => {
      provider = owned(await open(front));
    });

    it("no header and no unchecked password authenticates a user, and the operator gets a hint [CWE-290]", async () => {
      const { deployment, clients } = provider;
      const agent = browser(deployment);
      const { url } = await agent.visit(authorizationUrl(clients.client_secret_basic, newChecks()));
      assert.ok(url.startsWith(`${deployment.issuer}/login?resume=`), url);
      for (const headers of FORGERIES) {
        agent.loginHeaders = headers;
        const page = await agent.visit(url);
        const what = `${server}, ${JSON.stringify(headers)}`;
        assert.equal(page.status, 403, what);
        assert.match(page.title, /did not say who you are/, what);
        assert.match(page.body, /AUTH_TYPE/, "the page says what the web server must do");
        assert.equal(agent.cookieNames.length, 1, what);
        const { detail } = await deployment.postern(["why", page.headers["x-request-id"]]);
        const unchecked = server === "nginx with its own fastcgi_params" && headers.authorization !== undefined;
        assert.match(
          detail,
          unchecked
            ? /REMOTE_USER came without AUTH_TYPE/
            : /the web server must authenticate every user at the login path/,
          what,
        );
      }
      assert.deepEqual(await deployment.postern(["session", "list"]), []);
      assert.equal((await deployment.postern(["user", "list"])).length, 1);
    });
  });
}

/// As docs/OPERATIONS.md has it.
const file = ({ directory }) => join(directory, "passwords");
const PROTECTED = {
  "nginx, auth_basic": (site) =>
    nginx({
      login: [
        `auth_basic "Sign in";`,
        `auth_basic_user_file ${file(site)};`,
        "fastcgi_param REMOTE_USER $remote_user;",
        "fastcgi_param AUTH_TYPE Basic;",
      ],
    }),
  "lighttpd, mod_auth": (site) =>
    lighttpd("fastcgi", [
      `server.modules += ( "mod_auth", "mod_authn_file" )`,
      `auth.backend = "htpasswd"`,
      `auth.backend.htpasswd.userfile = "${file(site)}"`,
      `auth.require = ( "/login" => ( "method" => "basic", "realm" => "Sign in", "require" => "valid-user" ) )`,
    ]),
};

for (const [server, front] of Object.entries(PROTECTED)) {
  describe(`a login path that the web server protects: ${server}`, () => {
    let provider;
    prepared(async (owned) => {
      provider = owned(
        await open(async (site) => {
          await writePasswords(file(site), { [NAME]: "of the file" });
          return front(site)(site);
        }),
      );
    });

    it("the right password signs in, and nothing else", async () => {
      const { deployment, clients } = provider;
      const stranger = browser(deployment);
      const { url } = await stranger.visit(authorizationUrl(clients.client_secret_basic, newChecks()));
      for (const headers of FORGERIES) {
        stranger.loginHeaders = headers;
        assert.equal((await stranger.visit(url)).status, 401, JSON.stringify(headers));
      }
      assert.deepEqual(await deployment.postern(["session", "list"]), []);
      const { answer } = await authorize(provider, clients.client_secret_basic, {
        agent: browser(deployment, { user: [NAME, "of the file"] }),
      });
      assert.ok(answer.code);
    });
  });
}
