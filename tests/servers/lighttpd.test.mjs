import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { EXAMPLES, ROOT } from "../support/deployment.mjs";
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import { flows } from "./flow.mjs";
import { wires } from "./wire.mjs";

const rows = [
  ["lighttpd with mod_fastcgi", lighttpd.fastcgi, { sockets: "server" }],
  ["lighttpd with mod_cgi", lighttpd.cgi, {}],
];
for (const [title, front, facts] of rows) {
  flows(title, front, { redirectsPlain: false });
  wires(title, front, { ...facts, unnamed: true });
}

describe("the shipped configurations of the web servers", () => {
  it("switch off the headers that make a web server send a file [X05]", () => {
    const example = (name) => readFileSync(join(EXAMPLES, name), "utf8");
    const lighttpd = example("lighttpd/postern-fastcgi.conf");
    const pools = [...lighttpd.matchAll(/^var\.postern_\w*pool = \([^]*?^\)$/gm)].map(([text]) => text);
    assert.equal(pools.length, 2);
    for (const pool of pools) assert.match(pool, /"x-sendfile" => "disable"/);
    assert.doesNotMatch(example("lighttpd/postern-cgi.conf"), /x-sendfile.*enable/);
    assert.match(example("nginx/postern-fastcgi_params"), /^fastcgi_ignore_headers X-Accel-Redirect /m);
    // Apache needs mod_xsendfile for that, which the shipped configuration does not load.
    assert.doesNotMatch(readFileSync(join(ROOT, "apache-example.conf"), "utf8"), /^\s*XSendFile on/im);
  });
});
