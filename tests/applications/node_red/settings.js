// Node-RED as its documentation says, with the strategy of Passport for OpenID Connect.
const { join } = require("node:path");

const { ISSUER: issuer, ORIGIN, CLIENT_ID, CLIENT_SECRET, DIRECTORY, SKIP_USER_PROFILE } = process.env;
const { hostname, port } = new URL(ORIGIN);

module.exports = {
    uiHost: hostname,
    uiPort: Number(port),
    userDir: DIRECTORY,
    flowFile: join(DIRECTORY, "flows.json"),
    credentialSecret: CLIENT_SECRET,
    telemetry: { enabled: false },
    adminAuth: {
        type: "strategy",
        strategy: {
            name: "openidconnect",
            label: "Sign in with Postern",
            strategy: require("passport-openidconnect").Strategy,
            options: {
                issuer,
                authorizationURL: `${issuer}/authorize`,
                tokenURL: `${issuer}/token`,
                userInfoURL: `${issuer}/userinfo`,
                clientID: CLIENT_ID,
                clientSecret: CLIENT_SECRET,
                callbackURL: `${ORIGIN}/auth/strategy/callback`,
                scope: ["profile", "email"],
                ...(SKIP_USER_PROFILE === "no" && { skipUserProfile: false }),
            },
        },
        users: [{ username: "mara", permissions: ["*"] }],
    },
};
