// nginx in front of Postern, by the configurations that are shipped.
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startNginx } from "../web_server.mjs";
import { withPools } from "./pools.mjs";

/// As an operator edits it: ports, name, certificate.
const edited = (text, { port, plainPort, tls, sockets }) => text
  .replace("listen 80;", `listen 127.0.0.1:${plainPort};`).replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
  .replaceAll(/\/etc\/letsencrypt\/live\/[^/]*\/fullchain.pem/g, tls.certificate)
  .replaceAll(/\/etc\/letsencrypt\/live\/[^/]*\/privkey.pem/g, tls.key)
  .replaceAll("id.example.org", `127.0.0.1:${port}`).replaceAll("server_name 127.0.0.1:", "server_name 127.0.0.1; #")
  .replace("root /var/www/html;", `root ${sockets};`);

/// What the comment in the file says for an issuer with a path.
const below = (base, text) => (base === "" ? text : text.replaceAll("\nlocation = /", `\nlocation = ${base}/`)
  .replace(`${base}/.well-known/oauth-authorization-server`, `/.well-known/oauth-authorization-server${base}`));

/// A front for processes that are there already; more `lines` in the server block, or in the `login` path's location, and
/// other `params` (a text) than the shipped ones.
export const nginxAlone = ({ lines = [], login = [], params } = {}) => async (site) => {
  const { root, directory, base, sockets, env } = site;
  const shipped = (name) => join(root, "examples/nginx", name);
  const locations = await readFile(shipped("postern-locations.conf"), "utf8");
  await writeFile(join(directory, "postern-locations.conf"), below(base, locations).replaceAll("/run/postern/", `${sockets}/`)
    .replace(`${base}/login {`, (start) => [start, ...login].join(" ")));
  if (params === undefined) await copyFile(shipped("postern-fastcgi_params"), join(directory, "postern-fastcgi_params"));
  else await writeFile(join(directory, "postern-fastcgi_params"), params);
  const text = edited(await readFile(shipped("postern.conf"), "utf8"), site);
  await writeFile(join(directory, "site.conf"), text.replace(/\}\s*$/, [...lines, "}", ""].join("\n")));
  // As Debian's nginx has it: answers are compressed unless a site says otherwise.
  return startNginx({ directory, env, httpLines: ["gzip on;", "gzip_proxied any;", "gzip_types *;", `include ${join(directory, "site.conf")};`] });
};

/// The same with its processes.
export const nginx = (options) => withPools(nginxAlone(options));

export const fastcgi = nginx();
