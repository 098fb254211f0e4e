// A provider and one Python program in front of it, for the tests of one library.
import assert from "node:assert/strict";
import { prepared } from "../support/prepared.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { PythonProgram } from "./program.mjs";
import { openProvider, walk } from "./provider.mjs";

export const REDIRECT_URI = "https://client.example/callback";
export const refused = (promise, error) => assert.rejects(promise, { error });

/// To be called inside describe().
export function pythonSuite(file, config) {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider(config));
  });

  return {
    get deployment() {
      return provider.deployment;
    },
    get sub() {
      return provider.sub;
    },

    /// Registers a client and answers what its application is told about it.
    async register(id, ...options) {
      const { client_secret } = await provider.deployment.addClient(id, REDIRECT_URI, ...options);
      return { CLIENT_ID: id, ...(client_secret && { CLIENT_SECRET: client_secret }) };
    },

    /// Runs the program while `use` calls its functions.
    async withApplication(settings, use) {
      const program = new PythonProgram(file, provider.deployment, settings);
      try {
        return await use((name, parameters) => program.call(name, parameters));
      } finally {
        await program.stop();
      }
    },

    /// Somebody's way through the pages: where the browser is sent in the end.
    async sentTo(url) {
      const { location, title } = await walk(new UserAgent({ ca: provider.deployment.ca }), url);
      assert.ok(location, `sent back to the application, not left on "${title}"`);
      return location.href;
    },
  };
}
