// Clients that rotate refresh tokens without pause, and remember what was acknowledged. A client that is answered
// anything but 200 knows nothing of what happened, and asks again with what it has.
import { randomInt } from "node:crypto";
import { digestOf } from "../security/database.mjs";
import { until } from "./cluster.mjs";

const SCOPE = "openid profile offline_access";
const ROTATIONS_OF_A_SIGN_IN = 40;
const ROTATIONS_OF_A_REVOCATION = 4;
const PAUSE = 200; // milliseconds, after a failure

const rowsOf = (answer) => (answer === "" ? [] : answer.split("\n"));
const inOrder = async (all, action) => {
  for (const each of all) await action(each);
};

/// The status once it is about the request: 503 says nothing of it.
async function answerOf(ask) {
  let status;
  await until("the installation answers", async () => ({ status } = await ask()).status < 500);
  return status;
}

/// One sign-in: the code that began it and each refresh token that a client was given since.
class Line {
  constructor(code, token) {
    this.code = code;
    this.tokens = [token];
    this.failures = 0; // answers to the newest token that were neither 200 nor invalid_grant
    this.refused = false;
  }

  get newest() {
    return this.tokens.at(-1);
  }
}

export class Load {
  #p;
  #runs = true;
  #clients;
  #times = []; // of the acknowledgements
  #asked = 0;
  lines = [];
  revoked = [];
  failures = {}; // how often each answer that was no success

  constructor(p, count) {
    this.#p = p;
    this.#clients = Array.from({ length: count }, () => this.#client(p.person()));
  }

  /// Rotations.
  get acknowledged() {
    return this.#times.length;
  }

  /// Seconds of the longest time without an acknowledgement.
  get longestSilence() {
    return Math.max(...this.#times.slice(1).map((time, i) => time - this.#times[i])) / 1000;
  }

  /// Waits for so many acknowledgements from now on.
  async more(count) {
    const enough = this.acknowledged + count;
    await until(`${enough} rotations are acknowledged: ${JSON.stringify(this.failures)}`, () => {
      return this.acknowledged >= enough;
    });
  }

  /// Waits for so many requests from now on, whatever they are answered.
  async ask(count) {
    const enough = this.#asked + count;
    await until(`${enough} requests are answered`, () => this.#asked >= enough);
  }

  async stop() {
    this.#runs = false;
    await Promise.all(this.#clients);
  }

  async #client(person) {
    while (this.#runs) {
      try {
        const line = await this.#signIn(person);
        while (this.#runs && !line.refused && line.tokens.length <= ROTATIONS_OF_A_SIGN_IN) {
          await this.#rotate(line);
          ++this.#asked;
          if (line.tokens.length % ROTATIONS_OF_A_REVOCATION === 0) await this.#revoke();
        }
      } catch (error) {
        await this.#failed(error.message.slice(0, 60));
      }
    }
  }

  async #failed(what) {
    this.failures[what] = (this.failures[what] ?? 0) + 1;
    await new Promise((done) => setTimeout(done, PAUSE));
  }

  async #signIn(person) {
    const { web } = this.#p.clients;
    const code = await this.#p.code(web, { scope: SCOPE }, person);
    const { status, json } = await this.#p.exchange(web, code);
    if (status !== 200) throw new Error(`code: ${status} ${json?.error}`);
    const line = new Line(code, json.refresh_token);
    this.lines.push(line);
    return line;
  }

  async #rotate(line) {
    const { status, json } = await this.#p.refresh(this.#p.clients.web, line.newest);
    if (status === 200) {
      line.tokens.push(json.refresh_token);
      line.failures = 0;
      this.#times.push(Date.now());
    } else if (status === 400) {
      line.refused = true;
    } else {
      ++line.failures;
      await this.#failed(`refresh: ${status}`);
    }
  }

  async #revoke() {
    const { machine } = this.#p.clients;
    const { json } = await this.#p.post("/token", { grant_type: "client_credentials" }, { client: machine });
    const token = json?.access_token;
    if (token && (await this.#p.revoke(machine, token)).status === 200) this.revoked.push(token);
  }

  /// What became of the acknowledgements: { acknowledged, lost, twice, wrong, ... }. `sql` asks the database. It uses
  /// the tokens, so it is asked once, after stop().
  async verdict(sql) {
    const digests = this.lines.flatMap(({ tokens }) => tokens).map(digestOf);
    const known = new Set(rowsOf(sql("SELECT token_hash FROM refresh_tokens")));
    const children = sql(
      "SELECT count(*) FROM (SELECT parent_hash FROM refresh_tokens c WHERE parent_hash IS NOT NULL" +
        " GROUP BY grant_id, parent_hash HAVING count(*) > (SELECT CASE WHEN sibling_hash IS NULL THEN 1 ELSE 2 END" +
        " FROM refresh_tokens p WHERE p.grant_id = c.grant_id AND p.token_hash = c.parent_hash)) AS surplus",
    );
    const found = {
      acknowledged: this.acknowledged,
      lost: digests.filter((digest) => !known.has(digest)).length,
      wrong: [], // what of that is used, ended or revoked is not answered as it has to be
      twice: digests.length - new Set(digests).size + Number(children),
      revocations: this.revoked.length,
      ended: this.lines.filter(({ refused, failures }) => refused && failures >= 2).length,
      refusedTooSoon: this.lines.filter(({ refused, failures }) => refused && failures < 2).length,
      silence: this.longestSilence,
      failures: this.failures,
    };
    const { web } = this.#p.clients;
    const expect = async (what, wanted, ask) => {
      const status = await answerOf(ask);
      if (status !== wanted) found.wrong.push(`${what}: ${status}`);
    };
    await inOrder(this.revoked, async (token) => {
      if ((await until("introspection answers", () => this.#p.introspect(token))).active)
        found.wrong.push("a revoked token is active");
    });
    await inOrder(this.lines, async (line) => {
      // After a second failure both of the answers that one token can have may be lost. A refusal without that came
      // from a primary that was replaced, and did not know the token.
      if (line.failures < 2)
        await expect(`the newest token, ${line.failures} failures`, 200, () => this.#p.refresh(web, line.newest));
      const earlier = line.tokens[randomInt(Math.max(1, line.tokens.length - 1))];
      if (earlier !== line.newest) await expect("an earlier token", 400, () => this.#p.refresh(web, earlier));
      await expect("a code once more", 400, () => this.#p.exchange(web, line.code));
    });
    return found;
  }
}
