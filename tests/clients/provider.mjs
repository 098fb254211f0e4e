// What every client here is pointed at: a Postern behind lighttpd with TLS, a person, and clients with secrets of their
// own choice.
import { Deployment } from "../support/deployment.mjs";
import { request } from "../support/user_agent.mjs";
import { PERSON } from "../interop/relying_party.mjs";

export { PERSON, walk } from "../interop/relying_party.mjs";

/// Secrets that mean one thing raw and another one form-encoded. The first is well-formed when it is taken for
/// form-encoded (and is not the same then), the second is not.
export const AWKWARD_SECRETS = [
  "a:b+c%2Fd/e f&g=h?i#j\"k'l\\m;n,o.p~q$r",
  "%zz 100% :+%/ of what RFC 6749 A.2 allows {}[]",
];

/// Of an application that needs to know its secret before it is registered.
export const SECRET = "of-this-application-and-of-no-other-0123456789";

/// { deployment, sub, ... } with a person, whose subject is `sub`. `options` are those of Deployment.start().
export async function openProvider(config = {}, options = {}) {
  const deployment = await Deployment.start({
    config: { scopeDescriptions: { reports: "Read reports" }, ...config },
    ...options,
  });
  try {
    const { sub } = await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    return { deployment, sub };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

/// What the access token opens.
export const userinfo = ({ issuer, ca }, token) =>
  request(`${issuer}/userinfo`, { ca, headers: { authorization: `Bearer ${token}` } });

/// A confidential client whose operator chose the secret.
export async function addClientWithSecret(deployment, id, secret, redirectUri, ...options) {
  return deployment.postern(
    ["client", "add", id, "--redirect-uri", redirectUri, "--secret-stdin", ...options],
    `${secret}\n`,
  );
}
