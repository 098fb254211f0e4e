// People who sign in and clients that exchange, refresh, revoke and introspect, all at once and by chance, and what
// they were answered: so that a test can do something to the server meanwhile and then ask whether all of it is still
// true. For a provider whose refreshReuseGrace is 0: no refresh token may be accepted twice, not even after a lost
// answer.

export class MixedLoad {
  #p;
  #chance;
  #over = false;
  #acting;
  /// Of each authorization: the tokens that were answered, those of them that are revoked, and whether it was asked for
  /// twice or an answer was lost, so that it may have ended as reuse.
  families = [];
  seen = { lost: 0, logins: 0, exchanges: 0, refreshes: 0, revocations: 0, introspections: 0, doubled: 0 };
  /// What should not have happened, in words.
  wrong = [];

  /// `chance` is of seeded.mjs. It begins at once.
  constructor(p, chance, actors) {
    this.#p = p;
    this.#chance = chance;
    this.#acting = Array.from({ length: actors }, () => this.#act());
  }

  /// Lets everybody finish what is under way.
  async stop() {
    this.#over = true;
    await Promise.all(this.#acting);
  }

  /// Tokens whose revocation was answered, and those that must live.
  get dead() {
    return this.families.flatMap((family) => family.dead);
  }
  get alive() {
    return this.families
      .filter(({ doubtful, dead }) => !doubtful && dead.length === 0)
      .map(({ access }) => access.at(-1));
  }

  async isActive(token) {
    const answer = await this.#insist(() =>
      this.#p.post("/token/introspect", { token }, { client: this.#p.clients.other }),
    );
    ++this.seen.introspections;
    return answer.json.active;
  }

  /// lighttpd asks another process when the one that had accepted died before it could be written to, at times without
  /// the body that it has lost by then: that one says that it was asked for nothing.
  static #hasLostItsBody(answer) {
    return answer.status === 400 && answer.body.includes("The length of the body differs from its Content-Length.");
  }

  /// The answer, or null when the process that worked on it was killed. A program's own answers carry a request id:
  /// none of them may be a failure, since the death of a neighbour is no reason for one.
  async #answered(asking) {
    const answer = await asking.catch(() => null);
    if (answer && answer.status >= 500 && answer.headers["x-request-id"])
      this.wrong.push(`${answer.status} ${answer.body}`);
    if (answer && answer.status < 500 && !MixedLoad.#hasLostItsBody(answer)) return answer;
    ++this.seen.lost;
    return null;
  }

  async #insist(ask) {
    for (;;) {
      const answer = await this.#answered(ask());
      if (answer) return answer;
    }
  }

  /// One or two requests at once, of which one at most may be accepted.
  async #spend(ask, what, family) {
    const twice = this.#chance.chance(0.2);
    if (twice) {
      ++this.seen.doubled;
      family.doubtful = true;
    }
    const answers = await Promise.all([this.#answered(ask()), ...(twice ? [this.#answered(ask())] : [])]);
    if (answers.includes(null)) {
      // whoever asks again may be told that it is spent
      family.doubtful = true;
      answers.push(await this.#insist(ask));
    }
    const good = answers.filter((answer) => answer?.status === 200);
    if (good.length > 1) this.wrong.push(`${what} was accepted ${good.length} times`);
    for (const answer of answers)
      if (answer && ![200, 400].includes(answer.status)) this.wrong.push(`${what}: ${answer.status} ${answer.body}`);
    if (good.length === 0 && !family.doubtful) this.wrong.push(`${what} was refused: ${answers[0].body}`);
    for (const { json } of good) {
      family.access.push(json.access_token);
      family.refresh.push(json.refresh_token);
    }
    return good[0]?.json ?? null;
  }

  async #revoke(client, family) {
    const byAccess = this.#chance.chance(0.4);
    const token = (byAccess ? family.access : family.refresh).at(-1);
    const { status, body } = await this.#insist(() => this.#p.revoke(client, token));
    if (status !== 200) this.wrong.push(`revocation: ${status} ${body}`);
    ++this.seen.revocations;
    family.dead = [...family.refresh, ...(byAccess ? [token] : family.access)];
    if (await this.isActive(token)) this.wrong.push("a token lives after its revocation was answered");
  }

  async #act() {
    const p = this.#p;
    let person = p.person();
    while (!this.#over) {
      if (this.#chance.chance(0.3)) {
        person = p.person();
        ++this.seen.logins;
      }
      const client = this.#chance.pick([p.clients.web, p.clients.trusted]);
      const family = { access: [], refresh: [], dead: [], doubtful: false };
      const code = await p.code(client, {}, person).catch(() => null);
      if (!code) {
        ++this.seen.lost;
        person = p.person();
        continue;
      } // somewhere on the way: the person begins anew
      this.families.push(family);
      let tokens = await this.#spend(() => p.exchange(client, code), "a code", family);
      ++this.seen.exchanges;
      for (let rotations = this.#chance.below(4); tokens && rotations > 0; --rotations) {
        const { refresh_token: token } = tokens;
        tokens = await this.#spend(() => p.refresh(client, token), "a refresh token", family);
        ++this.seen.refreshes;
      }
      if (!family.doubtful && !(await this.isActive(family.access.at(-1))))
        this.wrong.push("a token that was answered is not there");
      if (family.access.length > 0 && this.#chance.chance(0.6)) await this.#revoke(client, family);
    }
  }
}
