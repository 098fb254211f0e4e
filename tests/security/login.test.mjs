// The login form and the session behind it: cookies, forgery, what is shown, and what is not.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { claimsOf, cookiesOf, isPage, kept, watch } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const MARKUP = "<img src=x onerror=alert(1)>";

describe("login and session", () => {
  let p;
  let trusted;
  before(async () => {
    p = await openProvider({
      clock: true,
      config: {
        sessionTTL: 3600,
        sessionIdleTTL: 600,
        scopeDescriptions: { api: "<script>alert(2)</script> {{csrf}}" },
      },
    });
    ({ trusted } = p.clients);
  });
  after(() => p?.stop());

  const signedIn = async (client = trusted) => {
    const person = p.person();
    await p.code(client, {}, person);
    return person;
  };
  const form = (person, client = trusted, parameters = {}) => person.visit(p.authorizationUrl(client, parameters));
  /// Is somebody with these cookies signed in? "code" or "login_required".
  async function whois(cookie) {
    const { headers } = await p.ask(p.authorizationUrl(trusted, { prompt: "none" }), {
      headers: cookie === null ? {} : { cookie },
    });
    const told = new URL(headers.location).searchParams;
    return told.get("error") ?? (told.get("code") ? "code" : "nothing");
  }
  /// The two cookies of a browser: [[name, value], ...], the session's last.
  const pairsOf = (cookie) =>
    cookie
      .split("; ")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
      .sort(([a], [b]) => b.includes("-browser-") - a.includes("-browser-"));

  it("cookies are __Host-, Secure, HttpOnly, SameSite=Lax, for the whole path and for no domain [L01]", async () => {
    const person = p.person();
    const seen = watch(person);
    await p.code(trusted, {}, person);
    const lines = seen.flatMap(({ headers }) => headers["set-cookie"] ?? []);
    assert.equal(lines.length, 2, "one for the browser, one for the session");
    for (const line of lines) {
      const [pair, ...attributes] = line.split("; ");
      assert.match(pair, /^__Host-postern(-browser)?-[0-9a-f]{8}=[A-Za-z0-9_-]{43}$/);
      assert.deepEqual(attributes.sort(), ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"], line);
    }
    assert.equal(new Set(lines.map((line) => line.split("=")[0])).size, 2);
  });

  it("a login gives the session a new value, and the old one is worth nothing [L02]", async () => {
    const person = await signedIn();
    const first = await cookiesOf(p, person);
    assert.equal(await whois(first), "code");
    await person.signIn(await form(person, trusted, { prompt: "login" }), p.user.username, p.user.password);
    const second = await cookiesOf(p, person);
    const [[, browser], [, session]] = pairsOf(second);
    assert.equal(browser, pairsOf(first)[0][1]);
    assert.notEqual(session, pairsOf(first)[1][1]);
    assert.deepEqual([await whois(first), await whois(second)], ["login_required", "code"]);
  });

  it("a planted value is never adopted, at login least of all [L03]", async () => {
    const names = pairsOf(await cookiesOf(p, await signedIn())).map(([name]) => name);
    for (const planted of ["attackerchosen", "a".repeat(43), "A".repeat(42), "x"]) {
      const person = p.person();
      const { send } = person;
      let given;
      person.send = async (url, options) => {
        const own = options.headers.cookie ?? "";
        const cookie = own.includes(`${names[1]}=`) ? own : [own, `${names[1]}=${planted}`].filter(Boolean).join("; ");
        const answer = await send(url, { ...options, headers: { ...options.headers, cookie } });
        given = (answer.headers["set-cookie"] ?? []).find((line) => line.startsWith(`${names[1]}=`)) ?? given;
        return answer;
      };
      const page = await form(person);
      assert.ok(page.form?.buttons.login, planted);
      assert.ok((await person.signIn(page, p.user.username, p.user.password)).location?.searchParams.has("code"));
      assert.ok(given && !given.startsWith(`${names[1]}=${planted};`), given);
      assert.equal(await whois(`${names[1]}=${planted}`), "login_required");
    }
  });

  it(
    "a session is not readable in the database, ends when " +
      "it idles, when it is old, and when the operator ends it [L04]",
    async () => {
      const person = await signedIn();
      const cookie = await cookiesOf(p, person);
      for (const [name, bytes] of await kept(p)) {
        for (const [, value] of pairsOf(cookie)) assert.ok(!bytes.includes(value), name);
      }
      assert.ok(!p.deployment.log.includes(pairsOf(cookie)[1][1]));
      // Used every eight minutes it lives for an hour, and no longer.
      for (let minutes = 8; minutes < 60; minutes += 8) {
        await p.deployment.advance(8 * 60);
        assert.equal(await whois(cookie), "code", `after ${minutes} minutes`);
      }
      await p.deployment.advance(8 * 60);
      assert.equal(await whois(cookie), "login_required", "after an hour");
      const idle = await cookiesOf(p, await signedIn());
      await p.deployment.advance(601);
      assert.equal(await whois(idle), "login_required", "unused for ten minutes");
      const ended = await cookiesOf(p, await signedIn());
      assert.equal(await whois(ended), "code");
      await p.deployment.postern(["session", "end", "--user", p.user.username]);
      assert.equal(await whois(ended), "login_required", "ended by the operator");
      const leaving = await signedIn();
      const left = await cookiesOf(p, leaving);
      await leaving.submit(await leaving.visit(`${p.issuer}/logout`), "logout");
      assert.equal(await whois(left), "login_required", "signed out: not only the cookie is gone");
    },
  );

  it(
    "the right password in a form that was not shown " + "to this browser for this request starts no session [L05]",
    async () => {
      const person = p.person();
      const page = await form(person);
      const second = await form(person, p.clients.other);
      const others = await form(p.person());
      const own = page.form.fields.csrf;
      const rows = {
        none: undefined,
        empty: "",
        invented: "x",
        "another browser's": others.form.fields.csrf,
        "another request's": second.form.fields.csrf,
        cut: own.slice(1),
        longer: `${own}A`,
        changed: (own[0] === "A" ? "B" : "A") + own.slice(1),
      };
      const before = await p.deployment.postern(["stats"]);
      const typed = { username: p.user.username, password: p.user.password };
      for (const [what, csrf] of Object.entries(rows)) {
        const { csrf: unused, ...fields } = { ...page.form.fields, ...typed };
        const answer = await person.post(`${p.issuer}/login`, csrf === undefined ? fields : { ...fields, csrf });
        isPage(answer, what, 403);
      }
      const cookie = await cookiesOf(p, person);
      const post = (headers) =>
        p.ask("/login", {
          method: "POST",
          body: new URLSearchParams({ ...page.form.fields, ...typed }).toString(),
          headers: { cookie, "content-type": "application/x-www-form-urlencoded", ...headers },
        });
      for (const site of ["cross-site", "same-site", "none"]) isPage(await post({ "sec-fetch-site": site }), site, 403);
      // A form of another site, which has neither cookie nor token.
      isPage(await p.person().post(`${p.issuer}/login`, typed), "a form from elsewhere");
      isPage(
        await p.person().post(`${p.issuer}/login`, { ...others.form.fields, ...typed }),
        "with a token and request of the attacker's",
      );
      const { sessions, logins } = await p.deployment.postern(["stats"]);
      assert.deepEqual([sessions, logins], [before.sessions, before.logins]);
      assert.equal(
        (await post({ "sec-fetch-site": "same-origin", origin: "null" })).status,
        303,
        "our own form, which a browser sends with Origin: null",
      );
    },
  );

  it(
    "a password has at most 511 bytes and no NUL, all " + "of its bytes count, and a huge one is refused unread [L10]",
    async () => {
      const long = "p".repeat(100);
      await p.deployment.addUser("longa", `${long}a`);
      await p.deployment.addUser("same", `${long}a`);
      await p.deployment.addUser("most", "m".repeat(511));
      const attempt = async (username, password) => {
        const person = p.person();
        const page = await person.signIn(await form(person), username, password);
        return page.location?.searchParams.has("code") ? "in" : page.status;
      };
      assert.deepEqual(
        [
          await attempt("longa", `${long}b`),
          await attempt("longa", long),
          await attempt("longa", `${long}a `),
          await attempt("longa", `${long}a`),
        ],
        [200, 200, 200, "in"],
      );
      assert.equal(await attempt("most", "m".repeat(511)), "in");
      const before = await p.deployment.postern(["stats"]);
      assert.equal(await attempt("most", "m".repeat(512)), 200, "too long to be one");
      assert.equal(await attempt("most", "m".repeat(10_000)), 200);
      assert.equal(await attempt("most", ""), 200);
      assert.equal(await attempt("most", "m\0m"), 400);
      assert.deepEqual(
        (await p.deployment.postern(["stats"])).logins,
        before.logins,
        "none of these was hashed and counted",
      );
      assert.equal(await attempt("most", "m".repeat(1024 * 1024)), 413);
      await assert.rejects(p.deployment.addUser("never", "m".repeat(512)), { code: 1 });
      const hashes = new Set(
        (await kept(p)).flatMap(
          ([, bytes]) => bytes.toString("latin1").match(/\$y\$j9T\$[./0-9A-Za-z]{22}\$[./0-9A-Za-z]{43}/g) ?? [],
        ),
      );
      assert.equal(hashes.size, 4, "alice and the three: each record says how it was made");
      assert.equal(
        new Set([...hashes].map((hash) => hash.split("$")[3])).size,
        4,
        "each with a salt of its own, equal passwords included",
      );
    },
  );

  it("where the login leads is in the sealed request; no address in a parameter counts [L12]", async () => {
    for (const evil of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/%09/evil.example",
      "https:evil.example",
      "javascript:alert(1)",
    ]) {
      for (const name of [
        "next",
        "return_to",
        "redirect",
        "redirect_uri",
        "url",
        "continue",
        "target",
        "goto",
        "action",
      ]) {
        const extra = new URLSearchParams({ [name]: evil }).toString();
        isPage(await p.ask(`/login?${extra}`), `${extra} alone`);
      }
      const person = p.person();
      const extra = new URLSearchParams(
        ["next", "return_to", "redirect", "url"].map((name) => [name, evil]),
      ).toString();
      const first = await form(person);
      const page = await person.visit(`${p.issuer}/login?resume=${first.form.fields.resume}&${extra}`);
      assert.ok(page.form.buttons.login && page.form.action === `${p.issuer}/login`);
      assert.ok(!/evil\.example|alert\(1\)/.test(page.body));
      const seen = watch(person);
      const done = await person.submit(page, "login", {
        username: p.user.username,
        password: p.user.password,
        next: evil,
        return_to: evil,
        action: evil,
        redirect: evil,
      });
      assert.ok(seen[0].headers.location.startsWith(`${p.issuer}/authorize?resume=`), seen[0].headers.location);
      assert.ok(done.location.href.startsWith(`${trusted.redirectUri}?code=`));
    }
  });

  /// The name shown as text, and none of it as anything else.
  function showsAsText(page, text, message) {
    const escaped = text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;");
    const body = page.body.replaceAll("&apos;", "&#39;"); // two ways to write the same
    assert.ok(body.includes(escaped), `${message}: ${text}`);
    if (escaped !== text) assert.ok(!body.includes(text), message);
    assert.ok(!/<(img|script|b)\b/i.test(body), message);
  }

  it(
    "names and texts of clients, users and scopes are " + "shown as text, without signs that hide or turn others [L13]",
    async () => {
      const names = [
        MARKUP,
        "'\";--",
        "</title><script>alert(1)</script>",
        '" onmouseover="alert(1)',
        "a&amp;b",
        "javascript:alert(1)",
      ];
      for (const [i, name] of names.entries()) {
        const client = { id: `named-${i}`, redirectUri: `https://named-${i}.example/cb` };
        await p.deployment.postern([
          "client",
          "add",
          client.id,
          "--name",
          name,
          "--redirect-uri",
          client.redirectUri,
          "--scope",
          "openid api",
        ]);
        await p.deployment.addUser(name, "a password for this name");
        const person = p.person();
        const login = await form(person, client, { scope: "openid api" });
        showsAsText(login, name, "login page, client");
        const again = await person.signIn(login, name, "wrong");
        showsAsText(again, name, "login page, user name");
        assert.equal(again.form.fields.username, name);
        const consent = await person.signIn(again, name, "a password for this name");
        assert.ok(consent.form.buttons.approve);
        showsAsText(consent, name, "consent page");
        showsAsText(consent, "<script>alert(2)</script> {{csrf}}", "consent page, scope");
        const leaving = await person.visit(`${p.issuer}/logout`);
        showsAsText(leaving, name, "logout page");
      }
      // Signs that turn the direction or cannot be seen: refused for users, and typed they are not shown.
      for (const hidden of ["\u202e", "\u200f", "\u0007", "\u2066"]) {
        await assert.rejects(p.deployment.addUser(`mallory${hidden}`, "a password for this name"), { code: 1 });
        const client = { id: `hidden-${hidden.codePointAt(0)}`, redirectUri: "https://hidden.example/cb" };
        const added = await p.deployment
          .postern(["client", "add", client.id, "--name", `Bank${hidden}knaB`, "--redirect-uri", client.redirectUri])
          .then(
            () => true,
            () => false,
          );
        const person = p.person();
        const login = await form(person, added ? client : trusted);
        const typed = await person.signIn(login, `ali${hidden}ce`, "wrong");
        if (hidden !== "\u0007") assert.equal(typed.form.fields.username, "alice");
        for (const page of [login, typed]) assert.ok(!page.body.includes(hidden), JSON.stringify(hidden));
      }
      for (const path of ["/login", "/scopes", "/authorize", "/logout"]) {
        const answer = await p.ask(
          `${path}?error=%3Cscript%3Ealert(1)%3C/script%3E` +
            `&client_id=%3Cscript%3Ealert(1)%3C/script%3E&error_description=%3Cimg%3E`,
        );
        assert.ok(!/<script|<img|alert\(1\)/.test(answer.body), path);
      }
    },
  );

  it("marks of a template in a name or text are printed as they are [L14]", async () => {
    const marks = [
      "{{issuer}} {{{csrf}}} {{&resume}} {{#scopes}}x{{/scopes}} {{> head.html}}",
      "{{",
      "${7*7} %s%n $(id) <%= 7*7 %> {%x%} #{7*7} \\1",
    ];
    for (const [i, name] of marks.entries()) {
      const client = { id: `marked-${i}`, redirectUri: `https://marked-${i}.example/cb` };
      await p.deployment.postern([
        "client",
        "add",
        client.id,
        "--name",
        name,
        "--redirect-uri",
        client.redirectUri,
        "--scope",
        "openid",
      ]);
      await p.deployment.addUser(name, "a password for this name");
      const person = p.person();
      const login = await form(person, client);
      showsAsText(login, name, "login page");
      const consent = await person.signIn(await person.signIn(login, name, "wrong"), name, "a password for this name");
      assert.equal(
        consent.body.split(name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")).length - 1,
        3,
        `client in title and heading, user below: ${name}`,
      );
      assert.ok(!/\b49\b|uid=/.test(consent.body));
    }
  });

  it("cookies that are doubled, malformed, huge or many are anonymous [L19]", async () => {
    const cookie = await cookiesOf(p, await signedIn());
    const [, [name, value]] = pairsOf(cookie);
    const strangers = Array.from({ length: 1000 }, (_, i) => `c${i}=v`).join("; ");
    const rows = [
      [cookie, "code"],
      [`a=b; ${cookie}; c=d`, "code"],
      [`${name}=${value}`, "code"],
      [`${strangers}; ${name}=${value}`, "code"],
      [`${name}=a; ${name}=b`, "login_required"],
      [`${name}=${value}; ${name}=${value}`, "login_required"],
      [`${name}=x; ${name}=${value}`, "login_required"],
      [`${name}=${value}; ${name}=x`, "login_required"],
      [`${name}="${value}"`, "login_required"],
      [`${name.slice(7)}=${value}`, "login_required"],
      [`${name}=${value.slice(1)}`, "login_required"],
      [`${name}=${value}A`, "login_required"],
      [`${name}=%00`, "login_required"],
      [`${name}=${value}%00`, "login_required"],
      [`${name}=' OR 1=1 --`, "login_required"],
      [`${name}=`, "login_required"],
      [name, "login_required"],
      ["=", "login_required"],
      [";;;=;", "login_required"],
      [`${name}=${"a".repeat(8192)}`, "login_required"],
      [strangers, "login_required"],
      [`${name}=\u00e9`, "login_required"],
      [null, "login_required"],
    ];
    for (const [sent, expected] of rows) assert.equal(await whois(sent), expected, sent?.slice(0, 80));
    assert.equal(await whois(cookie), "code", "and everything goes on");
    assert.doesNotMatch(p.deployment.log, /child signaled|terminated|signal: /i);
  });

  it("a password is taken from a posted form alone: in an address it is not read, shown or logged [L20]", async () => {
    const person = p.person();
    const page = await form(person);
    assert.equal(page.form.method, "POST");
    assert.ok(/<input type="password" id="password" name="password" autocomplete="current-password"/.test(page.body));
    const secret = "seen by nobody 4711";
    await p.deployment.addUser("query", secret);
    const query = new URLSearchParams({ ...page.form.fields, username: "query", password: secret }).toString();
    const answer = await person.visit(`${p.issuer}/login?${query}`);
    assert.ok(answer.form?.buttons.login && answer.form.fields.password === "" && answer.location === undefined);
    isPage(await p.ask(`/login?username=query&password=${encodeURIComponent(secret)}`), "without a request");
    assert.equal(answer.headers["set-cookie"], undefined);
    for (const text of [answer.body, p.deployment.log]) {
      for (const spelling of [secret, encodeURIComponent(secret), secret.replaceAll(" ", "+")])
        assert.ok(!text.includes(spelling));
    }
    const done = await person.signIn(answer, "query", secret);
    const claims = claimsOf(
      (
        await p.exchange(trusted, {
          code: done.location.searchParams.get("code"),
          verifier: "v".repeat(43),
          redirect_uri: trusted.redirectUri,
        })
      ).json.id_token,
    );
    assert.notEqual(claims.sub, p.user.sub, "posted, the same works");
    assert.ok(!p.deployment.log.includes(secret));
  });
});
