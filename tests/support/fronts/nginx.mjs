// nginx in front of Postern, by the configurations that are shipped.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startNginx } from "../web_server.mjs";
import { withPools } from "./pools.mjs";

/// As an operator edits it: ports, name, certificate.
const edited = (text, { host, port, plainPort, tls, sockets }) =>
  text
    .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replaceAll(/\/etc\/letsencrypt\/live\/[^/]*\/fullchain.pem/g, tls.certificate)
    .replaceAll(/\/etc\/letsencrypt\/live\/[^/]*\/privkey.pem/g, tls.key)
    .replaceAll("id.example.org", `${host}:${port}`)
    .replaceAll(`server_name ${host}:`, `server_name ${host}; #`)
    .replace("root /var/www/html;", `root ${sockets};`);

/// What the comment in the file says for an issuer with a path.
const below = (base, text) =>
  base === ""
    ? text
    : text
        .replaceAll("\nlocation = /", `\nlocation = ${base}/`)
        .replace(`${base}/.well-known/oauth-authorization-server`, `/.well-known/oauth-authorization-server${base}`)
        .replace(/^location.*openid-.*$/m, (line) => `${line}\n${line.replace(/= (\/\S+?)(\/\.\S+)/, "= $2$1")}`);

/// With connections to the processes that are kept open, `count` of them idle, unlike what is shipped.
function keeping(count, locations) {
  const upstreams = [...new Set(locations.match(/unix:[^;]*/g))];
  const name = (socket) => socket.match(/([a-z]+)\.sock$/)[1];
  const blocks = upstreams.map((socket) => `upstream ${name(socket)} { server ${socket}; keepalive ${count}; }`);
  return { blocks, locations: upstreams.reduce((text, socket) => text.replaceAll(socket, name(socket)), locations) };
}

/// A front for processes that are there already; more `lines` in the server block, or in the `login` path's location,
/// and other `params` (a text) than the shipped ones. `kept`: how many connections to the processes are kept open.
/// `more(site)` answers lines beside the server block.
export const nginxAlone =
  ({ lines = [], login = [], params, kept = 0, more = async () => [] } = {}) =>
  async (site) => {
    const { examples, directory, base, sockets, env } = site;
    const shipped = (name) => join(examples, "nginx", name);
    const locations = await readFile(shipped("postern-locations.conf"), "utf8");
    const placed = below(base, locations)
      .replaceAll("/run/postern/", `${sockets}/`)
      .replace(`${base}/login {`, (start) => [start, ...login].join(" "));
    const { blocks, locations: passed } = kept ? keeping(kept, placed) : { blocks: [], locations: placed };
    await writeFile(join(directory, "postern-locations.conf"), passed);
    const given = params ?? (await readFile(shipped("postern-fastcgi_params"), "utf8"));
    await writeFile(
      join(directory, "postern-fastcgi_params"),
      kept ? given.replace("fastcgi_keep_conn off;", "fastcgi_keep_conn on;") : given,
    );
    const text = edited(await readFile(shipped("postern.conf"), "utf8"), site);
    const logged = [`access_log ${join(directory, "access_log")};`, ...lines]; // as Debian's nginx has one
    await writeFile(join(directory, "site.conf"), text.replace(/\}\s*$/, [...logged, "}", ""].join("\n")));
    // As Debian's nginx has it: answers are compressed unless a site says otherwise.
    return startNginx({
      directory,
      env,
      httpLines: [
        "gzip on;",
        "gzip_proxied any;",
        "gzip_types *;",
        ...blocks,
        `include ${join(directory, "site.conf")};`,
        ...(await more(site)),
      ],
    });
  };

/// The same with its processes.
export const nginx = (options) => withPools(nginxAlone(options));

export const fastcgi = nginx();
