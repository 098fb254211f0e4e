// A provider as its operator would set it up for certification: TLS, POST at the authorization endpoint, PKCE left to
// the client, three clients, and a user with a value for every claim.
import { randomBytes } from "node:crypto";
import { Deployment } from "../support/deployment.mjs";

const SUITE = "https://localhost.emobix.co.uk:8443/test/a/postern"; // never fetched
export const REDIRECT_URI = `${SUITE}/callback`;
export const POST_LOGOUT_REDIRECT_URI = `${SUITE}/post_logout_redirect`;

export const USER = {
  username: "certification",
  password: "a password for the suite alone",
  claims: {
    name: "Zoë Tester",
    given_name: "Zoë",
    family_name: "Tester",
    middle_name: "Ada",
    nickname: "Zo",
    preferred_username: "zoe",
    profile: "https://example.org/zoe",
    picture: "https://example.org/zoe.png",
    website: "https://zoe.example.org/",
    gender: "female",
    birthdate: "1999-12-31",
    zoneinfo: "Europe/Berlin",
    locale: "de-DE",
    email: "zoe@example.org",
    email_verified: true,
    phone_number: "+49 30 5550100",
    phone_number_verified: false,
    address: {
      formatted: "Am Tor 1\n10115 Berlin",
      street_address: "Am Tor 1",
      locality: "Berlin",
      region: "Berlin",
      postal_code: "10115",
      country: "DE",
    },
  },
};

// Characters that Basic credentials have to encode (RFC 6749 §2.3.1).
const newSecret = () => `${randomBytes(24).toString("base64url")}+%2B/=&:;`;
const REGISTRATION = [
  ...["--redirect-uri", REDIRECT_URI, "--post-logout-redirect-uri", POST_LOGOUT_REDIRECT_URI, "--secret-stdin"],
  ...["--pkce", "optional", "--scope", "openid profile email address phone", "--no-id-token-claims"],
];
/// The suite's configuration has `client`, `client2` and `client_secret_post`.
const CLIENTS = {
  client: "client_secret_basic",
  client2: "client_secret_basic",
  client_secret_post: "client_secret_post",
};

/// { deployment, clients }; clients by the suite's names, each { id, secret, method }.
/// Its clock is moved where a module lets time pass.
export async function openProvider(options = {}) {
  const deployment = await Deployment.start({
    config: { authorizeMethods: ["GET", "POST"], maxAgeLeeway: 5 },
    clock: true,
    ...options,
  });
  try {
    await deployment.addUser(USER.username, USER.password, USER.claims);
    const clients = {};
    for (const [name, method] of Object.entries(CLIENTS)) {
      const client = { id: `suite+${name}`, secret: newSecret(), method };
      await deployment.postern(
        ["client", "add", client.id, "--auth-method", method, ...REGISTRATION],
        `${client.secret}\n`,
      );
      clients[name] = client;
    }
    return { deployment, clients };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}
