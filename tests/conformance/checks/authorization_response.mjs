// How an authorization response and a logout come back to the client, judged by its parameters and by the way they
// travelled.
import { findings } from "./finding.mjs";
import { checkErrorText, checkGuessing } from "./text.mjs";

const FORM = "application/x-www-form-urlencoded";
const SUCCESS_MEMBERS = ["code", "state", "iss", "session_state"];
const ERROR_MEMBERS = ["error", "error_description", "error_uri", "state", "session_state", "iss"];

const extras = (parameters, known) => [...new Set(parameters.keys())].filter((name) => !known.includes(name));
const isRepeated = (parameters) => new Set(parameters.keys()).size !== [...parameters].length;

/// A callback is { target, method, enctype, parameters }: where the browser was sent, how, and with what. `mode` is the
/// response mode that was asked for, "query" or "form_post".
export function checkDelivery({ target, method, enctype, parameters }, { mode, redirectUri }) {
  const address = new URL(target);
  const query = address.searchParams;
  if (mode === "query") address.search = "";
  address.hash = "";
  return findings(
    [address.href !== redirectUri, "FAILURE", `the browser was sent to ${address.href}, not to ${redirectUri}`],
    [new URL(target).hash !== "", "FAILURE", "there is a fragment"],
    [method !== (mode === "query" ? "GET" : "POST"), "FAILURE", `the answer came by ${method}`],
    [mode === "form_post" && enctype !== FORM, "FAILURE", `the form is sent as ${enctype}`],
    [
      mode === "form_post" && (query.has("code") || query.has("error")),
      "FAILURE",
      "the URL of a form_post answer holds code or error",
    ],
    [isRepeated(parameters), "FAILURE", "a parameter comes twice"],
  );
}

/// `state` exactly as it was sent; none when none was sent.
export function checkState(parameters, state) {
  return findings([
    (parameters.get("state") ?? undefined) !== state,
    "FAILURE",
    `state is ${parameters.get("state")}, not ${state}`,
  ]);
}

/// RFC 9207 §2.4: the issuer exactly. It must be there when discovery promises it.
export function checkIss(parameters, { issuer, authorization_response_iss_parameter_supported: promised }) {
  return findings(
    [parameters.has("iss") && parameters.get("iss") !== issuer, "FAILURE", "iss is not the issuer"],
    [!parameters.has("iss") && promised === true, "FAILURE", "iss is missing although discovery promises it"],
  );
}

export function checkSuccessResponse(parameters) {
  return [
    ...findings(
      [!parameters.get("code"), "FAILURE", `there is no code, and the error is ${parameters.get("error")}`],
      [parameters.has("error"), "FAILURE", "there is an error"],
      [
        extras(parameters, SUCCESS_MEMBERS).length > 0,
        "WARNING",
        `parameters nobody knows: ${extras(parameters, SUCCESS_MEMBERS)}`,
      ],
    ),
    ...(parameters.get("code") ? checkGuessing("the code", parameters.get("code")) : []),
  ];
}

export function checkErrorResponse(parameters, allowed) {
  return [
    ...checkErrorText(Object.fromEntries(parameters)),
    ...findings(
      [
        !allowed.includes(parameters.get("error")),
        "FAILURE",
        `the error is ${parameters.get("error")}, not one of ${allowed}`,
      ],
      [parameters.has("code"), "FAILURE", "there is a code beside the error"],
      [
        extras(parameters, ERROR_MEMBERS).length > 0,
        "WARNING",
        `parameters nobody knows: ${extras(parameters, ERROR_MEMBERS)}`,
      ],
    ),
  ];
}

/// OpenID Connect RP-Initiated Logout §3: the registered address, and state and nothing else.
export function checkLogoutRedirect(location, { redirectUri, state }) {
  const address = new URL(location);
  const { searchParams: parameters } = new URL(location);
  address.search = "";
  return [
    ...checkState(parameters, state),
    ...findings(
      [address.href !== redirectUri, "FAILURE", `the browser was sent to ${address.href}, not to ${redirectUri}`],
      [isRepeated(parameters), "FAILURE", "a parameter comes twice"],
      [
        extras(parameters, ["state"]).length > 0,
        "WARNING",
        `parameters nobody knows: ${extras(parameters, ["state"])}`,
      ],
    ),
  ];
}
