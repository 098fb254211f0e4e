// Dovecot 2.3, as Debian 12 ships it: a mail program gets an access token from Postern, and the IMAP server introspects
// it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PERSON } from "../clients/provider.mjs";
import { openTokenSource } from "../clients/tokens.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { prepared } from "../support/prepared.mjs";
import { MailServer } from "./mail_server.mjs";

const CALLBACK = "https://application.example/callback";

describe("Dovecot, IMAP with access tokens", () => {
  let source;
  let server;
  let program;
  let secret;
  prepared(async (owned) => {
    // lighttpd closes a connection that is idle for five seconds, and Dovecot may send a question into that.
    const config = { scopeDescriptions: { mail: "Read your mail", reports: "Reports" } };
    source = owned(await openTokenSource({ config, front: nginx() }));
    const { deployment } = source;
    program = await deployment.addClient("mail-program", CALLBACK, "--scope", "openid email mail reports");
    const itself = ["--grant", "client_credentials", "--scope"];
    ({ client_secret: secret } = await deployment.postern(["client", "add", "imap", ...itself, ""]));
    server = owned(await MailServer.start(deployment, secret));
  });

  const tokens = (scope = "openid mail") => source.ofPerson(scope, PERSON, { application: program });
  const accepted = (said, { log } = server) => {
    assert.match(said, /^a OK/m, `${said}\n${log}`);
    assert.match(said, /^b OK .*Select completed/m);
  };
  const refused = (said) => assert.match(said, /^a NO|^\+ /m, said) ?? assert.doesNotMatch(said, /^a OK|^b OK/m);

  for (const mechanism of ["OAUTHBEARER", "XOAUTH2"]) {
    it(`${mechanism}: a user opens the mailbox with an access token that has the scope`, async () => {
      accepted(await server.logIn(mechanism, PERSON.username, (await tokens()).access_token));
    });

    it(`${mechanism}: the mailbox of another user, a token without the scope, a wrong token: refused`, async () => {
      const { access_token: token } = await tokens();
      refused(await server.logIn(mechanism, "somebody", token));
      refused(await server.logIn(mechanism, PERSON.username, `${token}x`));
      refused(await server.logIn(mechanism, PERSON.username, (await tokens("openid reports")).access_token));
    });
  }

  it("a refresh token is refused: its introspection is active, but has no username", async () => {
    const { refresh_token: token } = await tokens();
    const { active, username } = await source.introspect(token);
    assert.deepEqual({ active, username }, { active: true, username: undefined });
    refused(await server.logIn("OAUTHBEARER", PERSON.username, token));
  });

  it("a mailbox that is named by the address, which introspection tells with the scope email alone", async () => {
    const { email } = PERSON.claims;
    const byAddress = await MailServer.start(source.deployment, secret, "email");
    try {
      const { access_token: token } = await tokens("openid email mail");
      refused(await byAddress.logIn("OAUTHBEARER", email, token)); // the operator has not let Dovecot know it
      await source.deployment.postern(["client", "set", "imap", "--introspection-claim", "email"]);
      accepted(await byAddress.logIn("OAUTHBEARER", email, token), byAddress);
      refused(await byAddress.logIn("OAUTHBEARER", PERSON.username, token));
      refused(await byAddress.logIn("OAUTHBEARER", email, (await tokens()).access_token));
    } finally {
      await byAddress.stop();
      await source.deployment.postern(["client", "set", "imap", "--no-introspection-claim"]);
    }
  });

  it("a disabled user is refused at once", async () => {
    const { access_token: token } = await tokens();
    accepted(await server.logIn("XOAUTH2", PERSON.username, token));
    await source.deployment.postern(["user", "disable", PERSON.username]);
    refused(await server.logIn("XOAUTH2", PERSON.username, token));
    await source.deployment.postern(["user", "enable", PERSON.username]);
  });
});
