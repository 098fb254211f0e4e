// How often a request waits for the database server: its flights, which are round trips of the network between them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Authenticator } from "../support/authenticator.mjs";
import { prepared } from "../support/prepared.mjs";
import { ProxiedProvider, SCOPE } from "./proxied.mjs";

/// One request of each is counted: [flights of a process that has a connection, which program, how one is prepared and
/// made].
const OPERATIONS = {
  introspection: [
    2,
    "introspect",
    async (p) => {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: SCOPE });
      return () => p.introspect(token);
    },
  ],
  userinfo: [
    2,
    "userinfo",
    async (p) => {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: SCOPE });
      return () => p.userinfo(token);
    },
  ],
  "a token for a client": [
    2,
    "token",
    async (p) => () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine }),
  ],
  "a code for a user who is signed in": [
    7,
    "authorize",
    async (p) => {
      await p.code(p.clients.trusted);
      return () => p.code(p.clients.trusted);
    },
  ],
  "redemption of a code": [
    4,
    "token",
    async (p) => {
      const code = await p.code(p.clients.web, { scope: SCOPE });
      return () => p.exchange(p.clients.web, code);
    },
  ],
  "use of a refresh token": [
    5,
    "token",
    async (p) => {
      const { refresh_token: token } = await p.tokens(p.clients.web, { scope: SCOPE });
      return () => p.refresh(p.clients.web, token);
    },
  ],
  "revocation of an access token": [
    3,
    "revoke",
    async (p) => {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: SCOPE });
      return () => p.revoke(p.clients.web, token);
    },
  ],
  "revocation of a refresh token": [
    4,
    "revoke",
    async (p) => {
      const { refresh_token: token } = await p.tokens(p.clients.web, { scope: SCOPE });
      return () => p.revoke(p.clients.web, token);
    },
  ],
  login: [
    8,
    "login",
    async (p) => {
      const person = p.person();
      const page = await person.visit(p.authorizationUrl(p.clients.web));
      return () => person.submit(page, "login", { username: p.user.username, password: p.user.password });
    },
  ],
  "a passkey alone": [
    12,
    "login",
    async (p) => {
      const { key } = await withPasskey(p);
      const person = p.person();
      const page = await person.visit(p.authorizationUrl(p.clients.web));
      return () => person.submit(page, "use-passkey", key.use(page));
    },
  ],
  "a passkey behind the password": [
    13,
    "login",
    async (p) => {
      const { user, key } = await withPasskey(p);
      const person = p.person();
      const first = await person.visit(p.authorizationUrl(p.clients.web));
      const page = await person.signIn(first, user.username, user.password);
      return () => person.submit(page, "use-passkey", key.use(page));
    },
  ],
  "a further passkey, and the list of them": [
    13,
    "account",
    async (p) => {
      const { person } = await withPasskey(p);
      const page = await person.visit(`${p.issuer}/account/passkeys?add=yes`);
      return () => person.submit(page, "add-passkey", new Authenticator().register(page));
    },
  ],
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

  for (const [operation, [expected, program, prepare]] of Object.entries(OPERATIONS)) {
    it(`${operation}: ${expected}`, async () => {
      const flights = await fewestFlights(program, prepare);
      assert.equal(flights.length, expected, flights.map(({ statements }) => statements.join("; ")).join("\n"));
    });
  }
});
