// Which page of the server's own a person sees: what the suite has confirmed by a screenshot.
import { findings } from "./finding.mjs";

const BUTTONS = { login: "login", approve: "consent", continue: "form_post", logout: "logout confirmation" };

/// "login", "consent", "form_post", "logout confirmation", "error", "logged out"; "other" is a page nobody made for
/// this.
export function kindOf({ form, body, title }) {
  const button = Object.keys(form?.buttons ?? {}).find((id) => id in BUTTONS);
  if (button) return BUTTONS[button];
  if (/id="request-id"/.test(body)) return "error";
  return /signed out/i.test(title) ? "logged out" : "other";
}

const STATUS = { error: 400 };

/// One of the wanted kinds, as HTML, with the status that goes with it, and nowhere a redirect.
export function checkPage(page, kinds) {
  const kind = kindOf(page);
  return findings(
    [page.location !== undefined, "FAILURE", `the browser was sent to ${page.location}`],
    [!/^text\/html(;|$)/.test(page.headers["content-type"] ?? ""), "FAILURE", "the answer is not an HTML page"],
    [!kinds.includes(kind), "FAILURE", `the page is ${kind} ("${page.title}"), not ${kinds.join(" or ")}`],
    [page.status !== (STATUS[kind] ?? 200), "FAILURE", `the page has status ${page.status}`],
  );
}
