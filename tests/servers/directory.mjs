// A directory (LDAP) of a test: OpenLDAP's server in the foreground, with its own database and certificate.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../support/run.mjs";
import { PATH, WebServer, freePort, makeCertificate } from "../support/web_server.mjs";

const BASE = "dc=example,dc=org";
const MANAGER = { dn: `cn=manager,${BASE}`, password: "the manager's" };
const START_TIMEOUT_MS = 60_000;

const configuration = (directory, tls) =>
  [
    ...["core", "cosine", "inetorgperson"].map((name) => `include /etc/ldap/schema/${name}.schema`),
    `pidfile ${directory}/slapd.pid`,
    "modulepath /usr/lib/ldap",
    "moduleload back_mdb",
    `TLSCACertificateFile ${tls.caFile}`,
    `TLSCertificateFile ${tls.certificate}`,
    `TLSCertificateKeyFile ${tls.key}`,
    "database mdb",
    `suffix "${BASE}"`,
    `directory ${directory}/db`,
    `rootdn "${MANAGER.dn}"`,
    `rootpw "${MANAGER.password}"`,
    "access to attrs=userPassword by anonymous auth by * none",
    "access to * by * read",
    "",
  ].join("\n");

/// RFC 2849: values in base64 whatever they hold.
const ldif = (dn, attributes) =>
  [
    `dn: ${dn}`,
    ...Object.entries(attributes).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}:: ${Buffer.from(value).toString("base64")}`),
    ),
    "",
    "",
  ].join("\n");

function accepts(port) {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      done(true);
    }).on("error", () => done(false));
  });
}

export class Directory {
  #directory;
  #server;

  static async start() {
    const directory = new Directory();
    try {
      await directory.#begin();
      return directory;
    } catch (error) {
      await directory.stop();
      throw error;
    }
  }

  /// What stands behind AuthLDAPURL.
  get people() {
    return `ldap://127.0.0.1:${this.port}/ou=people,${BASE}`;
  }

  async add(uid, password, attributes) {
    const entry = { objectClass: "inetOrgPerson", uid, userPassword: password, ...attributes };
    await this.#tell("ldapadd", ldif(`uid=${uid},ou=people,${BASE}`, entry));
  }

  /// Attributes with other values; [] takes one away.
  async change(uid, attributes) {
    const lines = Object.entries(attributes).flatMap(([name, values]) => [
      `replace: ${name}`,
      ...[values].flat().map((value) => `${name}:: ${Buffer.from(value).toString("base64")}`),
      "-",
    ]);
    await this.#tell("ldapmodify", [`dn: uid=${uid},ou=people,${BASE}`, "changetype: modify", ...lines, ""].join("\n"));
  }

  async remove(uid) {
    await this.#tell("ldapmodify", `dn: uid=${uid},ou=people,${BASE}\nchangetype: delete\n`);
  }

  async stop() {
    await this.#server?.stop();
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true });
  }

  async #begin() {
    this.#directory = await mkdtemp(join(tmpdir(), "pt-"));
    const file = (name) => join(this.#directory, name);
    await mkdir(file("db"));
    const tls = await makeCertificate(this.#directory);
    this.caFile = tls.caFile;
    await run("chmod", ["755", this.#directory]); // the web server reads the authority's certificate
    await writeFile(file("slapd.conf"), configuration(this.#directory, tls));
    await writeFile(
      file("base.ldif"),
      ldif(BASE, { objectClass: ["dcObject", "organization"], dc: "example", o: "Example" }) +
        ldif(`ou=people,${BASE}`, { objectClass: "organizationalUnit", ou: "people" }),
    );
    await run("slapadd", ["-f", file("slapd.conf"), "-l", file("base.ldif")], { env: { ...process.env, PATH } });
    this.port = await freePort();
    // With -d it stays in the foreground.
    this.#server = new WebServer("slapd", ["-d", "0", "-f", file("slapd.conf"), "-h", `ldap://127.0.0.1:${this.port}`]);
    for (const end = Date.now() + START_TIMEOUT_MS; !(await accepts(this.port)); ) {
      if (Date.now() > end) throw new Error(`the directory does not answer: ${this.#server.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async #tell(command, text) {
    const manager = ["-D", MANAGER.dn, "-w", MANAGER.password];
    const running = run(command, ["-x", "-H", `ldap://127.0.0.1:${this.port}`, ...manager]);
    running.child.stdin.end(text);
    await running;
  }
}
