// A browser without JavaScript: keeps cookies, follows redirects inside one origin, fills forms in by their fields'
// names.
import { setDefaultResultOrder } from "node:dns";
import http from "node:http";
import https from "node:https";
import { secrets } from "./secrets.mjs";

// The servers under test listen at 127.0.0.1. Node.js 18 tries the first address of localhost alone: ::1 on Debian.
setDefaultResultOrder("ipv4first");

const MAX_REDIRECTS = 10;
/// Programs under an instrument are slower: how many times longer than usual one waits for them. The usual limits are
/// wide: a machine that does other things is no fault.
export const PATIENCE = Number(process.env.POSTERN_TEST_PATIENCE ?? 1);

/// One request, no redirects followed: { status, headers, body }. `cert` and `key` are the client's own, as text;
/// `localAddress` is where it comes from (127.0.0.2, perhaps).
export function request(url, { method = "GET", headers = {}, body, ca, cert, key, localAddress } = {}) {
  const { request: open } = new URL(url).protocol === "https:" ? https : http;
  secrets.learnRequest(url, {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
    body,
  });
  return new Promise((done, failed) => {
    const outgoing = open(
      url,
      { method, headers, ca, cert, key, localAddress, agent: false, timeout: 60_000 * PATIENCE },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        answer.on("error", failed).on("end", () => {
          secrets.learnAnswer({ headers: answer.headers, body: text });
          done({ status: answer.statusCode, headers: answer.headers, body: text });
        });
      },
    );
    outgoing
      .on("timeout", () => outgoing.destroy(new Error(`no answer from ${url}`)))
      .on("error", failed)
      .end(body);
  });
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescape(text) {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    decimal
      ? String.fromCodePoint(Number(decimal))
      : hex
        ? String.fromCodePoint(parseInt(hex, 16))
        : (ENTITIES[name] ?? whole),
  );
}

function attributesOf(tag) {
  const found = {};
  for (const [, name, value] of tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)) found[name] = unescape(value ?? "");
  return found;
}

/// The page's one form: { action, method, enctype, attributes, inputs, fields, buttons }, where attributes has all of
/// the form's own, inputs the name and value of each field in order, fields the same by name, buttons the name and
/// value of each button by its id. Null without a form.
export function formOf(html) {
  const [whole, attributes] = html.match(/<form(\s[^>]*)>[^]*?<\/form>/) ?? [];
  if (!whole) return null;
  const all = (element) =>
    [...whole.matchAll(new RegExp(`<${element}(\\s[^>]*)>`, "g"))].map(([, text]) => attributesOf(text));
  const inputs = all("input")
    .filter(({ name }) => name)
    .map(({ name, value }) => [name, value ?? ""]);
  const own = attributesOf(attributes);
  const { action, method = "get", enctype = "application/x-www-form-urlencoded" } = own;
  return {
    action,
    method: method.toUpperCase(),
    enctype,
    attributes: own,
    inputs,
    fields: Object.fromEntries(inputs),
    buttons: Object.fromEntries(all("button").map(({ id, name, value }) => [id, name ? { [name]: value } : {}])),
  };
}

/// A page the user agent stands on. `location` is set when the server sent it to another origin, which it does not
/// visit; `posted` is then what a form would have sent there, undefined after a redirect.
class Page {
  constructor(url, answer, location, posted) {
    Object.assign(this, { url, status: answer.status, headers: answer.headers, body: answer.body, location, posted });
  }

  get form() {
    return formOf(this.body);
  }
  /// The one of its forms that has `button` (an id).
  formWith(button) {
    const forms = (this.body.match(/<form\s[^>]*>[^]*?<\/form>/g) ?? []).map(formOf);
    return forms.find((form) => form.buttons[button]);
  }
  get title() {
    return unescape(this.body.match(/<title>([^<]*)/)?.[1] ?? "");
  }
}

export class UserAgent {
  #cookies = new Map();

  /// `send` stands between the agent and the network.
  constructor({ ca, send = request } = {}) {
    Object.assign(this, { ca, send });
  }

  get cookieNames() {
    return [...this.#cookies.keys()];
  }
  get cookieHeader() {
    return [...this.#cookies].map((pair) => pair.join("=")).join("; ");
  }

  async visit(url) {
    return this.#follow("GET", url);
  }

  /// A form of another site that leads to `url`.
  async post(url, form) {
    return this.#follow("POST", url, new URLSearchParams(form).toString());
  }

  /// Sends the form that has `button` (an id) with some values changed, as if it had been pressed.
  async submit(page, button, values = {}) {
    const { action, inputs, fields, buttons } = page.formWith(button) ?? {};
    if (!buttons) throw new Error(`no button "${button}" on the page "${page.title}" (${page.status})`);
    const target = new URL(action ?? "", page.url); // a form without an action is sent to where its page is
    if (target.origin !== new URL(page.url).origin)
      return new Page(page.url, page, target, new URLSearchParams(inputs));
    return this.post(target.href, { ...fields, ...buttons[button], ...values });
  }

  async signIn(page, username, password) {
    return this.submit(page, "login", { username, password });
  }
  async approve(page) {
    return this.submit(page, "approve");
  }
  async deny(page) {
    return this.submit(page, "deny");
  }

  async #follow(method, url, body) {
    for (let count = 0; count < MAX_REDIRECTS; ++count) {
      const answer = await this.send(url, { method, body, ca: this.ca, headers: this.#headers(body) });
      this.#keep(answer.headers["set-cookie"] ?? []);
      if (answer.status !== 303 && answer.status !== 302) return new Page(url, answer);
      const target = new URL(answer.headers.location, url);
      if (target.origin !== new URL(url).origin) return new Page(url, answer, target);
      [method, url, body] = ["GET", target.href, undefined];
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects, the last one to ${url}`);
  }

  #headers(body) {
    const headers = {};
    if (this.#cookies.size > 0) headers.cookie = this.cookieHeader;
    if (body !== undefined)
      Object.assign(headers, {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": Buffer.byteLength(body),
      });
    return headers;
  }

  #keep(lines) {
    for (const line of lines) {
      const [pair, ...attributes] = line.split(/;\s*/);
      const [name, ...value] = pair.split("=");
      const gone = (text) =>
        /^max-age=0*$/i.test(text) || (/^expires=/i.test(text) && Date.parse(text.slice(8)) < Date.now());
      if (attributes.some(gone)) this.#cookies.delete(name);
      else this.#cookies.set(name, value.join("="));
    }
  }
}
