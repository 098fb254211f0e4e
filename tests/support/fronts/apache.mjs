// Apache in front of Postern, by apache-example.conf as it is shipped: the definitions are changed as an operator
// would, and the two ports.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startApache } from "../web_server.mjs";
import { withPools } from "./pools.mjs";

/// What each way of running the programs needs of Apache.
const MODULES = { cgid: ["cgid"], fcgid: ["fcgid"], "proxy-fcgi": ["proxy", "proxy_fcgi"] };
const ALWAYS = ["ssl", "socache_shmcb", "headers", "filter", "deflate"];
/// As Debian's Apache has it: answers are compressed unless a site says otherwise.
export const COMPRESSION = "AddOutputFilterByType DEFLATE text/html text/css application/json";
/// Where Debian's Apache has them, which belongs to the machine.
const runtime = (directory) => ({
  cgid: [`ScriptSock "${directory}/cgid"`],
  fcgid: [`FcgidIPCDir "${directory}/s"`, `FcgidProcessTableFile "${directory}/fcgid.shm"`],
  "proxy-fcgi": [],
});

/// The site, with the definitions of `values` (without POSTERN_) in the place of its own.
export function edited(site, values) {
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^Define POSTERN_${name} .*$`, "m");
    if (!line.test(site)) throw new Error(`apache-example.conf defines no POSTERN_${name}`);
    site = site.replace(line, () => `Define POSTERN_${name} "${value}"`);
  }
  return site;
}

/// A front: Apache with the shipped site, its programs run by `mode` ("cgid", "fcgid", "proxy-fcgi"). More `modules` by
/// name, and more `lines` in the site's virtual host (an array, or what makes one of a deployment's site) or,
/// `outside`, in front of it, or `after` it.
export const apache =
  (mode, { modules = [], lines = [], outside = [], after = [] } = {}) =>
  async (site) => {
    const { root, directory, cgiBin, host, port, tls, base, configFile, sockets, plainPort, env } = site;
    if (!tls) throw new Error("the site that is shipped for Apache is one with TLS");
    const shipped = edited(await readFile(join(root, "apache-example.conf"), "utf8"), {
      HOST: `${host}:${port}`,
      BASE: `${base}/`,
      CERTIFICATE: tls.certificate,
      CERTIFICATE_KEY: tls.key,
      CGI_BIN: cgiBin,
      CONFIG: configFile,
      SOCKETS: sockets,
      ACCESS_LOG: join(directory, "access_log"),
    })
      .replace("\nDefine POSTERN_CGID\n", `\nDefine POSTERN_${mode.toUpperCase().replace("-", "_")}\n`)
      .replace("*:443", `127.0.0.1:${port}`)
      .replace("*:80", `127.0.0.1:${plainPort}`)
      .replace("DocumentRoot /var/www/html", `DocumentRoot "${sockets}"`);
    const more = typeof lines === "function" ? lines(site) : lines;
    const file = join(directory, "site.conf");
    await writeFile(file, shipped.replace(/<\/VirtualHost>\s*$/, [...more, "</VirtualHost>", ""].join("\n")));
    return startApache({
      directory,
      port,
      env,
      modules: [...ALWAYS, ...MODULES[mode], ...modules],
      lines: [
        `Listen 127.0.0.1:${plainPort}`,
        COMPRESSION,
        ...runtime(directory)[mode],
        ...outside,
        `Include "${file}"`,
        ...after,
      ],
    });
  };

export const cgid = apache("cgid");
export const fcgid = apache("fcgid");
export const proxyFcgi = withPools(apache("proxy-fcgi"));
