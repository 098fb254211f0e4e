import * as lighttpd from "../support/fronts/lighttpd.mjs";
import { flows } from "./flow.mjs";
import { wires } from "./wire.mjs";

const rows = [
  ["lighttpd with mod_fastcgi", lighttpd.fastcgi, { sockets: "server" }],
  ["lighttpd with mod_cgi", lighttpd.cgi, {}],
];
for (const [title, front, facts] of rows) {
  flows(title, front, { redirectsPlain: false });
  wires(title, front, facts);
}
