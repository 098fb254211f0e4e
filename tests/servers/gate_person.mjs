// A user in front of sites behind the gate.
import { UserAgent, request } from "../support/user_agent.mjs";

export const PAGE = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/// A request as a browser sends one for a page.
export const asPage = (url, options) => request(url, { ...options, headers: { ...PAGE, ...options?.headers } });

/// A browser that signs in to sites: one jar for each of them, and one for the provider. `send` stands between it and
/// the sites.
export class Person {
  static PASSWORD = "correct horse battery staple";

  constructor(ca, username, send = asPage) {
    Object.assign(this, { ca, username, send, provider: new UserAgent({ ca }) });
  }

  /// The user agent that has the cookie of the site at `url`; `led` is its first answer, `page` the last.
  async signIn(url) {
    const { ca, send } = this;
    const agent = new UserAgent({ ca, send });
    agent.led = await agent.visit(url);
    let answered = await this.provider.visit(agent.led.location.href);
    if (!answered.location) answered = await this.provider.signIn(answered, this.username, Person.PASSWORD);
    agent.page = await agent.visit(answered.location.href);
    return agent;
  }
}
