// Which signed tokens are believed. Every forgery is first put in the place of the live token in the database, so that
// nothing but the verification stands between it and the person's claims.
import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { digestOf, sql, text } from "./database.mjs";
import { encode, forge, keysOf, signature, strangeKey } from "./forge.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, everywhere, verdict } from "./verdict.mjs";

const now = () => Math.floor(Date.now() / 1000);
const ORDER = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"); // of P-256
const number = (value) => Buffer.from(value.toString(16).padStart(64, "0"), "hex");

describe("signed tokens", () => {
  let p, web, tokens, jti, header, claims, ec, rsa;
  before(async () => {
    p = await openProvider({ tls: false });
    ({ web } = p.clients);
    tokens = await p.tokens(web, { scope: "openid email" });
    ({ header, claims } = decode(tokens.access_token));
    jti = claims.jti;
    const keys = await keysOf(p.deployment);
    ec = keys.find(({ alg }) => alg === "ES256");
    rsa = keys.find(({ alg }) => alg === "RS256");
  });
  after(async () => {
    await p?.stop();
  });

  /// In the row of the token that was given out, where a token is found by its `iat` and its digest.
  const put = (token) =>
    sql(
      p.deployment,
      `UPDATE access_tokens SET token_hash = ${text(digestOf(token))}, ` +
        `issued_at = ${issuedAt(token)} WHERE jti = ${text(jti)}`,
    );
  const issuedAt = (token) => {
    try {
      const { iat } = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
      return Number.isSafeInteger(iat) ? iat : claims.iat;
    } catch {
      return claims.iat;
    }
  };
  const inBody = (token) => p.post("/userinfo", { access_token: token });
  const segments = (token) => token.split(".");
  /// With our key and our way of writing a header.
  const ours = (payload, head = header, key = ec) => forge(key, head, payload);

  /// The token is as good as one that was given out.
  async function believed(token, what) {
    await put(token);
    assert.equal(verdict(await p.userinfo(token)), "200", what);
    assert.equal((await p.introspect(token)).active, true, what);
  }
  /// The token is nothing anywhere. What is revoked with `revocable` false must still be there: allRefused() looks.
  async function refused(token, what, { revocable = false } = {}) {
    await put(token);
    // the rest is refused as a header already
    const inHeader = /^[A-Za-z0-9._~+/=-]*$/.test(token) && token.length < 8000;
    for (const answer of inHeader ? [await p.userinfo(token), await inBody(token)] : [await inBody(token)]) {
      assert.equal(verdict(answer), "401 invalid_token", what);
    }
    assert.deepEqual(await p.introspect(token), INACTIVE, what);
    for (const hint of revocable ? [] : [undefined, "access_token"]) {
      const { status, body } = await p.revoke(web, token, { token_type_hint: hint });
      assert.deepEqual({ status, body }, { status: 200, body: "" }, what);
    }
  }
  async function allRefused(rows, options) {
    for (const [what, token] of Object.entries(rows)) await refused(token, what, options);
    await believed(tokens.access_token, "none of them was worth a revocation");
    assert.equal((await p.introspect(tokens.refresh_token)).active, true);
  }
  /// Well signed, and of another time than now: good for revocation, which asks for no time, and for nothing else.
  const allOver = (rows) => allRefused(rows, { revocable: true });

  it("a token of the same making is believed: what follows is refused for its faults alone", async () => {
    for (let i = 0; i < 3; ++i) await believed(ours(claims), "the same claims, another signature");
    await believed(ours({ ...claims, more: 1 }), "a member more");
  });

  it("no token is valid without a signature, by any name of that [J01]", async () => {
    const [, payload, mark] = segments(tokens.access_token);
    const rows = {};
    for (const alg of ["none", "None", "NONE", "nOnE", "", null, "ES256"]) {
      rows[`${alg}, no signature`] = `${encode({ ...header, alg })}.${payload}.`;
      if (alg !== "ES256") rows[`${alg}, the old signature`] = `${encode({ ...header, alg })}.${payload}.${mark}`;
    }
    rows["no alg"] = `${encode({ typ: header.typ, kid: header.kid })}.${payload}.`;
    await allRefused(rows);
  });

  it("public keys are not MAC secrets: HS256 over any spelling of them is refused [J02]", async () => {
    const rows = {};
    for (const one of [ec, rsa]) {
      const key = createPublicKey(one.key);
      const pem = key.export({ type: "spki", format: "pem" });
      const jwk = key.export({ format: "jwk" });
      const published = (await p.ask("/jwks")).json.keys.find(({ kid }) => kid === one.kid);
      const passwords = {
        PEM: pem,
        "PEM without the last newline": pem.trimEnd(),
        DER: key.export({ type: "spki", format: "der" }),
        JWK: JSON.stringify(jwk),
        "the published JWK": JSON.stringify(published),
        "the published set": (await p.ask("/jwks")).body,
        empty: "",
        kid: one.kid,
        "the modulus or point": Buffer.from(jwk.n ?? jwk.x, "base64url"),
        "its text": jwk.n ?? jwk.x,
      };
      for (const [what, password] of Object.entries(passwords)) {
        for (const alg of ["HS256", one.alg]) {
          const signed = `${encode({ ...header, alg, kid: one.kid })}.${encode(claims)}`;
          rows[`${one.alg} ${what} as ${alg}`] =
            `${signed}.${createHmac("sha256", password).update(signed).digest("base64url")}`;
        }
      }
    }
    await allRefused(rows);
  });

  it("a key signs with the one algorithm it is published for [J03, J14]", async () => {
    const rows = {};
    for (const [key, algorithms] of [
      [rsa, ["RS512", "PS256"]],
      [ec, ["ES384"]],
    ]) {
      for (const alg of algorithms) {
        rows[alg] = forge({ key: key.key, alg }, { ...header, alg, kid: key.kid }, claims);
        rows[`${alg}, called ${key.alg}`] = forge(
          { key: key.key, alg },
          { ...header, alg: key.alg, kid: key.kid },
          claims,
        );
      }
    }
    rows["RS256 with the name of the other key"] = forge(rsa, { ...header, alg: "RS256", kid: ec.kid }, claims);
    rows["ES256 with the name of the other key"] = forge(ec, { ...header, kid: rsa.kid }, claims);
    await allRefused(rows);
    await believed(
      forge(rsa, { ...header, alg: "RS256", kid: rsa.kid }, claims),
      "both are keys of this server, and either may sign either kind",
    );
  });

  it("kid is looked for among the published names, and nowhere else [J04]", async () => {
    const names = {
      "a path": "../../dev/null",
      another: "/proc/sys/kernel/randomize_va_space",
      "the key file": ec.file,
      "a file name": "jwks.json",
      SQL: "' OR 1=1--",
      UNION: "x' UNION SELECT 'k",
      NUL: "\0",
      "with NUL": `${ec.kid}\0`,
      long: "k".repeat(10_000),
      "a number": 1,
      "an array": [ec.kid],
      "an object": { kid: ec.kid },
      null: null,
      empty: "",
      "a blank behind": `${ec.kid} `,
      "another case": ec.kid.toUpperCase(),
      missing: undefined,
    };
    const rows = {};
    for (const [what, kid] of Object.entries(names)) {
      rows[what] = ours(claims, { ...header, kid });
      for (const password of ["", "2\n", "k"]) {
        const signed = `${encode({ ...header, alg: "HS256", kid })}.${encode(claims)}`;
        rows[`${what}, HS256 of ${JSON.stringify(password)}`] =
          `${signed}.${createHmac("sha256", password).update(signed).digest("base64url")}`;
      }
    }
    await allRefused(rows);
  });

  it("a key that comes with the token, or an address of one, is not looked at [J05]", async () => {
    const stranger = strangeKey();
    const jwk = createPublicKey(stranger.key).export({ format: "jwk" });
    let visits = 0;
    const listener = createServer((socket) => {
      ++visits;
      socket.destroy();
    });
    await new Promise((done) => listener.listen(0, "127.0.0.1", done));
    try {
      const url = `http://127.0.0.1:${listener.address().port}/keys`;
      const members = {
        jku: url,
        x5u: url,
        jwk,
        x5c: [Buffer.from("certificate").toString("base64")],
        "x5t#S256": "x",
      };
      const rows = {};
      for (const [name, value] of Object.entries(members)) {
        for (const key of [stranger, ec]) {
          for (const kid of [ec.kid, stranger.kid, undefined])
            rows[`${name}, key ${key.kid}, kid ${kid}`] = forge(key, { ...header, kid, [name]: value }, claims);
        }
      }
      await allRefused(rows);
      assert.equal(visits, 0);
    } finally {
      await new Promise((done) => listener.close(done));
    }
  });

  it("a header that calls anything critical is refused, though well signed [J06]", async () => {
    const rows = {};
    for (const crit of [["b64"], ["x"], [], "x", null, ["exp"], {}]) {
      rows[JSON.stringify(crit)] = ours(claims, { ...header, crit });
      rows[`${JSON.stringify(crit)} with the member`] = ours(claims, { ...header, crit, b64: true, x: 1 });
    }
    rows["b64 alone"] = ours(claims, { ...header, b64: false });
    await allRefused(rows);
  });

  it("a token has three segments, and no other serialization is read [J07]", async () => {
    const [head, payload, mark] = segments(tokens.access_token);
    const token = tokens.access_token;
    await allRefused({
      one: payload,
      "one, a dot": `${payload}.`,
      two: `${head}.${payload}`,
      four: `${token}.${mark}`,
      "four, the last empty": `${token}.`,
      five: `${token}.x.y`,
      "a leading dot": `.${token}`,
      "no header": `.${payload}.${mark}`,
      "no payload": `${head}..${mark}`,
      dots: "....",
      "a newline behind": `${token}\n`,
      "a blank behind": `${token} `,
      "a blank before": ` ${token}`,
      "CR LF": `${token}\r\n`,
      "a tab": `\t${token}`,
      JSON: JSON.stringify({ payload, protected: head, signature: mark }),
      "general JSON": JSON.stringify({ payload, signatures: [{ protected: head, signature: mark }] }),
      JWE: [encode({ alg: "dir", enc: "A256GCM" }), "", "x".repeat(16), payload, "x".repeat(22)].join("."),
      twice: `${token}.${token}`,
      "in quotes": `"${token}"`,
      "Bearer before": `Bearer ${token}`,
    });
  });

  it("a token has one spelling [J08]", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const sibling = (mark, free) => {
      const last = alphabet.indexOf(mark.at(-1));
      return mark.slice(0, -1) + alphabet[(last & ~((1 << free) - 1)) | ((last + 1) & ((1 << free) - 1))];
    };
    // Until the signature has both characters in which the alphabets differ.
    let token;
    do {
      token = ours(claims);
    } while (!/-/.test(segments(token)[2]) || !/_/.test(segments(token)[2]));
    const [head, payload, mark] = segments(token);
    const long = forge(rsa, { ...header, alg: "RS256", kid: rsa.kid }, claims);
    const [longHead, longPayload, longMark] = segments(long);
    assert.equal(longMark.length, 342);
    const rows = {
      "left-over bits": `${head}.${payload}.${sibling(mark, 4)}`,
      "left-over bits of RS256": `${longHead}.${longPayload}.${sibling(longMark, 4)}`,
      padding: `${token}==`,
      "RS256 padding": `${long}==`,
      "the other alphabet": `${head}.${payload}.${mark.replaceAll("-", "+").replaceAll("_", "/")}`,
      "a blank inside": `${head}.${payload}.${mark.slice(0, 40)} ${mark.slice(40)}`,
      "a newline inside": `${head}.${payload}.${mark.slice(0, 40)}\n${mark.slice(40)}`,
      "a NUL behind": `${token}\0`,
      "a NUL inside": `${head}.${payload}.${mark.slice(0, 40)}\0${mark.slice(40)}`,
      "a character more": `${token}A`,
      "one less": token.slice(0, -1),
    };
    // Where the spelling is covered by the signature, the signature is good.
    const resigned = (h, b) => `${h}.${b}.${signature(ec.key, "ES256", `${h}.${b}`)}`;
    for (const [what, change] of [
      ["padding", (s) => `${s}=`],
      ["two", (s) => `${s}==`],
      ["a blank", (s) => `${s} `],
      ["a newline", (s) => `${s}\n`],
      ["a NUL", (s) => `${s}\0`],
    ]) {
      rows[`header, ${what}`] = resigned(change(head), payload);
      rows[`payload, ${what}`] = resigned(head, change(payload));
    }
    // A payload whose length leaves bits over, which are then set.
    for (let pad = 0; pad < 3; ++pad) {
      const text = encode({ ...claims, pad: "x".repeat(pad) });
      const free = { 0: 0, 2: 4, 3: 2 }[text.length % 4];
      if (free) rows[`payload of ${pad} more, left-over bits`] = resigned(head, sibling(text, free));
    }
    await allRefused(rows);
    await believed(token);
    await believed(long);
    // Nor is the signature's twin over the same curve another spelling: the record is of the token that was given out.
    const raw = Buffer.from(mark, "base64url");
    const twin = Buffer.concat([raw.subarray(0, 32), number(ORDER - BigInt(`0x${raw.subarray(32).toString("hex")}`))]);
    await put(token);
    assert.equal(verdict(await p.userinfo(`${head}.${payload}.${twin.toString("base64url")}`)), "401 invalid_token");
    assert.deepEqual(await p.introspect(`${head}.${payload}.${twin.toString("base64url")}`), INACTIVE);
  });

  it("claims are one JSON object with one meaning, and times are integers [J09]", async () => {
    const json = JSON.stringify(claims);
    const put_ = (members) => `${json.slice(0, -1)},${members}}`;
    const without = (name) => JSON.stringify({ ...claims, [name]: undefined }).slice(0, -1);
    const payloads = {
      "sub twice": put_('"sub":"mallory"'),
      "sub twice, spelled differently": put_('"s\\u0075b":"mallory"'),
      "exp twice": put_(`"exp":${claims.exp}`),
      "something behind": `${json}x`,
      "a second object": `${json}{}`,
      "a comma behind": `${json.slice(0, -1)},}`,
      "a comment": `/* */${json}`,
      "a line comment": `${json}//`,
      NaN: put_('"x":NaN'),
      Infinity: put_('"x":Infinity'),
      "1e999": put_('"x":1e999'),
      null: "null",
      "an array": `[${json}]`,
      "empty array": "[]",
      "a string": JSON.stringify(json),
      "a number": "1",
      nothing: "",
      "a blank": " ",
      "single quotes": json.replaceAll('"', "'"),
      "a byte order mark": `\ufeff${json}`,
      deep: put_(`"x":${"[".repeat(2000)}${"]".repeat(2000)}`),
      deeper: put_(`"x":${"[".repeat(10_000)}${"]".repeat(10_000)}`),
      "a lone surrogate": put_('"x":"\\ud800"'),
      "an escaped NUL": put_('"x":"\\u0000"'),
    };
    for (const exp of [
      '"9999999999"',
      "9999999999.5",
      "1e300",
      "true",
      "null",
      "[9999999999]",
      "1e-2147483648",
      "99999999999999999999",
      "9999999999.0",
    ]) {
      payloads[`exp ${exp}`] = `${without("exp")},"exp":${exp}}`;
    }
    for (const iat of ['"1"', "1.5", "true", "null"]) payloads[`iat ${iat}`] = `${without("iat")},"iat":${iat}}`;
    for (const nbf of ['"1"', "1.5", "true", "null", "1e300"]) payloads[`nbf ${nbf}`] = put_(`"nbf":${nbf}`);
    const rows = Object.fromEntries(Object.entries(payloads).map(([what, payload]) => [what, ours(payload)]));
    rows["not UTF-8"] = (() => {
      const payload = Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xff"}', "latin1")]);
      const signed = `${encode(header)}.${payload.toString("base64url")}`;
      return `${signed}.${signature(ec.key, "ES256", signed)}`;
    })();
    rows["alg twice"] = ours(claims, `${JSON.stringify(header).slice(0, -1)},"alg":"ES256"}`);
    rows["alg twice, none first"] = ours(claims, `{"alg":"none",${JSON.stringify(header).slice(1)}`);
    for (const head of ["null", "[]", '"x"', "", "{}", "1"]) rows[`header ${head}`] = ours(claims, head);
    await allRefused(rows);
  });

  it("the typ of an access token is at+jwt, byte for byte [J10]", async () => {
    const rows = {};
    for (const typ of [
      "JWT",
      "jwt",
      "AT+JWT",
      "At+jwt",
      "at+JWT",
      "application/at+jwt",
      "id+jwt",
      "rt+jwt",
      "at+jwt ",
      "at+jwt\0",
      "",
      null,
      undefined,
      ["at+jwt"],
      1,
    ]) {
      rows[JSON.stringify(typ) ?? "absent"] = ours(claims, { ...header, typ });
    }
    await allRefused(rows);
  });

  it("ID tokens and refresh tokens are not access tokens, though well signed and presented as one [J11]", async () => {
    await allRefused({
      "an ID token": tokens.id_token,
      "the claims of one": ours(decode(tokens.id_token).claims, { ...header, typ: "JWT" }),
    });
    // The refresh token is a token of its own to introspection and revocation; at UserInfo it is nothing.
    await put(tokens.refresh_token);
    assert.equal(verdict(await p.userinfo(tokens.refresh_token)), "401 invalid_token");
    assert.equal((await p.introspect(tokens.refresh_token)).token_type, "refresh_token");
    await believed(tokens.access_token);
  });

  it("a token ends with the second of its exp, and one from the future has not begun [J12]", async () => {
    await allRefused({ "no exp": ours({ ...claims, exp: undefined }), "no iat": ours({ ...claims, iat: undefined }) });
    await allOver({
      "exp now": ours({ ...claims, exp: now() }),
      "exp a second ago": ours({ ...claims, exp: now() - 1 }),
      "exp at the epoch": ours({ ...claims, exp: 0 }),
      "exp before it": ours({ ...claims, exp: -1 }),
      "nbf in a quarter of an hour": ours({ ...claims, nbf: now() + 900 }),
      "iat in a quarter of an hour": ours({ ...claims, iat: now() + 900 }),
    });
    await believed(ours({ ...claims, nbf: now() }), "nbf now");
    await believed(ours({ ...claims, iat: now() + 30, nbf: now() + 30 }), "a clock that went back by half a minute");
  });

  it("the issuer is this server's, byte for byte [J13]", async () => {
    const rows = {};
    for (const iss of [
      `${p.issuer}/`,
      p.issuer.toUpperCase(),
      p.issuer.replace("http", "https"),
      `${p.issuer}:80`,
      "https://evil.example",
      "",
      null,
      undefined,
      [p.issuer],
      { iss: p.issuer },
      ` ${p.issuer}`,
      `${p.issuer}\0`,
      p.issuer.slice(0, -1),
    ]) {
      rows[JSON.stringify(iss) ?? "missing"] = ours({ ...claims, iss });
    }
    await allRefused(rows);
  });

  it("a signature is worth something by a published key alone [J14]", async () => {
    const stranger = strangeKey();
    const strangeRsa = strangeKey("RS256");
    await allRefused({
      "a stranger's, with our key's name": forge(stranger, header, claims),
      "with its own name": forge(stranger, { ...header, kid: stranger.kid }, claims),
      "a stranger's RSA key": forge(strangeRsa, { ...header, alg: "RS256", kid: rsa.kid }, claims),
      "our other key, with this one's name": forge(rsa, header, claims),
    });
    // Rotated out but published: good. Taken out of the set: nothing any more, here and in every running process.
    const old = ours({ ...claims, note: "by the first key" });
    await believed(old);
    await p.deployment.postern(["key", "rotate", "--alg", "ES256", "--lead", "0"]);
    await believed(old);
    await believed(tokens.access_token);
    const renewed = await p.tokens(web, { scope: "openid email" });
    assert.notEqual(decode(renewed.access_token).header.kid, header.kid);
    await p.deployment.postern(["key", "retire", header.kid, "--force"]);
    for (const token of [old, tokens.access_token, ours(claims)]) {
      await put(token);
      await everywhere(async () => assert.equal(verdict(await p.userinfo(token)), "401 invalid_token"));
      assert.deepEqual(await p.introspect(token), INACTIVE);
    }
    tokens = renewed;
    ({ header, claims } = decode(tokens.access_token));
    jti = claims.jti;
    ec = (await keysOf(p.deployment)).find(({ kid }) => kid === header.kid);
    await believed(ours(claims));
  });

  it("an ES256 signature is two numbers of 32 bytes in range, not DER, and never zero [J15]", async () => {
    const signed = `${encode(header)}.${encode(claims)}`;
    const mark = Buffer.from(signature(ec.key, "ES256", signed), "base64url");
    const [r, s] = [mark.subarray(0, 32), mark.subarray(32)];
    const zero = Buffer.alloc(32);
    const part = (bytes) =>
      bytes[0] > 127 ? Buffer.concat([Buffer.from([2, 33, 0]), bytes]) : Buffer.concat([Buffer.from([2, 32]), bytes]);
    const der = Buffer.concat([Buffer.from([0x30, part(r).length + part(s).length]), part(r), part(s)]);
    const marks = {
      zeros: Buffer.alloc(64),
      "r zero": Buffer.concat([zero, s]),
      "s zero": Buffer.concat([r, zero]),
      "r the order": Buffer.concat([number(ORDER), s]),
      "s the order": Buffer.concat([r, number(ORDER)]),
      "all ones": Buffer.alloc(64, 0xff),
      "one and one": Buffer.concat([number(1n), number(1n)]),
      "63 bytes": mark.subarray(0, 63),
      "65 bytes": Buffer.concat([mark, Buffer.from([0])]),
      "a zero before": Buffer.concat([Buffer.from([0]), mark]),
      "each with a zero before": Buffer.concat([Buffer.from([0]), r, Buffer.from([0]), s]),
      DER: der,
      "the numbers exchanged": Buffer.concat([s, r]),
      "32 bytes": r,
      "128 bytes": Buffer.concat([mark, mark]),
      random: randomBytes(64),
    };
    await allRefused(
      Object.fromEntries(
        Object.entries(marks).map(([what, bytes]) => [what, `${signed}.${bytes.toString("base64url")}`]),
      ),
    );
    await allRefused({ empty: `${signed}.`, "four As": `${signed}.AAAA`, "86 As": `${signed}.${"A".repeat(86)}` });
    await believed(`${signed}.${mark.toString("base64url")}`);
  });

  it("a token longer than any that this server issues is not parsed [J17]", async () => {
    const [head, payload, mark] = segments(tokens.access_token);
    await allRefused({
      "8193 bytes": "A".repeat(8193),
      "60 000 bytes": `${head}.${"A".repeat(60_000 - head.length - mark.length - 2)}.${mark}`,
      "a long header": `${"A".repeat(50_000)}.${payload}.${mark}`,
      dots: ".".repeat(50_000),
      "well signed": ours({ ...claims, more: "x".repeat(9000) }),
    });
    await believed(ours({ ...claims, more: "x".repeat(4000) }), "as long as one may be");
    for (const [what, token] of [
      ["a token", "A".repeat(1 << 20)],
      ["a header segment", `${"A".repeat(1 << 20)}.${payload}.${mark}`],
    ]) {
      for (const path of ["/userinfo", "/token/introspect", "/token/revoke"]) {
        const answer = await p.post(
          path,
          { token, access_token: token },
          { client: path === "/userinfo" ? undefined : web },
        );
        assert.equal(answer.status, 413, `${what} of a megabyte at ${path}`);
      }
    }
  });
});

