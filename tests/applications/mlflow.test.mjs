// MLflow with mlflow-oidc-auth.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const ADMINISTRATOR = { ...PERSON, username: "alva" };
const OUTSIDER = { ...PERSON, username: "otto" };

describe("MLflow, mlflow-oidc-auth", () => {
  let deployment;
  let mlflow;
  let origin;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider({ accessTokenTTL: 2, idTokenTTL: 2 })));
    for (const { username, password } of [ADMINISTRATOR, OUTSIDER])
      await deployment.addUser(username, password, { email: `${username}@example.org`, name: username });
    for (const [group, { username }] of Object.entries({ mlflow: PERSON, "mlflow-admin": ADMINISTRATOR })) {
      await deployment.postern(["group", "add", group]);
      await deployment.postern(["group", "member", "add", group, username]);
    }
    const directory = temporaryDirectory();
    origin = `http://127.0.0.1:${await freePort()}`;
    const options = ["--pkce", "required", "--scope", "openid profile email groups offline_access"];
    options.push("--post-logout-redirect-uri", `${origin}/oidc/ui/auth`);
    await addClientWithSecret(deployment, "mlflow", SECRET, `${origin}/callback`, ...options);
    mlflow = owned(
      new WebServer(
        join(BUILD, "applications/mlflow/bin/mlflow"),
        [
          ...["server", "--app-name", "oidc-auth", "--host", "127.0.0.1", "--port", new URL(origin).port],
          ...["--workers", "1", "--backend-store-uri", `sqlite:///${directory}/mlflow.db`],
          ...["--default-artifact-root", join(directory, "artifacts")],
        ],
        {
          env: {
            OIDC_DISCOVERY_URL: `${deployment.issuer}/.well-known/openid-configuration`,
            OIDC_CLIENT_ID: "mlflow",
            OIDC_CLIENT_SECRET: SECRET,
            OIDC_REDIRECT_URI: `${origin}/callback`,
            OIDC_SCOPE: "openid profile email groups",
            OIDC_USERNAME_FIELD: "preferred_username",
            OIDC_USE_REFRESH_TOKEN: "true",
            OIDC_SESSION_EXPIRY_LEEWAY_SECONDS: "0",
            OIDC_USERS_DB_URI: `sqlite:///${directory}/users.db`,
            SECRET_KEY: randomBytes(32).toString("hex"),
            SSL_CERT_FILE: deployment.caFile,
            REQUESTS_CA_BUNDLE: deployment.caFile,
            PATH: `${join(BUILD, "applications/mlflow/bin")}:${process.env.PATH}`,
            PYTHONDONTWRITEBYTECODE: "1",
            HOME: directory,
            MLFLOW_DISABLE_TELEMETRY: "true",
          },
        },
      ),
    );
    await mlflow.untilItAnswers(`${origin}/health`, { status: 200, patience: 2 });
  });

  const newPerson = (who = PERSON) => new Person(deployment.ca, who);
  const login = (person, options) => person.signIn(`${origin}/login`, options);
  /// What the application knows of its user; the status without one.
  async function current(person) {
    const page = await person.open(`${origin}/api/2.0/mlflow/users/current`);
    return page.status === 200 ? JSON.parse(page.body) : page.status;
  }

  const expired = () => new Promise((done) => setTimeout(done, 3500));

  it("a user who denies consent is not signed in", async () => {
    const person = newPerson();
    const page = await login(person, { decision: "deny" });
    assert.equal(new URL(page.url).pathname, "/oidc/ui/auth");
    assert.equal(await current(person), 401);
  });

  it("signs a member of a group of OIDC_GROUP_NAME in, with PKCE; the groups are from the ID token", async () => {
    const { location } = await newPerson().visit(`${origin}/login`);
    assert.equal(location.searchParams.get("code_challenge_method"), "S256");
    const person = newPerson();
    assert.equal((await login(person)).url, `${origin}/oidc/ui/user`);
    const { username, display_name, is_admin, groups } = await current(person);
    assert.deepEqual([username, display_name, is_admin], [PERSON.username, PERSON.claims.name, false]);
    assert.deepEqual(
      groups.map(({ group_name }) => group_name),
      ["mlflow"],
    );
  });

  it("members of OIDC_ADMIN_GROUP_NAME are administrators", async () => {
    const person = newPerson(ADMINISTRATOR);
    await login(person);
    assert.equal((await current(person)).is_admin, true);
  });

  it("refuses a user of neither group, and a member whose groups are not in the ID token", async () => {
    const refused = async (person) => {
      const page = await login(person);
      assert.match(new URL(page.url).searchParams.get("error"), /^User is not allowed to login/);
      assert.equal(await current(person), 401);
    };
    await refused(newPerson(OUTSIDER));
    await deployment.postern(["client", "set", "mlflow", "--no-id-token-claims"]);
    await refused(newPerson());
    await deployment.postern(["client", "set", "mlflow", "--id-token-claims"]);
  });

  it("a user whom Postern does not let use the client does not get to MLflow", async () => {
    await deployment.postern(["client", "set", "mlflow", "--allow-group", "mlflow", "--allow-group", "mlflow-admin"]);
    const page = await login(newPerson(OUTSIDER));
    assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
  });

  it("refreshes tokens that expire, and signs a user out who was disabled", async () => {
    const person = newPerson();
    await login(person);
    for (let round = 0; round < 2; ++round) {
      await expired();
      assert.equal((await current(person)).username, PERSON.username);
    }
    await deployment.postern(["user", "disable", PERSON.username]);
    await expired();
    assert.equal(await current(person), 401);
    await deployment.postern(["user", "enable", PERSON.username]);
  });

  it("signs out of MLflow and of Postern", async () => {
    const person = newPerson();
    await login(person);
    const page = await person.open(`${origin}/logout`);
    assert.deepEqual([page.url, page.status], [`${origin}/oidc/ui/auth`, 200]);
    assert.equal(await current(person), 401);
    assert.ok((await person.open(`${origin}/login`)).form.buttons.login, "asked for the password again");
  });
});
