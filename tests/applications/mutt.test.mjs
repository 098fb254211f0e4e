// mutt_oauth2.py, as Debian ships it with mutt, and mutt itself in front of Dovecot (mail_server.mjs).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, openProvider, userinfo } from "../clients/provider.mjs";
import { untilExpired } from "../clients/tokens.mjs";
import { describeWithPackage } from "../support/installed.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { MailServer } from "./mail_server.mjs";

const SCRIPT = "/usr/share/doc/mutt/examples/mutt_oauth2.py";
const TIMEOUT_MS = 60_000;
const SCOPE = "openid mail offline_access";

/// As docs/clients/mutt.md has it, but for the encryption, which is left out.
const registration = ({ issuer }, clientId) => `
ENCRYPTION_PIPE = DECRYPTION_PIPE = ['cat']
registrations = {
    'postern': {
        'authorize_endpoint': '${issuer}/authorize',
        'devicecode_endpoint': '${issuer}/device_authorization',
        'token_endpoint': '${issuer}/token',
        'redirect_uri': 'http://localhost/',
        'imap_endpoint': '127.0.0.1',
        'pop_endpoint': '127.0.0.1',
        'smtp_endpoint': '127.0.0.1',
        'sasl_method': 'OAUTHBEARER',
        'scope': '${SCOPE}',
        'client_id': '${clientId}',
        'client_secret': '',
    },
}
`;

