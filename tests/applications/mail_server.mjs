// Dovecot 2.3, as Debian 12 ships it, for one test.
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { WebServer, freePort, identity, makeCertificate } from "../support/web_server.mjs";

/// As docs/clients/dovecot.md has it, but for the names of this machine.
const oauth2 = ({ issuer, secret, caFile, attribute }) => `
introspection_mode = post
introspection_url = ${issuer.replace("://", `://imap:${secret}@`)}/token/introspect
force_introspection = yes
username_attribute = ${attribute}
active_attribute = active
active_value = true
scope = mail
openid_configuration_url = ${issuer}/.well-known/openid-configuration
tls_ca_cert_file = ${caFile}
`;

/// What a whole server needs, without root if need be.
function configuration(directory, port, certificate) {
  const root = process.getuid() === 0;
  const users = root ? [] : ["default_login_user", "default_internal_user"].map((name) => `${name} = ${identity.user}`);
  const group = root ? [] : [`default_internal_group = ${userInfo().username}`];
  return `
base_dir = ${directory}/run
state_dir = ${directory}/state
log_path = ${directory}/dovecot.log
protocols = imap
${[...users, ...group].join("\n")}
first_valid_uid = 1
ssl = required
ssl_cert = <${certificate.certificate}
ssl_key = <${certificate.key}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${port}
    ssl = yes
  }
}
mail_location = maildir:~/Maildir
auth_mechanisms = oauthbearer xoauth2
passdb {
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = ${directory}/dovecot-oauth2.conf.ext
}
userdb {
  driver = static
  args = uid=${identity.uid} gid=${identity.gid} home=${directory}/mail/%u
}
`;
}

/// Introspects access tokens with the scope mail, as the client imap.
export class MailServer {
  static async start({ issuer, caFile: authority }, secret, attribute = "username") {
    const server = new MailServer();
    const directory = await mkdtemp(join(tmpdir(), "pt-"));
    server.directory = directory;
    await chmod(directory, 0o755); // its processes have users of their own
    const certificate = await makeCertificate(directory);
    server.ca = certificate.ca;
    server.caFile = certificate.caFile;
    server.port = await freePort();
    const caFile = join(directory, "provider.pem");
    await copyFile(authority, caFile);
    await mkdir(join(directory, "mail"));
    if (process.getuid() === 0) await chown(join(directory, "mail"), identity.uid, identity.gid);
    const settings = oauth2({ issuer, secret, caFile, attribute });
    await writeFile(join(directory, "dovecot-oauth2.conf.ext"), settings, { mode: 0o600 });
    const file = join(directory, "dovecot.conf");
    await writeFile(file, configuration(directory, server.port, certificate), { mode: 0o600 });
    server.process = new WebServer("dovecot", ["-F", "-c", file], { logFiles: [join(directory, "dovecot.log")] });
    await server.#untilItListens();
    return server;
  }

  get log() {
    return this.process.log;
  }

  async stop() {
    await this.process.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #untilItListens() {
    for (let attempt = 0; ; ++attempt) {
      const greeting = await this.converse([]).catch((error) => error.message);
      if (/^\* OK/.test(greeting)) return;
      if (attempt === 200) throw new Error(`does not listen: ${greeting}\n${this.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /// All that the server says to the lines of a mail program, each sent after an answer to the one before.
  converse(lines) {
    return new Promise((done, failed) => {
      const socket = tls.connect({ host: "127.0.0.1", port: this.port, ca: this.ca });
      let said = "";
      const waiting = [...lines];
      socket.setEncoding("utf8").setTimeout(60_000, () => socket.destroy(new Error(`no answer\n${said}`)));
      socket.on("error", failed).on("close", () => done(said));
      socket.on("data", (text) => {
        said += text;
        if (!/^(\* OK|\+|[a-z] (OK|NO|BAD))[^\n]*\n$/m.test(text)) return;
        if (waiting.length === 0) socket.end();
        else socket.write(`${waiting.shift()}\r\n`);
      });
    });
  }

  /// One login with a mechanism, and what INBOX has then; the empty line acknowledges a refusal's details (RFC 7628).
  async logIn(mechanism, user, token) {
    const initial = {
      OAUTHBEARER: `n,a=${user},\x01host=127.0.0.1\x01port=${this.port}\x01auth=Bearer ${token}\x01\x01`,
      XOAUTH2: `user=${user}\x01auth=Bearer ${token}\x01\x01`,
    }[mechanism];
    return this.converse([
      `a AUTHENTICATE ${mechanism} ${Buffer.from(initial).toString("base64")}`,
      "b SELECT INBOX",
      "c LOGOUT",
    ]);
  }
}
