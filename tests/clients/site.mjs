// A web server beside the provider's, with an application or an API behind a module that nobody here wrote.
import { chown, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, identity, makeCertificate, privateDirectory } from "../support/web_server.mjs";

const ATTEMPTS = 3;

export class Site {
  #server = null;

  /// `start` is startApache or startNginx. `configure` answers the rest of its options for a site, which has origin,
  /// port, directory, caFile (the authority of `deployment`, where the server may read it), and its own authority: ca,
  /// in the file authority.
  static async start(start, deployment, configure) {
    for (let attempt = 1; ; ++attempt) {
      const site = new Site();
      try {
        await site.#begin(start, deployment, configure);
        return site;
      } catch (error) {
        await site.stop();
        if (attempt === ATTEMPTS || !/already in use/i.test(error.message)) throw error;
      }
    }
  }

  get log() {
    return this.#server?.log ?? "";
  }

  async stop() {
    await this.#server?.stop();
    if (this.directory) await rm(this.directory, { recursive: true, force: true });
  }

  async #begin(start, deployment, configure) {
    this.directory = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
    this.port = await freePort();
    this.origin = `https://127.0.0.1:${this.port}`;
    const tls = await makeCertificate(this.directory);
    this.ca = tls.ca;
    this.authority = tls.caFile;
    if (deployment.caFile) {
      this.caFile = join(this.directory, "provider.pem");
      await copyFile(deployment.caFile, this.caFile);
      if (process.getuid() === 0) await chown(this.caFile, identity.uid, identity.gid);
    }
    this.documents = await privateDirectory(join(this.directory, "www"));
    await writeFile(join(this.documents, "index.html"), "<title>Application</title>\n", { mode: 0o644 });
    this.#server = await start({ directory: this.directory, port: this.port, tls, ...(await configure(this)) });
    await this.#server.untilItAnswers(`${this.origin}/`, { ca: this.ca });
  }
}
