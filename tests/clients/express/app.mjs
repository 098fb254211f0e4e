// A web application of Express and Passport that signs people in with passport-openidconnect, as its README says.
import { randomUUID } from "node:crypto";
import express from "express";
import session from "express-session";
import passport from "passport";
import OpenIDConnectStrategy from "passport-openidconnect";

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
// it has no discovery of its own
const metadata = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json();

const app = express();
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
const home = () => `http://127.0.0.1:${server.address().port}`;

const strategy = new OpenIDConnectStrategy(
  {
    issuer: metadata.issuer,
    authorizationURL: metadata.authorization_endpoint,
    tokenURL: metadata.token_endpoint,
    userInfoURL: metadata.userinfo_endpoint,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    callbackURL: "/oauth2/redirect",
    scope: ["profile", "email"],
    nonce: true,
    maxAge: 3600,
    skipUserProfile: false,
  },
  (issuer, profile, context, idToken, accessToken, refreshToken, parameters, done) =>
    done(null, { issuer, profile, context, idToken, accessToken, refreshToken, scope: parameters.scope }),
);
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

app.use(session({ secret: randomUUID(), resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get("/login", passport.authenticate("openidconnect"));
app.get("/oauth2/redirect", passport.authenticate("openidconnect"), (request, response) => response.redirect("/"));
app.get("/", (request, response) => (request.user ? response.json(request.user) : response.status(401).end()));

// Passport leaves refreshing to the application, which has the strategy's OAuth client for it (as
// passport-oauth2-refresh does).
app.get("/refresh", (request, response, next) => {
  strategy._oauth2.getOAuthAccessToken(
    request.user.refreshToken,
    { grant_type: "refresh_token" },
    (error, accessToken, refreshToken) => {
      if (error) return next(JSON.parse(error.data));
      Object.assign(request.user, {
        accessToken,
        refreshToken: request.query.keep === "no" ? request.user.refreshToken : refreshToken,
      });
      Object.assign(request.session.passport.user, request.user);
      response.json({ accessToken, refreshToken });
    },
  );
});

app.get("/logout", (request, response, next) => {
  const parameters = new URLSearchParams({
    id_token_hint: request.user.idToken,
    post_logout_redirect_uri: `${home()}/`,
  });
  request.logout((error) =>
    error ? next(error) : response.redirect(`${metadata.end_session_endpoint}?${parameters}`),
  );
});

app.use((error, request, response, next) =>
  response.status(500).json({ error: error.code ?? error.error, message: error.message ?? error.error_description }),
);
