// Web servers in front of Postern with the shipped host for certificates beside the site, as an operator edits it:
// front(port, authority) for the port of that host and the file of `mtls.ca`.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXAMPLES, ROOT } from "../deployment.mjs";
import { apache, edited } from "./apache.mjs";
import { lighttpd } from "./lighttpd.mjs";
import { nginx } from "./nginx.mjs";

const HOST = "127.0.0.1";

/// Apache, whose alias host stands behind the shipped site.
const apacheFront = (edit) => (port, authority) => async (site) => {
  const shipped = await readFile(join(ROOT, "examples/apache/mtls.conf"), "utf8");
  const definitions = {
    MTLS_HOST: HOST,
    MTLS_CERTIFICATE: site.tls.certificate,
    MTLS_CERTIFICATE_KEY: site.tls.key,
    MTLS_AUTHORITIES: authority,
  };
  const file = join(site.directory, "mtls.conf");
  await writeFile(file, edit(edited(shipped, definitions)).replace("*:443", `${HOST}:${port}`));
  return apache("cgid", { after: [`Listen ${HOST}:${port}`, `Include "${file}"`] })(site);
};

const asShipped = (text) => text;

/// As the comment in Apache's file says for clients that then send self-signed certificates.
const namingNobody = (text) =>
  text
    .replace(/^ *SSLCACertificateFile .*\n/m, "")
    .replace("#SSLOpenSSLConfCmd VerifyCAFile", "SSLOpenSSLConfCmd VerifyCAFile");

async function nginxFront(port, authority) {
  const read = (name) => readFile(join(EXAMPLES, "nginx", name), "utf8");
  const params = (await read("postern-fastcgi_params")).replaceAll(/^#(fastcgi_param SSL_CLIENT_)/gm, "$1");
  const more = async ({ directory, tls, sockets }) => {
    const text = (await read("postern-mtls.conf"))
      .replace("listen 443 ssl;", `listen ${HOST}:${port} ssl;`)
      .replace("server_name mtls.id.example.org;", `server_name ${HOST};`)
      .replace(/\/etc\/letsencrypt\/\S*fullchain.pem/, tls.certificate)
      .replace(/\/etc\/letsencrypt\/\S*privkey.pem/, tls.key)
      .replace("/etc/postern/clients-ca.pem", authority)
      .replace("root /var/www/html;", `root ${sockets};`)
      .replaceAll("/run/postern/", `${sockets}/`);
    await writeFile(join(directory, "mtls.conf"), text);
    return [`include ${join(directory, "mtls.conf")};`];
  };
  return nginx({ params, more });
}

const lighttpdFront = (mode) => async (port, authority) => async (site) => {
  const { certificate, caFile, key } = site.tls;
  const chain = join(site.directory, "fullchain.pem");
  await writeFile(chain, (await Promise.all([certificate, caFile].map((file) => readFile(file)))).join(""));
  const text = (await readFile(join(ROOT, "examples/lighttpd/postern-mtls.conf"), "utf8"))
    .replace('":8443"', `"${HOST}:${port}"`)
    .replace(/\/etc\/letsencrypt\/\S*fullchain.pem/, chain)
    .replace(/\/etc\/letsencrypt\/\S*privkey.pem/, key)
    .replace("/etc/postern/clients-ca.pem", authority);
  return lighttpd(mode, [text])(site);
};

/// `selfSigned`: whether it passes on a certificate that no authority has issued; `named`: the authorities that it
/// names when it asks for one; `absent`: what it answers at a path that the host does not have.
export const MTLS_FRONTS = {
  Apache: { front: apacheFront(asShipped), selfSigned: true, named: ["CN=Clients"], absent: 404 },
  "Apache that names nobody": { front: apacheFront(namingNobody), selfSigned: true, named: [], absent: 404 },
  nginx: { front: nginxFront, selfSigned: true, named: [], absent: 404 },
  lighttpd: { front: lighttpdFront("fastcgi"), selfSigned: false, named: ["CN=Clients"], absent: 403 },
  "lighttpd, CGI": { front: lighttpdFront("cgi"), selfSigned: false, named: ["CN=Clients"], absent: 403 },
};
