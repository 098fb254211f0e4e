// lighttpd in front of Postern, by the configurations that are shipped.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WebServer } from "../web_server.mjs";

const quoted = JSON.stringify;

/// Replaces what must be there: a configuration that has changed is noticed.
function edit(text, changes) {
  for (const [from, to] of changes) {
    if (text.search(from) < 0) throw new Error(`the shipped configuration has no ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/// The complete configuration with TLS, as an operator edits it, on another port.
function overTls(text, mode, { examples, directory, cgiBin, port, tls, base, configFile, sockets }) {
  const user =
    process.getuid() === 0
      ? []
      : [
          ["server.username =", "# server.username ="],
          ["server.groupname =", "# server.groupname ="],
        ];
  return `server.bind = "127.0.0.1"\n${edit(text, [
    ...user,
    [/^server\.document-root = .*$/m, `server.document-root = ${quoted(sockets)}`],
    [/^server\.errorlog = .*$/m, `server.errorlog = ${quoted(join(directory, "lighttpd.log"))}`],
    [/^server\.port = 443$/m, `server.port = ${port}`],
    [/^ssl\.pemfile = .*$/m, `ssl.pemfile = ${quoted(tls.certificate)}`],
    [/^ssl\.privkey = .*$/m, `ssl.privkey = ${quoted(tls.key)}`],
    [/^var\.postern_base = .*$/m, `var.postern_base = ${quoted(base)}`],
    [/^var\.postern_cgi_bin = .*$/m, `var.postern_cgi_bin = ${quoted(cgiBin)}`],
    [/^var\.postern_sockets = .*$/m, `var.postern_sockets = ${quoted(sockets)}`],
    [/^var\.postern_config = .*$/m, `var.postern_config = ${quoted(configFile)}`],
    // The routing that is shipped is the routing that is tested.
    [/^include "postern-fastcgi\.conf"$/m, `include ${quoted(join(examples, `lighttpd/postern-${mode}.conf`))}`],
  ])}`;
}

/// Without TLS, for a deployment on a loopback address.
function plain(mode, { examples, cgiBin, port, base, configFile, sockets }) {
  return [
    `server.bind = "127.0.0.1"`,
    `server.port = ${port}`,
    `server.document-root = ${quoted(sockets)}`,
    `server.max-request-field-size = 32768`,
    `server.max-request-size = 64`,
    `var.postern_base = ${quoted(base)}`,
    `var.postern_cgi_bin = ${quoted(cgiBin)}`,
    `var.postern_sockets = ${quoted(sockets)}`,
    `var.postern_config = ${quoted(configFile)}`,
    `include ${quoted(join(examples, `lighttpd/postern-${mode}.conf`))}`,
  ].join("\n");
}

/// The demo application beside it.
const demoOf = ({ examples }) => [
  `server.modules += ( "mod_alias" )`,
  `index-file.names = ( "index.html" )`,
  `mimetype.assign = ( ".html" => "text/html; charset=utf-8", ".js" => "text/javascript", ".css" => "text/css" )`,
  `alias.url += ( "/demo/" => ${quoted(join(examples, "demo/"))} )`,
];

/// A front: starts the web server for a deployment. `site` is { root, directory, cgiBin, port, plainPort, tls, base,
/// demo, configFile, sockets, env }: the source tree, the deployment's own directory, where the executables are, and so
/// on. `lines` come behind the routing (an array, or what makes one of the site).
export const lighttpd =
  (mode, lines = []) =>
  async (site) => {
    const file = join(site.directory, "lighttpd.conf");
    const shipped = await readFile(join(site.examples, "lighttpd/postern.conf"), "utf8");
    const text = site.tls ? overTls(shipped, mode, site) : plain(mode, site);
    await writeFile(
      file,
      [text, ...(site.demo ? demoOf(site) : []), ...(typeof lines === "function" ? lines(site) : lines), ""].join("\n"),
    );
    return new WebServer("lighttpd", ["-D", "-f", file], {
      env: site.env,
      logFiles: [join(site.directory, "lighttpd.log")],
    });
  };

export const fastcgi = lighttpd("fastcgi");
export const cgi = lighttpd("cgi");
