// NextAuth 4 as its documentation says: a provider of one's own, and a callback that refreshes.
import NextAuth from "next-auth";

const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, USERINFO, WITHOUT_ID_TOKEN } = process.env;

async function refreshed(token) {
    const { token_endpoint } = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    const response = await fetch(token_endpoint, {
        method: "POST",
        body: new URLSearchParams({
            grant_type: "refresh_token",
            refresh_token: token.refresh_token,
            client_id: clientId,
            client_secret: clientSecret,
        }),
    });
    const answer = await response.json();
    if (!response.ok) return { ...token, error: answer.error };
    const { access_token, refresh_token, expires_in } = answer;
    return { ...token, access_token, refresh_token, expires_at: Math.floor(Date.now() / 1000) + expires_in };
}

export default NextAuth({
    logger: { error() {}, warn() {} }, // it writes refused sign-ins to standard error
    providers: [
        {
            ...{ id: "postern", name: "Postern", type: "oauth", clientId, clientSecret },
            wellKnown: `${issuer}/.well-known/openid-configuration`,
            authorization: { params: { scope: "openid profile email offline_access" } },
            checks: ["pkce", "state", "nonce"],
            idToken: WITHOUT_ID_TOKEN !== "yes",
            ...(USERINFO === "yes" && {
                userinfo: { request: ({ client, tokens }) => client.userinfo(tokens.access_token) },
            }),
            profile: ({ sub, name, email }) => ({ id: sub, name, email }),
        },
    ],
    callbacks: {
        jwt({ token, account }) {
            if (account) {
                const { access_token, refresh_token, expires_at, providerAccountId } = account;
                return { ...token, access_token, refresh_token, expires_at, account: providerAccountId };
            }
            return Date.now() < token.expires_at * 1000 ? token : refreshed(token);
        },
        session: ({ session, token }) => ({
            ...session,
            sub: token.account,
            access_token: token.access_token, // for the test to see
            error: token.error,
        }),
    },
});
