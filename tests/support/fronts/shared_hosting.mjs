// A shared host with Apache: its configuration belongs to somebody else, and a .htaccess file and CGI scripts are all
// that its customer has.
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ENDPOINTS } from "../endpoints.mjs";
import { startApache } from "../web_server.mjs";
import { COMPRESSION } from "./apache.mjs";

const PASSES_HEADER = "\nCGIPassAuth On\n";

/// What the customer uploads: the .htaccess and the copies of the wrapper, below `webRoot`.
async function upload({ examples, base, cgiBin, configFile }, webRoot, allowsAuthConfig) {
  const shipped = (name) => readFile(join(examples, "apache", name), "utf8");
  let rules = await shipped("htaccess");
  if (!rules.includes(PASSES_HEADER)) throw new Error("the .htaccess that is shipped has no CGIPassAuth");
  if (!allowsAuthConfig) rules = rules.replace(PASSES_HEADER, "\n");
  await mkdir(join(webRoot, base, "cgi-bin/postern"), { recursive: true });
  await writeFile(join(webRoot, base, ".htaccess"), rules);
  const inserted = rules.match(/RewriteRule \S+configuration\)\/auth\$ auth\S+ \[L\]/)[0];
  if (base !== "") await writeFile(join(webRoot, ".htaccess"), `Options +ExecCGI\nRewriteEngine On\n${inserted}\n`);
  const wrapper = (await shipped("postern-wrapper"))
    .replace(/^POSTERN_CONFIG=.*$/m, `POSTERN_CONFIG=${configFile}`)
    .replace("$POSTERN_HOME/cgi-bin", cgiBin);
  for (const name of ENDPOINTS) {
    const file = join(webRoot, base, "cgi-bin/postern", `${name}.cgi`);
    await writeFile(file, wrapper);
    await chmod(file, 0o755);
  }
}

/// A front. `allowsAuthConfig`: whether the host lets its customers say CGIPassAuth.
export const sharedHosting =
  ({ allowsAuthConfig }) =>
  async (site) => {
    const { directory, port, tls, env } = site;
    const webRoot = join(directory, "public_html");
    await upload(site, webRoot, allowsAuthConfig);
    return startApache({
      directory,
      port,
      tls,
      env,
      modules: ["cgid", "rewrite", "filter", "deflate"],
      lines: [
        `ScriptSock "${directory}/cgid"`,
        `DocumentRoot "${webRoot}"`,
        "ServerTokens Prod",
        "TraceEnable off",
        COMPRESSION, // as hosts and Debian have them
        `<Directory "${webRoot}">`,
        `AllowOverride FileInfo Options${allowsAuthConfig ? " AuthConfig" : ""}`,
        "</Directory>",
      ],
    });
  };