describeWithPackage("mutt", SCRIPT, "mutt", () => {
  let provider;
  let directory;
  prepared(async (owned) => {
    directory = temporaryDirectory();
    provider = owned(
      await openProvider({
        accessTokenTTL: 3,
        scopeDescriptions: { mail: "Read your mail" },
        paths: { deviceAuthorization: "/device_authorization", device: "/device" },
      }),
    );
    const { deployment } = provider;
    const native = ["--public", "--native", "--scope", "openid mail"];
    await deployment.addClient(
      "mutt",
      "http://localhost/",
      ...native,
      "--grant",
      "authorization_code",
      ...refreshing(),
    );
    await deployment.postern(["client", "add", "mutt-device", ...native, "--grant", "device_code", ...refreshing()]);
  });
  const refreshing = () => ["--grant", "refresh_token"];

  /// The script of a user of its own, with what it printed so far, and the lines that it is told.
  class Script {
    static async of(clientId, name) {
      const script = new Script();
      script.file = join(directory, `${name}.py`);
      script.tokens = join(directory, `${name}.tokens`);
      const whole = await readFile(SCRIPT, "utf8");
      const changed = whole.replace(
        "ap = argparse",
        () => `${registration(provider.deployment, clientId)}\nap = argparse`,
      );
      assert.notEqual(changed, whole);
      await writeFile(script.file, changed);
      return script;
    }

    /// Runs it; `meanwhile` gets all that it has printed each time that there is more.
    run(options, { lines = [], meanwhile = () => {} } = {}) {
      const { caFile } = provider.deployment;
      const child = spawn("/usr/bin/python3", ["-u", this.file, this.tokens, ...options], {
        env: { ...process.env, SSL_CERT_FILE: caFile, PYTHONDONTWRITEBYTECODE: "1", NO_PROXY: "*" },
        timeout: TIMEOUT_MS,
      });
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text) => {
          said += text;
          meanwhile(said, child.stdin);
        });
      child.stdin.on("error", () => {});
      for (const line of lines) child.stdin.write(`${line}\n`);
      return new Promise((done, failed) =>
        child.once("error", failed).once("close", (code) => done({ code, said, last: said.trim().split("\n").at(-1) })),
      );
    }

    async token() {
      const { code, said, last } = await this.run([]);
      assert.equal(code, 0, said);
      return last;
    }
  }

  const newPerson = () => new Person(provider.deployment.ca);
  const asked = (flow) => ["postern", flow, PERSON.username];

  /// Signs in with a listener of its own; answers how it ended.
  async function localhost(script, decision = "approve") {
    let visit;
    return script.run(["--verbose", "--authorize"], {
      lines: asked("localhostauthcode"),
      meanwhile(said) {
        const [, address] = said.match(/(https:\S+\/authorize\?\S+)\nVisit displayed URL/) ?? [];
        if (address) visit ??= newPerson().signIn(address, { decision });
      },
    });
  }

  /// Shows a code, which the person confirms.
  async function device(script, decision = "approve") {
    let visit;
    return script.run(["--verbose", "--authorize"], {
      lines: asked("devicecode"),
      meanwhile(said) {
        if (!said.includes("Polling")) return;
        const code = said.match(/\b[A-Z]{4}-[A-Z]{4}\b/)?.[0];
        visit ??= newPerson().signIn(`${provider.deployment.issuer}/device?user_code=${code}`, { decision });
      },
    });
  }

  async function refreshes(script) {
    const first = await script.token();
    assert.equal((await userinfo(provider.deployment, first)).status, 200);
    await untilExpired(first);
    const second = await script.token();
    assert.notEqual(second, first);
    assert.equal((await userinfo(provider.deployment, second)).status, 200);
  }

  it("localhostauthcode: signs in at a port of its own choice, and refreshes", async () => {
    const script = await Script.of("mutt", "localhost");
    const { code, said } = await localhost(script);
    assert.equal(code, 0, said);
    await refreshes(script);
  });

  it("devicecode: shows the sentence with the address and the code, and refreshes", async () => {
    const script = await Script.of("mutt-device", "device");
    const { code, said } = await device(script);
    assert.equal(code, 0, said);
    assert.match(said, /^.*To sign in, open \S+\/device and enter [A-Z]{4}-[A-Z]{4}$/m);
    await refreshes(script);
  });

  it("authcode: the code is in the address bar of a page that nothing serves", async () => {
    const script = await Script.of("mutt", "pasted");
    let visit;
    const { code, said } = await script.run(["--authorize"], {
      lines: asked("authcode"),
      meanwhile(printed, stdin) {
        const [, address] = printed.match(/(https:\S+\/authorize\?\S+)\nVisit displayed URL/) ?? [];
        if (address)
          visit ??= newPerson()
            .signIn(address, { until: (page) => page.location?.hostname === "localhost" })
            .then(({ location }) => stdin.write(`${location.searchParams.get("code")}\n`));
      },
    });
    assert.equal(code, 0, said);
    await refreshes(script);
  });

  it("mutt opens the mailbox with what the script prints, and not that of another user", async () => {
    const { deployment } = provider;
    const { client_secret: secret } = await deployment.postern([
      ...["client", "add", "imap", "--grant", "client_credentials", "--scope", ""],
    ]);
    const server = await MailServer.start(deployment, secret);
    try {
      const script = await Script.of("mutt", "mail");
      await localhost(script);
      assert.match(await open(server, script, PERSON.username), /Login: user=<mara>, method=OAUTHBEARER/);
      assert.doesNotMatch(await open(server, script, "somebody"), /Login: user=<somebody>/);
    } finally {
      await server.stop();
    }
  });

  /// Starts mutt on a terminal, which it leaves at once; answers the log of the server.
  async function open(server, script, user) {
    const settings = join(directory, "muttrc");
    await writeFile(
      settings,
      `
set folder = "imaps://127.0.0.1:${server.port}/"
set spoolfile = "+INBOX"
set imap_user = "${user}"
set imap_authenticators = "oauthbearer"
set imap_oauth_refresh_command = "/usr/bin/python3 ${script.file} ${script.tokens}"
set ssl_ca_certificates_file = "${server.caFile}"
set record = "" postponed = "${directory}/postponed"
set quit = yes
push "<exit>"
`,
    );
    const env = { ...process.env, TERM: "xterm", HOME: directory, SSL_CERT_FILE: provider.deployment.caFile };
    const running = run("script", ["-qec", `mutt -n -F ${settings}`, "/dev/null"], { env, timeout: TIMEOUT_MS });
    running.child.stdin.end();
    const { stdout } = await running.catch((error) => error);
    return `${server.log}\n${stdout}`;
  }

  it("a user who denies ends both", async () => {
    const shown = await device(await Script.of("mutt-device", "device-denied"), "deny");
    assert.equal(shown.code, 1);
    assert.match(shown.said, /access_denied/);
    const { code, said } = await localhost(await Script.of("mutt", "denied"), "deny");
    assert.equal(code, 1, said);
    assert.match(said, /Did not obtain an authcode/);
  });
});
