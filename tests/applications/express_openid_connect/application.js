// A web application of Express that signs people in with express-openid-connect, as its documentation says.
const { randomUUID } = require("node:crypto");
const { auth, requiresAuth } = require("express-openid-connect");
const express = require("express");

const { ISSUER, CLIENT_ID, CLIENT_SECRET, DEFAULT_RESPONSE_TYPE } = process.env;

const app = express();
const server = app.listen(0, "127.0.0.1", () => {
    const baseURL = `http://127.0.0.1:${server.address().port}`;
    app.use(
        auth({
            ...{ baseURL, issuerBaseURL: ISSUER, clientID: CLIENT_ID, clientSecret: CLIENT_SECRET },
            secret: randomUUID(), // of its cookie
            authRequired: false,
            idpLogout: true,
            ...(DEFAULT_RESPONSE_TYPE
                ? {}
                : { authorizationParams: { response_type: "code", scope: "openid profile email offline_access" } }),
        }),
    );
    app.get("/", requiresAuth(), (request, response) => {
        const { user, accessToken } = request.oidc;
        response.json({ user, accessToken: accessToken?.access_token });
    });
    app.get("/userinfo", requiresAuth(), async (request, response) =>
        response.json(await request.oidc.fetchUserInfo()),
    );
    app.get("/refresh", requiresAuth(), async (request, response) => {
        const { access_token } = await request.oidc.accessToken.refresh();
        response.json({ accessToken: access_token });
    });
    app.use((error, request, response, next) =>
        response.status(error.status ?? 500).json({ error: error.error, message: error.message }),
    );
    console.log(server.address().port);
});
