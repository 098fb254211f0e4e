import * as apache from "../support/fronts/apache.mjs";
import { flows } from "./flow.mjs";
import { wires } from "./wire.mjs";

const rows = [
  ["Apache with mod_cgid", apache.cgid, {}],
  ["Apache with mod_fcgid", apache.fcgid, { sockets: "server" }],
  ["Apache with mod_proxy_fcgi", apache.proxyFcgi, { sockets: "spawned" }],
];
for (const [title, front, facts] of rows) {
  flows(title, front);
  wires(title, front, facts);
}