describe("signing keys that may not be used", () => {
  let p;
  before(async () => {
    p = await openProvider({ mode: "cgi" });
  });
  after(async () => {
    await p?.stop();
  });

  it(
    "weak keys, and keys of another kind than their name " + "says, are refused at the start with a fixed answer [J16]",
    async () => {
      const pem = (type, options) =>
        generateKeyPairSync(type, options).privateKey.export({ type: "pkcs8", format: "pem" });
      const keys = await keysOf(p.deployment);
      const [ec, rsa] = ["ES256", "RS256"].map((wanted) => keys.find(({ alg }) => alg === wanted));
      const asked = () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
      assert.equal(verdict(await asked()), "200");
      const rows = [
        [rsa, "1024 bits", pem("rsa", { modulusLength: 1024 })],
        [rsa, "exponent 3", pem("rsa", { modulusLength: 2048, publicExponent: 3 })],
        [rsa, "an EC key", pem("ec", { namedCurve: "P-256" })],
        [rsa, "RSA-PSS", pem("rsa-pss", { modulusLength: 2048 })],
        [ec, "P-384", pem("ec", { namedCurve: "P-384" })],
        [ec, "secp256k1", pem("ec", { namedCurve: "secp256k1" })],
        [ec, "an RSA key", pem("rsa", { modulusLength: 2048 })],
        [ec, "Ed25519", pem("ed25519")],
        [ec, "another key than the published one", pem("ec", { namedCurve: "P-256" })],
      ];
      for (const [{ file }, what, content] of rows) {
        const good = readFileSync(file);
        writeFileSync(file, content); // in place: owner and mode stay
        try {
          const answer = await asked();
          assert.equal(answer.status, 500, what);
          assert.equal(answer.body, "Internal Server Error\n", what);
          assert.ok(p.deployment.log.includes(file), "the operator is told which file");
          assert.equal((await p.ask("/jwks")).status, 200, "what needs no private key goes on");
        } finally {
          writeFileSync(file, good);
        }
      }
      assert.equal(verdict(await asked()), "200");
    },
  );
});
