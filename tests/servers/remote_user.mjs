// A Postern whose people are signed in by Apache, by the files that examples/apache ships for that.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../support/deployment.mjs";
import { apache, edited } from "../support/fronts/apache.mjs";
import { withPools } from "../support/fronts/pools.mjs";
import { run } from "../support/run.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";

/// examples/apache/login-NAME.conf with the definitions of `values`, which stand behind POSTERN_LOGIN_.
export async function loginExample(name, values) {
  const prefixed = Object.fromEntries(Object.entries(values).map(([key, value]) => [`LOGIN_${key}`, value]));
  return edited(await readFile(join(ROOT, `examples/apache/login-${name}.conf`), "utf8"), prefixed);
}

/// A front: Apache with the shipped site and, in it, what `prepare` makes of a deployment's site. `outside` is as in
/// fronts/apache.mjs, `env` more of the environment that Apache starts in.
export const guarded = (mode, modules, prepare, { outside = [], env = {} } = {}) => {
  const front = async (site) =>
    apache(mode, { modules, lines: [await prepare(site)], outside })({ ...site, env: { ...site.env, ...env } });
  return mode === "proxy-fcgi" ? withPools(front) : front;
};

/// A file of htpasswd with bcrypt hashes.
export async function writePasswords(file, people) {
  await writeFile(file, "");
  for (const [name, password] of Object.entries(people)) {
    const running = run("htpasswd", ["-iB", "-C", "4", file, name]);
    running.child.stdin.end(password);
    await running;
  }
}

/// Changes `login` in the configuration; programs that run already do not notice.
export async function setLogin(deployment, login) {
  const file = join(deployment.directory, "postern.json");
  const config = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...config, login }));
}

export const basic = (name, password) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

/// A browser that sends `headers` to the login path, and the Authorization header of `user` with them. Its `headers`
/// may be changed. `tls` has a client certificate.
export function browser(deployment, { user, headers = {}, tls = {} } = {}) {
  const login = new URL(`${deployment.issuer}/login`).pathname;
  const agent = new UserAgent({
    ca: deployment.ca,
    send: (url, options) => {
      const here = new URL(url).pathname === login ? agent.loginHeaders : {};
      return request(url, { ...options, ...tls, headers: { ...options.headers, ...here } });
    },
  });
  agent.loginHeaders = { ...headers, ...(user ? { authorization: basic(...user) } : {}) };
  return agent;
}
