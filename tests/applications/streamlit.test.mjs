// Streamlit's st.login, in a browser, because its pages are drawn by a script (tests/applications/streamlit_app.py).
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openBrowser, signIn } from "../browser/browser.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

describe("Streamlit", () => {
  let provider;
  let browser;
  let directory;
  prepared(async (owned) => {
    directory = temporaryDirectory();
    provider = owned(await openProvider());
    await provider.deployment.postern(["group", "add", "members"]);
    browser = owned(await openBrowser());
  });

  /// The settings of docs/clients/streamlit.md.
  const secrets = (id, origin, more = "") => `[auth]
redirect_uri = "${origin}/oauth2callback"
cookie_secret = "${SECRET}"
client_id = "${id}"
client_secret = "${SECRET}"
server_metadata_url = "${provider.deployment.issuer}/.well-known/openid-configuration"
${more}
`;

  /// Runs with a tab of a browser of its own while `use` has it; `options` are more of `client add`, `more` of the
  /// settings.
  async function withApplication(id, use, { options = [], more } = {}) {
    const { deployment } = provider;
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const callback = `${origin}/oauth2callback`;
    const registration = ["--pkce", "required", "--post-logout-redirect-uri", callback, ...options];
    await addClientWithSecret(deployment, id, SECRET, callback, ...registration);
    const file = join(directory, `${id}.toml`);
    writeFileSync(file, secrets(id, origin, more), { mode: 0o600 });
    const settings = {
      ...{ "server.headless": true, "server.address": "127.0.0.1", "server.port": port, "secrets.files": file },
      ...{ "browser.gatherUsageStats": false, "server.fileWatcherType": "none" },
    };
    const streamlit = new WebServer(
      join(BUILD, "applications/streamlit/bin/streamlit"),
      [
        ...["run", join(ROOT, "tests/applications/streamlit_app.py")],
        ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
      ],
      { env: { SSL_CERT_FILE: deployment.caFile, PYTHONDONTWRITEBYTECODE: "1", HOME: directory } },
    );
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    try {
      await streamlit.untilItAnswers(`${origin}/_stcore/health`, { status: 200 });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(origin);
      await use({ page, origin, streamlit });
    } finally {
      await context.close();
      await streamlit.stop();
    }
  }

  const logIn = (page) => page.getByRole("button", { name: "Log in" });
  const logOut = (page) => page.getByRole("button", { name: "Log out" });

  /// To Postern's page, and through it.
  async function signedIn({ page }, decision = "#approve") {
    await logIn(page).click();
    await page.waitForSelector("#login");
    await signIn(page, PERSON.password, PERSON.username);
    await page.click(decision);
  }
  /// What st.user has.
  async function user(page) {
    await logOut(page).waitFor();
    return JSON.parse(await page.getByTestId("stText").innerText());
  }

  it("signs a user in with PKCE; the claims are from the ID token", () =>
    withApplication("board", async (tab) => {
      const asked = tab.page.waitForRequest((request) => request.url().includes("code_challenge_method=S256"));
      await signedIn(tab);
      await asked;
      const { sub, name, email } = await user(tab.page);
      assert.deepEqual(
        { sub, name, email },
        { sub: provider.sub, name: PERSON.claims.name, email: PERSON.claims.email },
      );
    }));

  it("without claims in the ID token the user has neither name nor address", () =>
    withApplication(
      "bare",
      async (tab) => {
        await signedIn(tab);
        const { sub, name, email } = await user(tab.page);
        assert.deepEqual([sub, name, email], [provider.sub, undefined, undefined]);
      },
      { options: ["--no-id-token-claims"] },
    ));

  it("a user who denies consent, or may not use the client, is not signed in", () =>
    withApplication("members", async (tab) => {
      const { page, origin, streamlit } = tab;
      await signedIn(tab, "#deny");
      await logIn(page).waitFor();
      assert.match(streamlit.log, /access_denied/);
      await provider.deployment.postern(["client", "set", "members", "--allow-group", "members"]);
      await logIn(page).click();
      await page.waitForSelector("#login");
      const answer = page.waitForResponse((response) => response.status() === 403);
      await signIn(page, PERSON.password, PERSON.username);
      assert.equal(new URL((await answer).url()).origin, provider.deployment.origin);
      await page.goto(origin);
      await logIn(page).waitFor();
    }));

  it("asks for the password of a user who is signed in at Postern, unless the prompt is empty", async () => {
    const again = async (tab) => {
      await signedIn(tab);
      await logOut(tab.page).waitFor();
      await tab.page.context().clearCookies({ name: /^_streamlit/ });
      await tab.page.goto(tab.origin);
      await logIn(tab.page).click();
    };
    await withApplication("asking", async (tab) => {
      await again(tab);
      await tab.page.waitForSelector("#login");
    });
    await withApplication(
      "single",
      async (tab) => {
        await again(tab);
        await logOut(tab.page).waitFor();
      },
      { more: 'client_kwargs = { prompt = "" }' },
    );
  });

  it("signs out of the application and of Postern", () =>
    withApplication(
      "leaving",
      async (tab) => {
        const { page, origin } = tab;
        await signedIn(tab);
        await logOut(page).click();
        await logIn(page).waitFor();
        assert.equal(new URL(page.url()).origin, origin);
        await logIn(page).click();
        await page.waitForSelector("#login");
      },
      { more: 'client_kwargs = { prompt = "" }' },
    ));
});
