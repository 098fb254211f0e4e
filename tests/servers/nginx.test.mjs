import { readFileSync } from "node:fs";
import * as nginx from "../support/fronts/nginx.mjs";
import { flows } from "./flow.mjs";
import { wires } from "./wire.mjs";

// Debian's fastcgi.conf passes REMOTE_USER=$remote_user, the name in a Basic header that nobody has checked.
const stock = nginx.nginx({ params: readFileSync("/etc/nginx/fastcgi.conf", "utf8") });

flows("nginx with spawn-fcgi", nginx.fastcgi);
wires("nginx with spawn-fcgi", nginx.fastcgi, { sockets: "spawned", stock });
