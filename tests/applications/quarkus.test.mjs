// Quarkus with quarkus-oidc (tests/applications/quarkus).
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { signOutElsewhere, tellOfLogouts, withoutFetching } from "../clients/back_channel.mjs";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider, userinfo } from "../clients/provider.mjs";
import { untilExpired } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

describe("Quarkus", () => {
  let provider;
  let deployment;
  let start; // another process, with more in its environment
  let application;
  let origin;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: 2, idTokenTTL: 2, refreshReuseGrace: 0 }));
    ({ deployment } = provider);
    await deployment.postern(["group", "add", "members"]);
    const directory = temporaryDirectory();
    const trust = join(directory, "trust.p12");
    const store = ["-keystore", trust, "-storetype", "PKCS12", "-storepass", "changeit"];
    await run("keytool", ["-importcert", "-noprompt", "-file", deployment.caFile, ...store]);
    start = async (id, env = {}) => {
      origin = `http://127.0.0.1:${await freePort()}`;
      const back = ["--post-logout-redirect-uri", `${origin}/bye`, "--pkce", "required"];
      const scope = ["--scope", "openid profile email offline_access"];
      await addClientWithSecret(deployment, id, SECRET, `${origin}/callback`, ...back, ...scope);
      const log = join(directory, `${id}.log`);
      application = owned(
        new WebServer(
          "java",
          [
            "-XX:TieredStopAtLevel=1",
            ...[`-Djavax.net.ssl.trustStore=${trust}`, "-Djavax.net.ssl.trustStorePassword=changeit"],
            ...["-jar", join(BUILD, "applications/quarkus/application-runner.jar")],
          ],
          {
            logFiles: [log],
            env: {
              QUARKUS_LOG_FILE_ENABLE: "true",
              QUARKUS_LOG_FILE_PATH: log,
              QUARKUS_HTTP_PORT: new URL(origin).port,
              ISSUER: deployment.issuer,
              CLIENT_ID: id,
              CLIENT_SECRET: SECRET,
              ...env,
            },
          },
        ),
      );
      await application.untilItAnswers(`${origin}/bye`, { status: 200 });
    };
    await start("quarkus");
  });

  const newPerson = () => new Person(deployment.ca);
  /// What the page knows of the user.
  function signedIn(page) {
    assert.deepEqual([page.url, page.status], [`${origin}/`, 200], `${page.title}\n${application.log.slice(-2000)}`);
    const [sub, username, ofIdToken, ofUserInfo, token] = page.body.split("\n");
    return { sub, username, ofIdToken, ofUserInfo, token };
  }

  it("a user who denies consent, or may not use the client, is not signed in", async () => {
    const denied = await newPerson().signIn(`${origin}/`, { decision: "deny" });
    assert.deepEqual([new URL(denied.url).origin, denied.status], [origin, 401]);
    await deployment.postern(["client", "set", "quarkus", "--allow-group", "members"]);
    const page = await newPerson().signIn(`${origin}/`);
    assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
    await deployment.postern(["client", "set", "quarkus", "--allow-everyone"]);
  });

  it("signs a user in with PKCE and a nonce, and knows the claims of the ID token and of UserInfo", async () => {
    const { location } = await newPerson().visit(`${origin}/`);
    assert.equal(location.searchParams.get("code_challenge_method"), "S256");
    assert.ok(location.searchParams.get("nonce"));
    const { token, ...user } = signedIn(await newPerson().signIn(`${origin}/`));
    const { name } = PERSON.claims;
    assert.deepEqual(user, { sub: provider.sub, username: PERSON.username, ofIdToken: name, ofUserInfo: name });
    assert.equal((await userinfo(deployment, token)).status, 200);
  });

  it("refreshes, and stores the rotated refresh token", async () => {
    const person = newPerson();
    let { token } = signedIn(await person.signIn(`${origin}/`));
    for (let round = 0; round < 2; ++round) {
      await untilExpired(token);
      const page = await person.visit(`${origin}/`);
      assert.equal(page.location, undefined, "not sent to sign in again");
      const next = signedIn(page).token;
      assert.notEqual(next, token);
      token = next;
    }
  });

  it("sends a user who was disabled to Postern, when it refreshes", async () => {
    const person = newPerson();
    const { token } = signedIn(await person.signIn(`${origin}/`));
    await deployment.postern(["user", "disable", PERSON.username]);
    await untilExpired(token);
    assert.ok((await person.open(`${origin}/`)).form?.buttons.login);
    await deployment.postern(["user", "enable", PERSON.username]);
  });

  it("signs out of the application and of Postern", async () => {
    const person = newPerson();
    signedIn(await person.signIn(`${origin}/`));
    const page = await person.open(`${origin}/logout`);
    assert.deepEqual([page.url.split("?")[0], page.body], [`${origin}/bye`, "bye"]);
    assert.ok((await person.open(`${origin}/`)).form.buttons.login, "asked for the password again");
  });

  it(
    "a user who signs out elsewhere is signed out here, and no other [Back-Channel Logout §2.7]",
    {
      skip: withoutFetching,
    },
    async () => {
      const secure = `https://127.0.0.1:${await freePort()}`;
      await start("told", {
        QUARKUS_HTTP_SSL_PORT: new URL(secure).port,
        QUARKUS_HTTP_SSL_CERTIFICATE_FILES: join(deployment.directory, "tls.pem"),
        QUARKUS_HTTP_SSL_CERTIFICATE_KEY_FILES: join(deployment.directory, "tls.key"),
        // Without it tokens end with the session at the provider, and the application notices by itself.
        QUARKUS_OIDC_AUTHENTICATION_SCOPES: "profile,email,offline_access",
      });
      // Nor are they refreshed meanwhile: an ID token from after the end of the session has no `sid`.
      const longer = { accessTokenTTL: 600, idTokenTTL: 600 };
      await tellOfLogouts(deployment, "told", `${secure}/back-channel-logout`, deployment.caFile, longer);
      const [person, other] = [newPerson(), newPerson()];
      for (const each of [person, other]) signedIn(await each.signIn(`${origin}/`));
      const { deliver } = await signOutElsewhere(deployment, person);
      signedIn(await person.visit(`${origin}/`));
      await deliver();
      signedIn(await other.visit(`${origin}/`)); // first: it is the same user
      const page = await person.visit(`${origin}/`);
      assert.equal(page.location?.origin, deployment.origin, application.log.slice(-2000));
    },
  );
});
