import * as nginx from "../support/fronts/nginx.mjs";
import { flows } from "./flow.mjs";
import { wires } from "./wire.mjs";

flows("nginx with spawn-fcgi", nginx.fastcgi);
wires("nginx with spawn-fcgi", nginx.fastcgi, { sockets: "spawned" });
