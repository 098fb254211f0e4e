// The consent form: whose answer it is, to what, and how often it counts.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { claimsOf, cookiesOf, isPage } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const ROUNDS = process.env.POSTERN_LONG ? 100 : 10;
const BOB = { username: "bob", password: "another long password" };

describe("consent", () => {
  let p;
  let web;
  let other;
  before(async () => {
    p = await openProvider();
    ({ web, other } = p.clients);
    await p.deployment.addUser(BOB.username, BOB.password);
    await p.deployment.postern([
      "client",
      "add",
      "app",
      "--public",
      "--native",
      "--redirect-uri",
      "com.example.app:/cb",
      "--scope",
      "openid profile",
    ]);
  });
  after(() => p?.stop());

  /// The consent page of a new browser that signs in for it.
  async function asked(client = web, parameters = {}, { person = p.person(), user = p.user } = {}) {
    const page = await person.visit(p.authorizationUrl(client, { prompt: "consent", ...parameters }));
    const shown = page.form?.buttons.login ? await person.signIn(page, user.username, user.password) : page;
    assert.ok(shown.form?.buttons.approve, `${shown.status} ${shown.location}`);
    return { person, page: shown, login: page };
  }
  const consents = async () => JSON.stringify(await p.deployment.postern(["consent", "list"]));
  const scopesOn = (page) => [...page.body.matchAll(/<code>([^<]*)<\/code>/g)].map(([, name]) => name);

  it("an answer counts for the session and the request that were asked, and from our own page [L06]", async () => {
    const { person, page, login } = await asked();
    const second = await asked(other, {}, { person });
    const bobs = await asked(web, {}, { user: BOB });
    const own = page.form.fields.csrf;
    const before = await consents();
    for (const csrf of [
      undefined,
      "",
      "x",
      login.form.fields.csrf,
      second.page.form.fields.csrf,
      bobs.page.form.fields.csrf,
      `${own}A`,
      own.slice(1),
    ]) {
      const { csrf: unused, ...fields } = { ...page.form.fields, decision: "approve" };
      isPage(
        await person.post(`${p.issuer}/scopes`, csrf === undefined ? fields : { ...fields, csrf }),
        `csrf ${csrf}`,
        403,
      );
    }
    const cookie = await cookiesOf(p, person);
    const post = (headers, decision = "approve") =>
      p.ask("/scopes", {
        method: "POST",
        body: new URLSearchParams({ ...page.form.fields, decision }).toString(),
        headers: { cookie, "content-type": "application/x-www-form-urlencoded", ...headers },
      });
    for (const site of ["cross-site", "same-site", "none"]) isPage(await post({ "sec-fetch-site": site }), site, 403);
    // What another site can make this browser send: SameSite=Lax keeps the cookies, and without them nothing is known.
    isPage(
      await p.ask("/scopes", {
        method: "POST",
        body: new URLSearchParams({ ...page.form.fields, decision: "approve" }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site" },
      }),
      "without cookies",
    );
    isPage(
      await person.post(`${p.issuer}/scopes`, { ...bobs.page.form.fields, decision: "approve" }),
      "another browser's request and token",
    );
    for (const decision of ["", "maybe", "APPROVE"]) isPage(await post({}, decision), decision);
    assert.equal(await consents(), before);
    const back = await person.visit(`${p.issuer}/authorize?resume=${page.form.fields.resume}`);
    assert.ok(back.form?.buttons.approve, "nothing was decided");
    assert.ok((await person.approve(back)).location.searchParams.has("code"));
  });

  it("an address decides nothing: GET shows the form again [L07]", async () => {
    const { person, page } = await asked(other);
    const before = await consents();
    const fields = new URLSearchParams({ ...page.form.fields, decision: "approve", approve: "true" });
    for (const url of [
      `/scopes?${fields}`,
      `/scopes?resume=${page.form.fields.resume}&approve=true`,
      `/authorize?${fields}`,
    ]) {
      const again = await person.visit(p.issuer + url);
      assert.ok(again.form?.buttons.approve, `${url}: ${again.status} ${again.location}`);
    }
    isPage(await person.visit(`${p.issuer}/scopes?approve=true`), "without a request");
    for (const method of ["PUT", "DELETE", "PATCH"])
      assert.equal((await p.ask(`/scopes?${fields}`, { method })).status, 405, method);
    assert.equal(await consents(), before);
  });

  it("the page names the client and every scope, and more scopes are asked for again [L15]", async () => {
    const client = { id: "asks", redirectUri: "https://asks.example/cb" };
    await p.deployment.postern([
      "client",
      "add",
      client.id,
      "--name",
      "The asking one",
      "--redirect-uri",
      client.redirectUri,
      "--scope",
      "openid email profile",
    ]);
    const listed = () => p.deployment.postern(["consent", "list", "--client", client.id]);
    const ask = (person, scope) => person.visit(p.authorizationUrl(client, { scope }));
    const { person, page } = await asked(client, { scope: "openid" });
    assert.match(page.body, /The asking one/);
    assert.match(page.body, /asks\.example/, "and where the answer goes");
    assert.deepEqual(scopesOn(page), ["openid"]);
    await person.approve(page);
    const [first] = await listed();
    assert.deepEqual([first.client_id, first.username, first.scope], [client.id, p.user.username, "openid"]);
    assert.ok((await ask(person, "openid")).location?.searchParams.has("code"), "the same is remembered");
    const more = await ask(person, "openid email");
    assert.deepEqual(scopesOn(more), ["openid", "email"]);
    const denied = await person.deny(more);
    assert.equal(denied.location.searchParams.get("error"), "access_denied");
    assert.equal((await listed())[0].scope, "openid", "a denial adds nothing");
    const approved = await person.approve(await ask(person, "openid email"));
    const { json } = await p.exchange(
      { ...client, secret: (await p.deployment.postern(["client", "secret", client.id])).client_secret },
      { code: approved.location.searchParams.get("code"), verifier: "v".repeat(43), redirect_uri: client.redirectUri },
    );
    assert.equal(json.scope, "openid email");
    assert.ok((await ask(person, "email")).location?.searchParams.has("code"), "a part of it is remembered");
    assert.deepEqual(scopesOn(await ask(person, "openid email profile")), ["openid", "email", "profile"]);
    const bob = await asked(client, { scope: "openid", prompt: undefined }, { user: BOB });
    assert.ok(bob.page.form.buttons.approve, "one user's consent is not another's");
    await p.deployment.postern(["consent", "revoke", "--client", client.id, "--user", p.user.username]);
    assert.deepEqual(scopesOn(await ask(person, "openid")), ["openid"], "withdrawn, it is asked for again");
  });

  it("a public client on this machine is asked for every time, one with an https address once [L16]", async () => {
    const rows = [
      [{ id: "native", redirectUri: "http://127.0.0.1:4711/cb" }, true],
      [{ id: "app", redirectUri: "com.example.app:/cb" }, true],
      [p.clients.spa, false],
    ];
    for (const [client, again] of rows) {
      const { person, page } = await asked(client, { prompt: undefined });
      assert.ok((await person.approve(page)).location?.searchParams.has("code"), client.id);
      const second = await person.visit(p.authorizationUrl(client));
      assert.equal(Boolean(second.form?.buttons.approve), again, client.id);
      const silent = await person.visit(p.authorizationUrl(client, { prompt: "none" }));
      assert.equal(silent.location.searchParams.get("error"), again ? "consent_required" : null, client.id);
    }
    await assert.rejects(
      p.deployment.postern([
        "client",
        "add",
        "never",
        "--public",
        "--native",
        "--first-party",
        "--redirect-uri",
        "http://127.0.0.1/cb",
      ]),
      { code: 1 },
      "nor can the operator skip the question for it",
    );
  });

  it(`the same answer sent twice at once gives one code, in each of ${ROUNDS} rounds [L17]`, async () => {
    for (let round = 0; round < ROUNDS; ++round) {
      const { person, page } = await asked();
      const before = (await p.deployment.postern(["stats"])).tokens.authorization_code;
      const decisions = round % 2 ? ["approve", "approve", "approve", "approve"] : ["approve", "approve"];
      const pages = await Promise.all(decisions.map((decision) => person.submit(page, decision)));
      const codes = pages.map(({ location }) => location?.searchParams.get("code")).filter(Boolean);
      assert.equal(codes.length, 1, pages.map(({ status, location }) => `${status} ${location ?? ""}`).join(" | "));
      assert.ok(pages.every(({ status }) => status < 500));
      assert.equal((await p.deployment.postern(["stats"])).tokens.authorization_code, before + 1);
      const redeemed = await p.exchange(web, {
        code: codes[0],
        verifier: "v".repeat(43),
        redirect_uri: web.redirectUri,
      });
      assert.equal(redeemed.status, 200);
    }
  });

  it("yes and no at once: whichever was first, the client hears one of them [L17]", async () => {
    for (let round = 0; round < ROUNDS; ++round) {
      const { person, page } = await asked();
      const pages = await Promise.all(["approve", "deny"].map((decision) => person.submit(page, decision)));
      const told = pages
        .map(({ location }) => location && (location.searchParams.get("error") ?? "code"))
        .filter(Boolean);
      assert.equal(told.length, 1, told.join());
      assert.ok(["code", "access_denied"].includes(told[0]), told[0]);
    }
  });

  it("another user signs in in another tab: the page of the first decides nothing for either [L18]", async () => {
    const { person, page } = await asked(web);
    const bobs = await person.visit(p.authorizationUrl(other, { prompt: "login consent" }));
    const shown = await person.signIn(bobs, BOB.username, BOB.password);
    assert.ok(shown.form?.buttons.approve);
    const before = await consents();
    isPage(await person.approve(page), "alice's page", 403);
    assert.equal(await consents(), before);
    const again = await person.visit(`${p.issuer}/authorize?resume=${page.form.fields.resume}`);
    assert.match(again.body, /<bdi>bob<\/bdi>/, "the request begins anew, with bob");
    const { location } = await person.approve(again);
    const { json } = await p.exchange(web, {
      code: location.searchParams.get("code"),
      verifier: "v".repeat(43),
      redirect_uri: web.redirectUri,
    });
    assert.notEqual(claimsOf(json.id_token).sub, p.user.sub);
  });
});
