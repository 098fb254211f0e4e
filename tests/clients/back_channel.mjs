// An application that is told of logouts (OpenID Connect Back-Channel Logout 1.0), and a user who signs out elsewhere.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BUILD } from "../support/deployment.mjs";

export { withoutFetching } from "./document_host.mjs";

/// From now on `client` is told at `url`, behind the authority in `caFile`. The programs start again, with `members` in
/// their configuration.
export async function tellOfLogouts(deployment, client, url, caFile, members = {}) {
  const file = deployment.environment.POSTERN_CONFIG;
  const outbound = {
    enabled: true,
    ports: [Number(new URL(url).port)],
    allow: ["127.0.0.1"],
    ca: caFile,
    program: join(BUILD, "libexec/fetch/fetch"),
  };
  const config = { ...JSON.parse(await readFile(file, "utf8")), backchannelLogout: true, outbound, ...members };
  await deployment.halt();
  await writeFile(file, JSON.stringify(config));
  await deployment.resume();
  await deployment.postern(["client", "set", client, "--backchannel-logout-uri", url]);
}

/// `person` signs out at the provider, and not at the application; it is told of that when `deliver` is called.
export async function signOutElsewhere(deployment, person) {
  const page = await person.press(await person.open(`${deployment.issuer}/logout`), "logout");
  assert.equal(page.title, "You are signed out");
  return {
    async deliver() {
      const { sent, failed, dropped } = await deployment.postern(["session", "deliver"]);
      assert.deepEqual({ sent, failed, dropped }, { sent: 1, failed: 0, dropped: 0 }, deployment.log.slice(-3000));
    },
  };
}
