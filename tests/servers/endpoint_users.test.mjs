// Each endpoint as a user of its own: everything works, and nobody can open what is not meant for it.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Issuer } from "openid-client-5";
import { REDIRECT_URI, authorize, openProvider } from "../interop/relying_party.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { nginxAlone } from "../support/fronts/nginx.mjs";
import { prepared } from "../support/prepared.mjs";
import { reachable } from "../support/reachable.mjs";
import { run } from "../support/run.mjs";
import { as, dividedUsers, endpointUsers, mayMount } from "./endpoint_users.mjs";

const USERS = endpointUsers();
const SIGNERS = ["token"];
const SEALERS = ["authorize", "login", "scopes", "logout", "account", "recover", "par", "device", "gate"];
const WITH_FACTORS = ["login", "account"];
const WITHOUT_DATABASE = ["jwks", "discovery"];

describe("the users that are shipped", () => {
  it("are seventeen, and each has the groups that its endpoint needs", () => {
    assert.equal(Object.keys(USERS).length, 17);
    for (const [name, { groups }] of Object.entries(USERS)) {
      const needed = [
        ...(WITHOUT_DATABASE.includes(name) ? [] : ["postern"]),
        ...(SIGNERS.includes(name) ? ["postern-sign"] : []),
        ...(SEALERS.includes(name) ? ["postern-seal"] : []),
        ...(WITH_FACTORS.includes(name) ? ["postern-factor"] : []),
      ];
      assert.deepEqual(groups, needed, name);
    }
  });
});

const skip = process.getuid() === 0 ? false : "this needs root, who alone can start programs as other users";
describe("a user for each program, behind nginx", { skip }, () => {
  let provider;
  let cgiBin;
  const directory = () => provider.deployment.directory;
  prepared(async (owned) => {
    ({ cgiBin } = await reachable({ cgiBin: join(BUILD, "cgi-bin"), templates: join(ROOT, "templates") }));
    provider = owned(await openProvider({ front: dividedUsers(nginxAlone()) }));
  });
  const client = () => provider.clients.client_secret_basic;

  /// Can that user open the file?
  const opens = (name, file) =>
    run(as(USERS[name])[0], [...as(USERS[name]).slice(1), "cat", file], { encoding: "buffer" }).then(
      () => true,
      ({ stderr }) => {
        assert.match(`${stderr}`, /Permission denied/);
        return false;
      },
    );

  it("sign-in, tokens, UserInfo, introspection, refresh, revocation, key set and logout work", async () => {
    const { agent, checks, answer } = await authorize(provider, client());
    const tokens = await client().callback(REDIRECT_URI, answer, checks);
    assert.equal((await client().userinfo(tokens)).sub, provider.sub);
    assert.equal((await client().introspect(tokens.access_token)).active, true);
    const renewed = await client().refresh(tokens);
    assert.equal(renewed.claims().sub, provider.sub);
    await client().revoke(renewed.refresh_token);
    assert.equal((await client().introspect(renewed.refresh_token)).active, false);
    await assert.rejects(client().refresh(renewed.refresh_token), /invalid_grant/);
    const page = await agent.visit(`${provider.deployment.issuer}/logout?id_token_hint=${tokens.id_token}`);
    assert.equal(page.status, 200);
    const silent = await authorize(provider, client(), { agent, parameters: { prompt: "none" } });
    assert.equal(silent.answer.error, "login_required");
  });

  it("a new key and a new seal.key are used at once by the permitted programs, and by no others", async () => {
    await provider.deployment.postern(["key", "rotate", "--lead", "0"]);
    await provider.deployment.postern(["key", "rotate", "--seal"]);
    // openid-client fetches the key set once a minute
    const issuer = await Issuer.discover(provider.deployment.issuer);
    const fresh = new issuer.Client(client().metadata);
    const { checks, answer } = await authorize(provider, fresh);
    const tokens = await fresh.callback(REDIRECT_URI, answer, checks);
    assert.equal((await fresh.introspect(tokens.access_token)).active, true);
    assert.equal((await fresh.userinfo(tokens)).sub, provider.sub);
  });

  it("each program opens the keys that it needs and no others; two open no database [FKEY-1]", async () => {
    const keys = join(directory(), "keys");
    const signing = (await readdir(keys)).filter((name) => name.endsWith(".pem"));
    assert.ok(signing.length >= 2);
    for (const name of Object.keys(USERS)) {
      for (const file of signing)
        assert.equal(await opens(name, join(keys, file)), SIGNERS.includes(name), `${name} ${file}`);
      assert.equal(await opens(name, join(keys, "seal.key")), SEALERS.includes(name), `${name} seal.key`);
      assert.equal(await opens(name, join(keys, "factor.key")), WITH_FACTORS.includes(name), `${name} factor.key`);
      assert.equal(await opens(name, join(keys, "jwks.json")), true, `${name} jwks.json`);
      assert.equal(
        await opens(name, join(directory(), "db/postern.db")),
        !WITHOUT_DATABASE.includes(name),
        `${name} database`,
      );
    }
  });

  it("a program started as another one's user ends with a reason instead of serving without its key", async () => {
    const env = { PATH: process.env.PATH, POSTERN_CONFIG: join(directory(), "postern.json") };
    for (const [program, user] of [
      ["token", "introspect"],
      ["token", "login"],
      ["login", "token"],
      ["introspect", "jwks"],
    ]) {
      const [command, ...rest] = as(USERS[user]);
      const failure = await run(command, [...rest, join(cgiBin, program)], { env }).then(
        () => null,
        (error) => error,
      );
      assert.equal(failure?.code, 1, `${program} as ${user}`);
      assert.match(failure.stderr, /Permission denied|cannot be/, `${program} as ${user}`);
    }
  });

  it(
    "introspection and UserInfo note a refusal, without writing the database",
    { skip: mayMount ? false : "no mounts here" },
    async () => {
      const token = "x".repeat(40);
      const answer = await client()
        .userinfo(token)
        .catch((error) => error);
      assert.equal(answer.error, "invalid_token");
      const id = answer.response.headers["x-request-id"];
      assert.equal((await provider.deployment.postern(["why", id])).endpoint, "userinfo");
    },
  );

  it("doctor finds nothing wrong", async () => {
    for (const finding of await provider.deployment.postern(["doctor"]))
      assert.notEqual(finding.state, "error", finding.detail);
  });
});
