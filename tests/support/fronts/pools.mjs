// FastCGI processes that are started outside of the web server, by the script that is shipped for spawn-fcgi.
import { join } from "node:path";
import { run } from "../run.mjs";
import { identity } from "../web_server.mjs";

/// The web server of a front, and the processes it talks to.
class WithPools {
  #server;
  #script;

  constructor(server, script) {
    this.#server = server;
    this.#script = script;
  }

  get pid() {
    return this.#server.pid;
  }
  get log() {
    return this.#server.log;
  }
  async untilItAnswers(...asked) {
    await this.#server.untilItAnswers(...asked);
    return this;
  }
  async stop() {
    await this.#server.stop();
    await this.#script("stop");
  }
}

/// `front` with its processes started before it and stopped after it. The name of each socket is the program's and
/// ".sock".
export const withPools = (front) => async (site) => {
  const { examples, cgiBin, configFile, sockets, env } = site;
  const script = (action) =>
    run(join(examples, "spawn-fcgi/postern-fcgi"), [action], {
      env: {
        ...env,
        POSTERN_DEFAULTS: "/dev/null",
        POSTERN_CGI_BIN: cgiBin,
        POSTERN_CONFIG: configFile,
        POSTERN_SOCKETS: sockets,
        POSTERN_USER: identity.user,
        POSTERN_GROUP: identity.group,
      },
    });
  try {
    await script("start"); // it may start some and fail with others
    return new WithPools(await front(site), script);
  } catch (error) {
    await script("stop");
    throw error;
  }
};
