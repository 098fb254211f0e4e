// How often a request waits for the database server: its flights, which are round trips of the network between them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Authenticator } from "../support/authenticator.mjs";
import { prepared } from "../support/prepared.mjs";
import { ProxiedProvider, SCOPE } from "./proxied.mjs";

const tokensOf = (p) => p.tokens(p.clients.web, { scope: SCOPE });

/// `expected`: flights of a process of `program` that has a connection; `prepare`: answers what makes one request.
const operation = (expected, program, prepare) => ({ expected, program, prepare });
/// One request of each is counted.
const OPERATIONS = {
  introspection: operation(2, "introspect", async (p) => {
    const { access_token: token } = await tokensOf(p);
    return () => p.introspect(token);
  }),
  userinfo: operation(2, "userinfo", async (p) => {
    const { access_token: token } = await tokensOf(p);
    return () => p.userinfo(token);
  }),
  "a token for a client": operation(
    2,
    "token",
    async (p) => () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine }),
  ),
  "a code for a user who is signed in": operation(7, "authorize", async (p) => {
    await p.code(p.clients.trusted);
    return () => p.code(p.clients.trusted);
  }),
  // One of them is for the claims in the ID token.
  "redemption of a code": operation(5, "token", async (p) => {
    const code = await p.code(p.clients.web, { scope: SCOPE });
    return () => p.exchange(p.clients.web, code);
  }),
  "redemption of a code without an ID token": operation(4, "token", async (p) => {
    const code = await p.code(p.clients.web, { scope: "profile" });
    return () => p.exchange(p.clients.web, code);
  }),
  "use of a refresh token": operation(6, "token", async (p) => {
    const { refresh_token: token } = await tokensOf(p);
    return () => p.refresh(p.clients.web, token);
  }),
  "revocation of an access token": operation(3, "revoke", async (p) => {
    const { access_token: token } = await tokensOf(p);
    return () => p.revoke(p.clients.web, token);
  }),
  "revocation of a refresh token": operation(4, "revoke", async (p) => {
    const { refresh_token: token } = await tokensOf(p);
    return () => p.revoke(p.clients.web, token);
  }),
  login: operation(8, "login", async (p) => {
    const person = p.person();
    const page = await person.visit(p.authorizationUrl(p.clients.web));
    return () => person.submit(page, "login", { username: p.user.username, password: p.user.password });
  }),
  "a passkey alone": operation(12, "login", async (p) => {
    const { key } = await withPasskey(p);
    const person = p.person();
    const page = await person.visit(p.authorizationUrl(p.clients.web));
    return () => person.submit(page, "use-passkey", key.use(page));
  }),
  "a passkey behind the password": operation(13, "login", async (p) => {
    const { user, key } = await withPasskey(p);
    const person = p.person();
    const first = await person.visit(p.authorizationUrl(p.clients.web));
    const page = await person.signIn(first, user.username, user.password);
    return () => person.submit(page, "use-passkey", key.use(page));
  }),
  "a further passkey, and the list of them": operation(13, "account", async (p) => {
    const { person } = await withPasskey(p);
    const page = await person.visit(`${p.issuer}/account/passkeys?add=yes`);
    return () => person.submit(page, "add-passkey", new Authenticator().register(page));
  }),
};

let users = 0;
/// A user who has added a passkey, in a browser that is at the account.
async function withPasskey(p) {
  const user = { username: `user-${++users}`, password: "another quiet gate" };
  await p.deployment.addUser(user.username, user.password);
  const [person, key] = [p.person(), new Authenticator()];
  await p.walk(person, `${p.issuer}/account/passkeys`, { user });
  const page = await person.visit(`${p.issuer}/account/passkeys?add=yes`);
  await person.submit(page, "add-passkey", key.register(page));
  return { user, person, key };
}

/// A process that is asked for the first time connects: in the least of so many runs none does.
const RUNS = 8;

describe("flights to PostgreSQL", () => {
  let proxied;
  let proxy;
  let p;

  prepared(async (owned) => {
    proxied = owned(await ProxiedProvider.open({ host: "localhost" })); // a passkey is for a host with a name
    ({ proxy, p } = proxied);
  });

  async function fewestFlights(program, prepare) {
    const runs = [];
    for (let run = 0; run < RUNS; ++run) {
      const perform = await prepare(p);
      proxy.flights.length = 0;
      await perform();
      runs.push(proxy.flights.filter((flight) => flight.program === program));
    }
    return runs.reduce((least, run) => (run.length < least.length ? run : least));
  }

  for (const [title, { expected, program, prepare }] of Object.entries(OPERATIONS)) {
    it(`${title}: ${expected}`, async () => {
      const flights = await fewestFlights(program, prepare);
      assert.equal(flights.length, expected, flights.map(({ statements }) => statements.join("; ")).join("\n"));
    });
  }
});
