// The OpenID Foundation's certification plans for an OpenID Provider with static clients, module by module under the
// modules' own names. A module passes without a single FAILURE or WARNING; the table at the end is the suite's list of
// results.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { BASIC } from "./modules/basic.mjs";
import { CONFIG } from "./modules/config.mjs";
import { LOGOUT } from "./modules/logout.mjs";
import { openProvider } from "./provider.mjs";
import { runModule } from "./run.mjs";

// `provider`: which of the two below; one of them has an issuer with a path.
const PLANS = [
  { name: "oidcc-basic-certification-test-plan", modules: BASIC, count: 35, provider: "root" },
  { name: "oidcc-config-certification-test-plan", modules: CONFIG, count: 1, provider: "root" },
  {
    name: "oidcc-formpost-basic-certification-test-plan",
    modules: BASIC,
    count: 35,
    provider: "path",
    mode: "form_post",
  },
  { name: "oidcc-rp-initiated-logout-certification-test-plan", modules: LOGOUT, count: 11, provider: "path" },
];
const PROVIDERS = { root: { base: "" }, path: { base: "/op" } };

/// What the suite itself skips when a server says that it lacks the feature. Nothing else may be skipped.
const MAY_BE_SKIPPED = ["oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported"];
/// Modules that begin with another client than the first one.
const CLIENT_OF = { "oidcc-server-client-secret-post": "client_secret_post" };
const AT_ONCE = 4;

const results = [];

function printTable() {
  const width = Math.max(...results.map(({ module }) => module.length));
  for (const { name } of PLANS) {
    const rows = results.filter(({ plan }) => plan === name).sort((a, b) => a.at - b.at);
    console.log(`\n${name}`);
    for (const { module, result, notes } of rows)
      console.log(`  ${module.padEnd(width)}  ${result.padEnd(7)}  ${notes.join("; ")}`);
  }
  const count = (wanted) => results.filter(({ result }) => result === wanted).length;
  console.log(
    `\n${["PASSED", "SKIPPED", "WARNING", "FAILURE"].map((result) => `${count(result)} ${result}`).join(", ")}`,
  );
}

describe("OpenID Foundation conformance", { concurrency: true }, () => {
  const providers = {};
  before(async () => {
    for (const [name, options] of Object.entries(PROVIDERS)) providers[name] = await openProvider(options);
  });
  after(async () => {
    for (const { deployment } of Object.values(providers)) await deployment.stop();
    printTable();
  });

  for (const { name: plan, modules, count, provider, mode } of PLANS) {
    describe(plan, { concurrency: AT_ONCE }, () => {
      it(`has its ${count} modules`, () => assert.equal(Object.keys(modules).length, count));

      Object.entries(modules).forEach(([name, module], at) =>
        it(name, async () => {
          const row = { plan, at, module: name, result: "FAILURE", notes: ["did not end"] };
          results.push(row);
          const run = await runModule(providers[provider], { module, mode, client: CLIENT_OF[name] });
          Object.assign(row, { result: run.result, notes: run.notes });
          assert.deepEqual(run.findings, [], "findings");
          assert.ok(run.result === "PASSED" || MAY_BE_SKIPPED.includes(name), `${run.result}: ${run.skipped}`);
        }),
      );
    });
  }
});
