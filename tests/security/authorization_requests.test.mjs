// What becomes of an authorization request: whose it is, what it is bound to, and when it is over.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { claimsOf, isPage, parametersOf } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const LONG = Boolean(process.env.POSTERN_LONG);

describe("authorization requests and codes", () => {
  let p;
  let web;
  before(async () => {
    p = await openProvider({ clock: true });
    ({ web } = p.clients);
    await p.deployment.addUser("bob", "another long password", { name: "Bob" });
  });
  after(() => p?.stop());

  const ask = (parameters, client = web) => p.ask(p.authorizationUrl(client, parameters));
  const signedIn = async (client = web) => {
    const person = p.person();
    await p.code(client, {}, person);
    return person;
  };
  const total = async () => {
    const { tokens, grants, consents } = await p.deployment.postern(["stats"]);
    return JSON.stringify([tokens, grants, consents]);
  };

  it(`codes are unguessable and never repeat: ${LONG ? 10_000 : 300} of them [A05]`, async () => {
    const person = await signedIn(p.clients.trusted);
    const codes = new Set();
    const wanted = LONG ? 10_000 : 300;
    while (codes.size < wanted) {
      const before = codes.size;
      const pages = await Promise.all(
        Array.from({ length: 10 }, () => person.visit(p.authorizationUrl(p.clients.trusted))),
      );
      for (const { location } of pages) codes.add(location.searchParams.get("code"));
      assert.equal(codes.size, before + 10, "a code came twice");
    }
    for (const code of codes) assert.match(code, /^[A-Za-z0-9_-]{43,}$/);
    // Each position takes many values: nothing of a code is constant or counted up.
    for (let i = 0; i < 43; ++i)
      assert.ok(new Set([...codes].map((code) => code[i])).size >= (i === 42 ? 10 : 30), `position ${i}`);
  });

  it(
    "a code is bound to client, address, user, scope, nonce, " +
      "challenge and time of login, and is over after a minute [A05]",
    async () => {
      const fresh = () => p.code(web, { scope: "openid email", nonce: "n-77" });
      const good = await fresh();
      const { status, json } = await p.exchange(web, good);
      assert.equal(status, 200);
      const id = claimsOf(json.id_token);
      assert.deepEqual(
        [json.scope, id.nonce, id.sub, id.aud, claimsOf(json.access_token).sub],
        ["openid email", "n-77", p.user.sub, web.id, p.user.sub],
      );
      assert.ok(Number.isInteger(id.auth_time) && id.auth_time <= id.iat);
      const wrong = {
        "another client": [p.clients.other, {}],
        "another address": [web, { redirect_uri: "https://other.example/cb" }],
        "no address": [web, { redirect_uri: undefined }],
        "another verifier": [web, { code_verifier: "w".repeat(43) }],
        "no verifier": [web, { code_verifier: undefined }],
      };
      for (const [what, [client, extra]] of Object.entries(wrong)) {
        const answer = await p.exchange(client, await fresh(), extra);
        assert.deepEqual(
          [answer.status, answer.json],
          [400, { error: "invalid_grant", error_description: answer.json.error_description }],
          what,
        );
      }
      const widened = await p.exchange(web, await fresh(), { scope: "openid email profile", nonce: "other" });
      assert.deepEqual(
        [widened.json.scope, claimsOf(widened.json.id_token).nonce],
        ["openid email", "n-77"],
        "what the token request adds counts for nothing",
      );
      const [early, late] = [await fresh(), await fresh()];
      await p.deployment.advance(30);
      assert.equal((await p.exchange(web, early)).status, 200, "half a minute");
      await p.deployment.advance(31);
      assert.equal((await p.exchange(web, late)).json.error, "invalid_grant", "TTL and a second");
    },
  );

  it(
    "a request that comes back is the one that was " + "checked; another response type is another request [A08]",
    async () => {
      const person = p.person();
      const login = await person.visit(p.authorizationUrl(web, { prompt: "consent" }));
      const { resume } = login.form.fields;
      const fresh = await person.visit(p.authorizationUrl(web, { response_type: "token" }));
      assert.equal(parametersOf(fresh.location).get("error"), "unsupported_response_type");
      const consent = await person.signIn(login, p.user.username, p.user.password);
      const more =
        "response_type=token&redirect_uri=https%3A%2F%2Fevil.example%2F&client_id=other" +
        "&scope=openid+api&state=evil&prompt=none";
      const resumed = await person.visit(`${p.issuer}/authorize?resume=${consent.form.fields.resume}&${more}`);
      assert.ok(resumed.form?.buttons.approve, `${resumed.status} ${resumed.location}`);
      const done = await person.approve(resumed);
      assert.ok(
        done.location.href.startsWith(`${web.redirectUri}?code=`) && done.location.searchParams.get("state") === "s-1",
        `${done.location}`,
      );
      const over = await person.visit(`${p.issuer}/authorize?resume=${resume}&${more}`);
      assert.ok(over.status >= 400 && over.location === undefined, "once it was answered it is over");
      assert.equal(
        parametersOf((await person.visit(p.authorizationUrl(web, { response_type: "token" }))).location).get("error"),
        "unsupported_response_type",
      );
    },
  );

  it("prompt=none shows nothing: an error at the client, or a code [A13]", async () => {
    const silent = async (person, parameters = {}, client = web) => {
      const { location, status } = await person.visit(p.authorizationUrl(client, { prompt: "none", ...parameters }));
      assert.ok(location?.href.startsWith(client.redirectUri), `${status} ${location}`);
      assert.deepEqual([location.searchParams.get("state"), location.searchParams.get("iss")], ["s-1", p.issuer]);
      return location.searchParams.get("error") ?? (location.searchParams.get("code") ? "code" : "nothing");
    };
    assert.equal(await silent(p.person()), "login_required", "nobody is signed in");
    const person = await signedIn(p.clients.trusted);
    assert.equal(await silent(person, {}, p.clients.other), "consent_required", "this client was never approved");
    assert.equal(await silent(person, {}, p.clients.trusted), "code", "both are there");
    assert.equal(await silent(person, { max_age: "600" }, p.clients.trusted), "code", "and the login is recent");
    await p.deployment.advance(60);
    assert.equal(await silent(person, { max_age: "30" }, p.clients.trusted), "login_required", "the login is too old");
    assert.equal(await silent(person, { max_age: "0" }, p.clients.trusted), "login_required");
    for (const prompt of ["none login", "none consent", "consent none", "none none"]) {
      assert.equal(await silent(person, { prompt }, p.clients.trusted), "invalid_request", prompt);
    }
  });

  it("prompt=none does not redirect to an unregistered address [A14]", async () => {
    const person = await signedIn();
    for (const redirect_uri of [
      "https://evil.example/",
      "https://evil.example/cb",
      `${web.redirectUri}/..`,
      "//evil.example",
      "javascript:alert(1)",
    ]) {
      isPage(await person.visit(p.authorizationUrl(web, { prompt: "none", redirect_uri })), redirect_uri);
      isPage(await p.person().visit(p.authorizationUrl(web, { prompt: "none", redirect_uri })), redirect_uri);
    }
  });

  it("a client that asks in order to be redirected gets nowhere but to its registered address [A15]", async () => {
    await p.deployment.postern(["client", "add", "bouncer", "--redirect-uri", "https://bouncer.example/cb"]);
    const bouncer = { id: "bouncer", redirectUri: "https://bouncer.example/cb" };
    for (const parameters of [{ prompt: "none" }, { scope: "no_such" }, { response_type: "zz" }]) {
      const answer = await ask(parameters, bouncer);
      assert.ok(answer.headers.location.startsWith(`${bouncer.redirectUri}?error=`));
      assert.equal(answer.headers["set-cookie"], undefined);
      isPage(
        await ask({ ...parameters, redirect_uri: "https://victim.example/cb" }, bouncer),
        JSON.stringify(parameters),
      );
    }
  });

  it("an old login is made good by the password alone, and by nothing that an address says [A17]", async () => {
    const { trusted } = p.clients;
    const person = p.person();
    const first = claimsOf((await p.tokens(trusted, {}, person)).id_token).auth_time;
    await p.deployment.advance(3);
    const asked = { max_age: "1", code_challenge: undefined, code_challenge_method: undefined };
    const login = await person.visit(p.authorizationUrl(trusted, asked));
    assert.ok(login.form?.buttons.login);
    const resume = `resume=${login.form.fields.resume}`;
    for (const url of [
      `/authorize?${resume}`,
      `/scopes?${resume}`,
      `/authorize?${resume}&max_age=9999`,
      `/authorize?${resume}&prompt=none`,
    ]) {
      const again = await person.visit(p.issuer + url);
      assert.ok(again.form?.buttons.login || again.form?.buttons.approve, `${url}: ${again.location}`);
      assert.equal(again.location, undefined, url);
    }
    assert.ok(
      (await person.visit(p.authorizationUrl(trusted, asked))).form?.buttons.login,
      "asked anew it is the same",
    );
    assert.ok(
      (await person.signIn(login, p.user.username, "a guess of hers")).form?.buttons.login,
      "a wrong password proves nothing",
    );
    assert.ok((await person.visit(`${p.issuer}/authorize?${resume}`)).form?.buttons.login);
    const told = claimsOf((await p.tokens(trusted, {}, person)).id_token).auth_time;
    assert.equal(told, first, "auth_time moved without a login");
    const page = await person.signIn(login, p.user.username, p.user.password);
    assert.ok(page.location?.searchParams.has("code"), `${page.status}`);
    assert.ok(claimsOf((await p.tokens(trusted, {}, person)).id_token).auth_time >= first + 3);
  });

  it("a request is finished in the browser it began in, by the user who is signed in there [A18]", async () => {
    const attacker = p.person();
    const victim = await signedIn();
    const bait = await attacker.visit(p.authorizationUrl(web));
    const { resume } = bait.form.fields;
    const before = await total();
    for (const page of ["login", "scopes", "authorize"]) {
      isPage(await victim.visit(`${p.issuer}/${page}?resume=${resume}`), `the victim opens ${page}`);
      isPage(await p.person().visit(`${p.issuer}/${page}?resume=${resume}`), `somebody without a cookie opens ${page}`);
    }
    const form = { ...bait.form.fields, username: p.user.username, password: p.user.password };
    assert.equal(
      (await victim.post(`${p.issuer}/login`, form)).status,
      400,
      "the attacker's login form in the victim's browser",
    );
    assert.equal((await victim.post(`${p.issuer}/scopes`, { ...bait.form.fields, decision: "approve" })).status, 400);
    assert.equal(await total(), before);
    assert.ok(
      (await attacker.visit(`${p.issuer}/authorize?resume=${resume}`)).form?.buttons.login,
      "the attacker is where he was",
    );

    const consent = await attacker.signIn(bait, "bob", "another long password");
    assert.ok(consent.form?.buttons.approve);
    assert.equal(
      (await victim.post(`${p.issuer}/scopes`, { ...consent.form.fields, decision: "approve" })).status,
      400,
    );
    assert.ok(
      (await attacker.visit(`${p.issuer}/authorize?resume=${consent.form.fields.resume}`)).form?.buttons.approve,
      "bob still has to answer",
    );
    const code = await attacker.approve(consent);
    const { json } = await p.exchange(web, {
      code: code.location.searchParams.get("code"),
      verifier: "v".repeat(43),
      redirect_uri: web.redirectUri,
    });
    assert.notEqual(claimsOf(json.id_token).sub, p.user.sub, "it is bob's own");
  });

  it("additional fields in the forms change nothing of the request [A19]", async () => {
    const more = {
      redirect_uri: "https://evil.example/",
      scope: "openid api",
      client_id: "other",
      user: "bob",
      sub: "x",
      username: undefined,
      state: "evil",
      nonce: "evil",
      response_type: "token",
      max_age: "1",
      approved: "true",
      first_party: "1",
    };
    const person = p.person();
    const login = await person.visit(
      p.authorizationUrl(web, { scope: "openid email", nonce: "mine", prompt: "consent" }),
    );
    const consent = await person.submit(login, "login", {
      ...more,
      username: p.user.username,
      password: p.user.password,
    });
    assert.deepEqual(
      [...consent.body.matchAll(/<code>([^<]*)<\/code>/g)].map(([, name]) => name),
      ["openid", "email"],
    );
    delete more.username;
    const query = new URLSearchParams(more).toString();
    const page = await person.visit(`${p.issuer}/authorize?resume=${consent.form.fields.resume}&${query}`);
    const { location } = await person.submit(page, "approve", { ...more, username: "bob" });
    assert.ok(location.href.startsWith(`${web.redirectUri}?code=`), `${location}`);
    assert.equal(location.searchParams.get("state"), "s-1");
    const { json } = await p.exchange(web, {
      code: location.searchParams.get("code"),
      verifier: "v".repeat(43),
      redirect_uri: web.redirectUri,
    });
    const claims = claimsOf(json.id_token);
    assert.deepEqual([json.scope, claims.nonce, claims.sub, claims.aud], ["openid email", "mine", p.user.sub, "web"]);
  });

  it("a sealed request that was changed, cut, invented or kept for too long is a page [A20]", async () => {
    const person = p.person();
    const login = await person.visit(p.authorizationUrl(web));
    const { resume } = login.form.fields;
    const flip = (at) => resume.slice(0, at) + (resume[at] === "A" ? "B" : "A") + resume.slice(at + 1);
    const bad = [
      flip(0),
      flip(10),
      flip(Math.floor(resume.length / 2)),
      flip(resume.length - 2),
      resume.slice(1),
      resume.slice(0, -1),
      resume.slice(0, 40),
      `${resume}A`,
      `${resume}=`,
      resume + resume,
      "x",
      "",
      "AAAA",
      "%00",
      `${resume}%00`,
      Buffer.from(JSON.stringify({ client_id: "web" })).toString("base64url"),
    ];
    for (const page of ["authorize", "login", "scopes"]) {
      for (const value of bad.filter((text) => page !== "authorize" || text !== ""))
        isPage(await person.visit(`${p.issuer}/${page}?resume=${value}`), `${page} ${value.slice(0, 20)}`);
      isPage(await person.visit(`${p.issuer}/${page}?resume=${resume}&resume=${resume}`), `${page} twice`);
    }
    for (const path of ["login", "scopes"]) {
      const form = {
        ...login.form.fields,
        username: p.user.username,
        password: p.user.password,
        decision: "approve",
        resume: flip(10),
      };
      isPage(await person.post(`${p.issuer}/${path}`, form), path);
    }
    const [kept] = [await person.visit(p.authorizationUrl(web))];
    await p.deployment.advance(601);
    for (const page of ["authorize", "login", "scopes"])
      isPage(await person.visit(`${p.issuer}/${page}?resume=${kept.form.fields.resume}`), `${page} after ten minutes`);
    isPage(await person.signIn(kept, p.user.username, p.user.password), "the form after ten minutes");
  });

  it("one request gives one code, and two tabs never mix [A20]", async () => {
    const person = p.person();
    const tabs = [
      { client: web, scope: "openid email", state: "one" },
      { client: p.clients.other, scope: "openid profile", state: "two" },
    ];
    for (const tab of tabs)
      tab.page = await person.visit(
        p.authorizationUrl(tab.client, { scope: tab.scope, state: tab.state, nonce: tab.state, prompt: "consent" }),
      );
    for (const tab of tabs) tab.page = await person.signIn(tab.page, p.user.username, p.user.password);
    for (const tab of [...tabs].reverse()) {
      const { location } = await person.approve(tab.page);
      assert.ok(location.href.startsWith(tab.client.redirectUri), `${location}`);
      assert.equal(location.searchParams.get("state"), tab.state);
      const { json } = await p.exchange(tab.client, {
        code: location.searchParams.get("code"),
        verifier: "v".repeat(43),
        redirect_uri: tab.client.redirectUri,
      });
      assert.deepEqual(
        [json.scope, claimsOf(json.id_token).nonce, claimsOf(json.id_token).aud],
        [tab.scope, tab.state, tab.client.id],
      );
    }
    const before = await total();
    const [{ page }] = tabs;
    for (const again of [
      () => person.approve(page),
      () => person.visit(`${p.issuer}/authorize?resume=${page.form.fields.resume}`),
      () => person.visit(`${p.issuer}/scopes?resume=${page.form.fields.resume}`),
    ]) {
      const answer = await again();
      assert.ok(answer.status >= 400 && answer.location === undefined, "what was answered is over");
    }
    assert.equal(await total(), before);
  });

  it("a client or user that is disabled on the way gets no code, and what they had is inactive [A27]", async () => {
    const { postern } = { postern: (...words) => p.deployment.postern(words) };
    const person = p.person();
    const had = await p.tokens(web, { scope: "openid offline_access" }, person);
    const pending = await p.code(web, {}, person);
    const waiting = await person.visit(p.authorizationUrl(web, { prompt: "consent" }));
    const typed = await person.visit(p.authorizationUrl(web, { prompt: "login" }));
    await postern("client", "disable", "web");
    isPage(await person.visit(p.authorizationUrl(web)), "a new request");
    isPage(await person.approve(waiting), "the consent form");
    assert.equal((await person.signIn(typed, p.user.username, p.user.password)).status, 400, "the login form");
    assert.equal((await p.exchange(web, pending)).json.error, "invalid_client");
    assert.equal((await p.refresh(web, had.refresh_token)).json.error, "invalid_client");
    assert.deepEqual(await p.introspect(had.access_token), { active: false });
    assert.deepEqual(await p.introspect(had.refresh_token), { active: false });
    assert.equal((await p.userinfo(had.access_token)).status, 401);
    await postern("client", "enable", "web");
    assert.equal((await p.introspect(had.access_token)).active, true, "only until it is enabled again");

    const bob = { username: "bob", password: "another long password" };
    const browser = p.person();
    const approved = async (client) =>
      (
        await p.walk(browser, p.authorizationUrl(client, { scope: "openid offline_access" }), { user: bob })
      ).location.searchParams.get("code");
    const redeem = (code) => p.exchange(web, { code, verifier: "v".repeat(43), redirect_uri: web.redirectUri });
    const bobs = (await redeem(await approved(web))).json;
    const unredeemed = await approved(web);
    const open = await browser.visit(p.authorizationUrl(web, { prompt: "consent" }));
    const form = await browser.visit(p.authorizationUrl(web, { prompt: "login" }));
    await postern("user", "disable", "bob");
    assert.equal((await redeem(unredeemed)).json.error, "invalid_grant");
    assert.equal((await p.refresh(web, bobs.refresh_token)).json.error, "invalid_grant");
    assert.deepEqual(await p.introspect(bobs.access_token), { active: false });
    assert.equal((await p.userinfo(bobs.access_token)).status, 401);
    assert.ok((await browser.approve(open)).form?.buttons.login, "the consent form leads to the login");
    assert.ok(
      (await browser.signIn(form, bob.username, bob.password)).form?.buttons.login,
      "and the right password is as wrong as any",
    );
    assert.ok((await browser.visit(p.authorizationUrl(web))).form?.buttons.login, "the session is gone");
    await postern("user", "enable", "bob");
    assert.deepEqual(await p.introspect(bobs.access_token), { active: false }, "what ended has ended");
  });
});
