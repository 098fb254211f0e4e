// A person whose browser goes wherever it is sent, from one server to the other.
import { UserAgent, request } from "../support/user_agent.mjs";
import { PERSON } from "./provider.mjs";

const MAX_HOPS = 10;
/// What a browser says when somebody follows a link; some modules tell people from programs by it.
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

export class Person {
  #agent;
  #who;

  /// `ca`: the authorities the browser trusts; `who` has username and password; `more`: headers that it sends
  /// everywhere. One jar of cookies, as for the ports of one host.
  constructor(ca, who = PERSON, more = {}) {
    this.#who = who;
    this.#agent = new UserAgent({
      ca,
      send: (url, { headers, ...rest }) => request(url, { ...rest, headers: { ...BROWSER, ...more, ...headers } }),
    });
  }

  /// The page at `url` and whatever it leads to without the person doing anything.
  async open(url) {
    return this.#arrive(await this.#agent.visit(url));
  }

  /// The same, on to where the browser would leave the server of `url`; the page has that as `location`.
  async visit(url) {
    return this.#agent.visit(url);
  }

  /// Signs in and answers the consent form wherever one of them is shown, as often as it takes.
  /// `seen` gets the pages.
  async signIn(url, { decision = "approve", until = () => false, seen = [] } = {}) {
    return this.signInFrom(await this.#arrive(await this.#agent.visit(url), until), { decision, until, seen });
  }

  /// The same from a page that is shown already.
  async signInFrom(page, { decision = "approve", until = () => false, seen = [] } = {}) {
    for (let hops = 0; hops < MAX_HOPS && !until(page); ++hops) {
      seen.push(page);
      const { buttons = {} } = page.form ?? {};
      if (buttons.login)
        page = await this.#arrive(await this.#agent.signIn(page, this.#who.username, this.#who.password), until);
      else if (buttons[decision]) page = await this.#arrive(await this.#agent.submit(page, decision), until);
      else break;
    }
    return page;
  }

  /// On from a page that visit or signIn stopped at.
  async go(page) {
    return this.#arrive(page);
  }

  async post(url, form) {
    return this.#arrive(await this.#agent.post(url, form));
  }

  async press(page, button) {
    return this.#arrive(await this.#agent.submit(page, button));
  }

  /// Follows redirects to other servers, and forms that send themselves (response_mode=form_post), until `until` is
  /// true.
  async #arrive(page, until = () => false) {
    for (let hops = 0; hops < MAX_HOPS; ++hops) {
      if (until(page)) return page;
      if (page.location)
        page = page.posted
          ? await this.#agent.post(page.location.href, page.posted)
          : await this.#agent.visit(page.location.href);
      else if (page.form?.buttons.continue) page = await this.#agent.submit(page, "continue");
      else return page;
    }
    throw new Error(`more than ${MAX_HOPS} servers, the last one at ${page.url}`);
  }
}
