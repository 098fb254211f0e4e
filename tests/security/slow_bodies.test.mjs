// Senders that take their time, and senders that send too much, in front of each web server: others are served
// meanwhile.
import assert from "node:assert/strict";
import { connect } from "node:tls";
import { describe, it } from "node:test";
import { cgid, fcgid, proxyFcgi } from "../support/fronts/apache.mjs";
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import * as nginx from "../support/fronts/nginx.mjs";
import { prepared } from "../support/prepared.mjs";
import { basicOf, openProvider, statusOf } from "./provider.mjs";

const LARGE = 1024 * 1024;
/// `streams`: passes bodies on as they come, so that each slow one occupies a process, for ten seconds at most.
const FRONTS = {
  "lighttpd with FastCGI": { front: lighttpd.fastcgi },
  "lighttpd with CGI": { front: lighttpd.cgi },
  nginx: { front: nginx.fastcgi },
  "Apache with mod_proxy_fcgi": { front: proxyFcgi, streams: true },
  "Apache with mod_fcgid": { front: fcgid },
  "Apache with mod_cgid": { front: cgid },
};

// Most of it is waiting.
describe("in front of each web server", { concurrency: 3 }, () => {
  for (const [name, { front, streams }] of Object.entries(FRONTS))
    describe(`slow and oversized bodies in front of ${name}`, () => {
      let p;
      prepared(async (owned) => {
        p = owned(await openProvider({ front }));
      });
      const head = (path, length, more = []) =>
        [
          `POST ${path} HTTP/1.1`,
          `Host: 127.0.0.1:${p.deployment.port}`,
          "Content-Type: application/x-www-form-urlencoded",
          `Content-Length: ${length}`,
          ...more,
          "",
          "",
        ].join("\r\n");
      /// A token for a client that sends its request at once, however long it has to wait for it.
      async function works() {
        const body = "grant_type=client_credentials&scope=api";
        const { id, secret } = p.clients.machine;
        return statusOf(
          await p.raw(
            head("/token", body.length, [`Authorization: ${basicOf(id, secret)}`, "Connection: close"]) + body,
          ),
        );
      }

      /// A connection on which a part of a body of 1000 bytes has been sent.
      function partOfABody(path) {
        return new Promise((done, failed) => {
          const socket = connect({ port: p.deployment.port, host: "127.0.0.1", ca: p.deployment.ca }, () => {
            socket.write(`${head(path, 1000)}grant_type=client_credentials&x=`, () => done(socket));
          });
          socket.on("error", failed).resume();
        });
      }

      it(`a trickling sender ${streams ? "delays others for a while only" : "delays no other"} [Q03]`, async () => {
        const slow = [];
        // More than there are processes; or just as many, where each of them is occupied.
        for (let i = 0; i < (streams ? 2 : 12); ++i)
          slow.push(await partOfABody(i % 4 === 3 ? "/token/introspect" : "/token"));
        const trickle = setInterval(() => slow.forEach((socket) => socket.write("y")), 200);
        try {
          for (let i = 0; i < 3; ++i) assert.equal(await works(), 200);
        } finally {
          clearInterval(trickle);
          slow.forEach((socket) => socket.destroy());
        }
      });

      it("an oversized body is refused, while other requests are served [Q03]", async () => {
        const { id, secret } = p.clients.machine;
        const large = `${head("/token", LARGE, [`Authorization: ${basicOf(id, secret)}`, "Connection: close"])}`
          .concat("grant_type=client_credentials&scope=api&x=")
          .padEnd(LARGE + 300, "x");
        const answers = await Promise.all([
          works(),
          ...Array.from({ length: 6 }, () => p.raw(large).then(statusOf)),
          works(),
        ]);
        assert.equal(answers.shift(), 200);
        assert.equal(answers.pop(), 200);
        // 0: hung up while we were still sending
        for (const status of answers) assert.ok([0, 413].includes(status), String(status));
        assert.equal(await works(), 200);
      });
    });
});
