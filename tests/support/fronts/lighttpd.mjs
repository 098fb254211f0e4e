// lighttpd in front of Postern, by the configurations that are shipped.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WebServer } from "../web_server.mjs";

const quoted = JSON.stringify;

function configuration(mode, lines, { root, cgiBin, port, tls, base, demo, configFile, sockets }) {
  return [
    `server.bind = "127.0.0.1"`, `server.port = ${port}`, `server.document-root = ${quoted(sockets)}`,
    `server.modules = ( ${tls ? `"mod_openssl", ` : ""}"mod_alias" )`,
    `server.max-request-field-size = 32768`, `server.max-request-size = 64`,
    `index-file.names = ( "index.html" )`,
    `mimetype.assign = ( ".html" => "text/html; charset=utf-8", ".js" => "text/javascript", ".css" => "text/css" )`,
    ...(tls ? [`ssl.engine = "enable"`, `ssl.pemfile = ${quoted(tls.certificate)}`, `ssl.privkey = ${quoted(tls.key)}`] : []),
    ...(demo ? [`alias.url = ( "/demo/" => ${quoted(join(root, "examples/demo/"))} )`] : []),
    `var.postern_base = ${quoted(base)}`, `var.postern_cgi_bin = ${quoted(cgiBin)}`,
    `var.postern_sockets = ${quoted(sockets)}`, `var.postern_config = ${quoted(configFile)}`,
    // The routing that is shipped is the routing that is tested.
    `include ${quoted(join(root, `examples/lighttpd/postern-${mode}.conf`))}`, ...lines, "",
  ].join("\n");
}

/// A front: starts the web server for a deployment. `site` is { root, directory, cgiBin, port, tls, base, demo, configFile,
/// sockets, env }: the source tree, the deployment's own directory, where the executables are, and so on. `lines` come behind
/// the routing (an array, or what makes one of the site).
export const lighttpd = (mode, lines = []) => async (site) => {
  const file = join(site.directory, "lighttpd.conf");
  await writeFile(file, configuration(mode, typeof lines === "function" ? lines(site) : lines, site));
  return new WebServer("lighttpd", ["-D", "-f", file], { env: site.env });
};

export const fastcgi = lighttpd("fastcgi");
export const cgi = lighttpd("cgi");
