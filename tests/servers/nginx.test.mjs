import assert from "node:assert/strict";
import https from "node:https";
import { describe, it } from "node:test";
import * as nginx from "../support/fronts/nginx.mjs";
import { prepared } from "../support/prepared.mjs";
import { flows } from "./flow.mjs";
import { Site } from "./site.mjs";
import { wires } from "./wire.mjs";

flows("nginx with spawn-fcgi", nginx.fastcgi);
wires("nginx with spawn-fcgi", nginx.fastcgi, { sockets: "spawned" });

describe("nginx with fastcgi_keep_conn on", () => {
  const CLIENTS = 16;
  const REQUESTS = 3000;
  let site;
  prepared(async (owned) => {
    site = owned(await Site.open({ front: nginx.nginx({ kept: 8 }) }));
  });

  it("many clients at once are all answered, those with a body too [X28]", async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: CLIENTS, ca: site.deployment.ca });
    const body = "token=x";
    const ask = (post) =>
      new Promise((done, failed) => {
        const options = post
          ? {
              method: "POST",
              headers: { "content-type": "application/x-www-form-urlencoded", "content-length": body.length },
            }
          : {};
        https
          .request(site.issuer + (post ? "/token/revoke" : "/jwks"), { agent, ...options }, (answer) =>
            answer.resume().on("end", () => done(answer.statusCode)),
          )
          .on("error", failed)
          .end(post ? body : "");
      });
    const statuses = {};
    let asked = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (asked < REQUESTS) {
          const post = ++asked % 3 > 0;
          const status = `${post ? "revoke" : "jwks"} ${await ask(post)}`;
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      }),
    );
    agent.destroy();
    // nobody has authenticated
    assert.deepEqual(Object.keys(statuses).sort(), ["jwks 200", "revoke 401"], JSON.stringify(statuses));
  });
});
