// An authenticator app in front of the pages that set one up and ask for its codes.
import { totp } from "../support/totp.mjs";

/// RFC 6238 with the key that a page shows. No code is shown twice: each asked for is of the next step of 30 seconds,
/// and the deployment's clock follows.
export class App {
  #deployment;
  #key;
  #step = 0;

  /// Of the page that shows the key now.
  static async scan(page, deployment) {
    const app = new App();
    app.#deployment = deployment;
    app.#key = await page.locator("#key").textContent();
    return app;
  }

  async code() {
    const now = () => Math.floor(this.#deployment.now() / 30);
    if (this.#step >= now()) await this.#deployment.advance(30 * (this.#step - now() + 1));
    this.#step = now();
    return totp(this.#key, 30 * this.#step);
  }

  /// Fills in the code and presses the button.
  async type(page, button) {
    await page.fill("#code", await this.code());
    await page.click(button);
  }
}

/// The recovery codes on the page.
export const recoveryCodes = (page) => page.locator("#codes code").allTextContents();

/// A device with passkeys.
export const PLATFORM = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
};

/// Chromium's own authenticator, in software.
export async function withAuthenticator(page, options = PLATFORM) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const added = options && (await devtools.send("WebAuthn.addVirtualAuthenticator", { options }));
  return { devtools, authenticatorId: added?.authenticatorId };
}
