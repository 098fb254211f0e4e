// Spring Security with Spring Boot: login, and an API that verifies access tokens of profile rfc9068 with
// createAtJwtValidator (tests/applications/spring).
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON } from "../clients/provider.mjs";
import { altered, openTokenSource } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const API = "https://reports.example";
const OTHER = "https://other.example";
const CALLBACK = "https://application.example/callback"; // of the application that calls the API
const PROFILE = ["--access-token-profile", "rfc9068", "--default-resource", API];

describe("Spring Security", () => {
  let source;
  let deployment;
  let directory;
  let application;
  let origin;
  let caller;
  prepared(async (owned) => {
    source = owned(await openTokenSource({ config: { accessTokenProfile: "rfc9068", defaultResource: OTHER } }));
    ({ deployment } = source);
    for (const uri of [API, OTHER]) await deployment.postern(["resource", "add", uri, "--scope", "reports"]);
    await deployment.postern(["group", "add", "members"]);
    origin = `http://127.0.0.1:${await freePort()}`;
    const { client_secret: secret } = await deployment.addClient(
      "spring",
      `${origin}/login/oauth2/code/postern`,
      ...["--post-logout-redirect-uri", `${origin}/bye`, "--scope", "openid profile email reports", ...PROFILE],
    );
    caller = await deployment.addClient("caller", CALLBACK, "--scope", "openid profile email reports", ...PROFILE);
    directory = temporaryDirectory();
    await start(secret, owned);
  });

  /// The settings are those of docs/clients/spring.md, as environment variables.
  async function start(secret, owned) {
    const trust = join(directory, "trust.p12");
    const store = ["-keystore", trust, "-storetype", "PKCS12", "-storepass", "changeit"];
    await run("keytool", ["-importcert", "-noprompt", "-file", deployment.caFile, ...store]);
    const registration = "SPRING_SECURITY_OAUTH2_CLIENT_REGISTRATION_POSTERN_";
    application = owned(
      new WebServer(
        "java",
        [
          ...[
            "-XX:TieredStopAtLevel=1",
            `-Djavax.net.ssl.trustStore=${trust}`,
            "-Djavax.net.ssl.trustStorePassword=changeit",
          ],
          ...["-jar", join(BUILD, "applications/spring/application.jar")],
        ],
        {
          logFiles: [join(directory, "application.log")],
          env: {
            LOGGING_FILE_NAME: join(directory, "application.log"),
            SERVER_ADDRESS: "127.0.0.1",
            SERVER_PORT: new URL(origin).port,
            ISSUER: deployment.issuer,
            AUDIENCE: API,
            [`${registration}CLIENTID`]: "spring",
            [`${registration}CLIENTSECRET`]: secret,
            [`${registration}SCOPE`]: "openid,profile,email",
            SPRING_SECURITY_OAUTH2_CLIENT_PROVIDER_POSTERN_ISSUERURI: deployment.issuer,
          },
        },
      ),
    );
    await application.untilItAnswers(`${origin}/bye`, { status: 200 });
  }

  const newPerson = () => new Person(deployment.ca);
  function signedIn(page) {
    assert.equal(page.status, 200, `${page.url} ${page.title} ${application.log.slice(-2000)}`);
    return JSON.parse(page.body);
  }

  describe("login", () => {
    it("a user who denies consent, or may not use the client, is not signed in", async () => {
      const denied = await newPerson().signIn(`${origin}/`, { decision: "deny" });
      assert.equal(denied.url, `${origin}/login?error`);
      await deployment.postern(["client", "set", "spring", "--allow-group", "members"]);
      const page = await newPerson().signIn(`${origin}/`);
      assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
      await deployment.postern(["client", "set", "spring", "--allow-everyone"]);
    });

    it("signs a user in, with the names from UserInfo; it sends a nonce and no PKCE", async () => {
      const { location } = await newPerson().visit(`${origin}/oauth2/authorization/postern`);
      assert.ok(location.searchParams.get("nonce"));
      assert.equal(location.searchParams.get("code_challenge"), null);
      const { sub, name, email } = signedIn(await newPerson().signIn(`${origin}/`));
      const { claims } = PERSON;
      assert.deepEqual({ sub, name, email }, { sub: source.sub, name: claims.name, email: claims.email });
    });

    it("is refused by a client that demands PKCE", async () => {
      await deployment.postern(["client", "set", "spring", "--pkce", "required"]);
      const page = await newPerson().signIn(`${origin}/`);
      assert.equal(page.url, `${origin}/login?error`);
      await deployment.postern(["client", "set", "spring", "--pkce", "optional"]);
    });

    it("refreshes an access token that expires within a minute", async () => {
      await deployment.postern(["resource", "set", API, "--access-token-ttl", "30"]);
      const person = newPerson();
      const { token } = signedIn(await person.signIn(`${origin}/`));
      const { token: next } = signedIn(await person.open(`${origin}/`));
      assert.notEqual(next, token);
      await deployment.postern(["resource", "set", API, "--access-token-ttl", "0"]);
      const { token: lasting } = signedIn(await person.open(`${origin}/`));
      assert.equal(signedIn(await person.open(`${origin}/`)).token, lasting);
    });

    it("signs out of the application and of Postern", async () => {
      const person = newPerson();
      signedIn(await person.signIn(`${origin}/`));
      const page = await person.post(`${origin}/logout`, {});
      assert.deepEqual([page.url, page.body], [`${origin}/bye`, "bye"]);
      assert.ok((await person.open(`${origin}/`)).form.buttons.login, "asked for the password again");
    });
  });

  describe("an API with createAtJwtValidator", () => {
    const tokens = (scope, resource) => source.ofPerson(scope, PERSON, { application: caller, resource });
    const call = (token) => request(`${origin}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    async function refused(token, status, error) {
      const answer = await call(token);
      assert.equal(answer.status, status, answer.body);
      assert.match(answer.headers["www-authenticate"], new RegExp(`error="${error}"`));
    }

    it("accepts a token for it [ATP-1, RES-1]", async () => {
      const { access_token: token } = await tokens("reports", API);
      const { status, body } = await call(token);
      assert.equal(status, 200, body);
      const { sub, client_id } = JSON.parse(body);
      assert.deepEqual({ sub, client_id }, { sub: source.sub, client_id: "caller" });
    });

    it("refuses a token for another API, a changed one, one without the scope [ATP-1, RES-1]", async () => {
      await refused((await tokens("reports", OTHER)).access_token, 401, "invalid_token");
      const { access_token: token } = await tokens("reports", API);
      await refused(altered(token), 401, "invalid_token");
      await refused((await tokens("openid")).access_token, 403, "insufficient_scope");
    });

    it("refuses a token of another client, because it has to be told which one may call", async () => {
      const another = await deployment.addClient("another", CALLBACK, "--scope", "openid reports", ...PROFILE);
      const { access_token: token } = await source.ofPerson("reports", PERSON, { application: another, resource: API });
      await refused(token, 401, "invalid_token");
    });

    it("refuses ID tokens and refresh tokens [ATP-1, RFC 9068 §5]", async () => {
      const { id_token, refresh_token } = await tokens("openid reports");
      for (const token of [id_token, refresh_token]) await refused(token, 401, "invalid_token");
    });
  });
});
