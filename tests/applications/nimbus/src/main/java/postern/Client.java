// A confidential client as Nimbus's OAuth 2.0 SDK has it: it pushes its requests, verifies signed answers and ID tokens, and its tokens
// are bound: with KEY, a JWK, to a new key (DPoP), with STORE, a PKCS #12 file, to the certificate in it (mutual TLS).
package postern;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWT;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.AuthorizationRequest;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.PushedAuthorizationRequest;
import com.nimbusds.oauth2.sdk.PushedAuthorizationResponse;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseMode;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.JWTAuthenticationClaimsSet;
import com.nimbusds.oauth2.sdk.auth.PKITLSClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.dpop.DPoPProofFactory;
import com.nimbusds.oauth2.sdk.dpop.DefaultDPoPProofFactory;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.Audience;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.jarm.JARMValidator;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import com.nimbusds.oauth2.sdk.token.BearerAccessToken;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.op.ReadOnlyOIDCProviderEndpointMetadata;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

public class Client {
    private static final JWSAlgorithm ANSWERS = JWSAlgorithm.RS256;

    private final Issuer issuer = new Issuer(System.getenv("ISSUER"));
    private final ClientID client = new ClientID(System.getenv("CLIENT_ID"));
    private final URI redirect = URI.create(System.getenv("REDIRECT_URI"));
    private final OIDCProviderMetadata provider = OIDCProviderMetadata.resolve(issuer);
    private final ReadOnlyOIDCProviderEndpointMetadata endpoints;
    private ECKey key;
    private SSLSocketFactory sockets;
    private DPoPProofFactory proofs;

    private State state;
    private Nonce nonce;
    private CodeVerifier verifier;
    private AccessToken token;
    private RefreshToken refreshToken;

    Client() throws Exception {
        if (System.getenv("STORE") != null) {
            sockets = sockets(System.getenv("STORE"));
            endpoints = provider.getReadOnlyMtlsEndpointAliases();
        } else {
            key = ECKey.parse(Files.readString(Path.of(System.getenv("KEY"))));
            endpoints = provider;
            newProofs();
        }
    }

    private static SSLSocketFactory sockets(String file) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(new FileInputStream(file), "changeit".toCharArray());
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "changeit".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context.getSocketFactory();
    }

    private ClientAuthentication authentication() throws Exception {
        if (sockets != null) return new PKITLSClientAuthentication(client, sockets);
        var claims = new JWTAuthenticationClaimsSet(client, new Audience(issuer));
        return new PrivateKeyJWT(claims, JWSAlgorithm.ES256, key.toPrivateKey(), key.getKeyID(), null);
    }

    private void newProofs() throws Exception {
        proofs = new DefaultDPoPProofFactory(new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
    }

    /** The address for the browser. */
    private Object push() throws Exception {
        state = new State();
        nonce = new Nonce();
        verifier = new CodeVerifier();
        var asked = new AuthenticationRequest.Builder(ResponseType.CODE, new Scope("openid", "profile"), client, redirect)
            .state(state).nonce(nonce).codeChallenge(verifier, CodeChallengeMethod.S256).responseMode(ResponseMode.JWT).build();
        var request = new PushedAuthorizationRequest(endpoints.getPushedAuthorizationRequestEndpointURI(), authentication(), asked).toHTTPRequest();
        if (proofs != null) request.setDPoP(proofs.createDPoPJWT("POST", request.getURI()));
        var response = PushedAuthorizationResponse.parse(request.send());
        if (!response.indicatesSuccess()) return error(response.toErrorResponse().getErrorObject());
        var pushed = response.toSuccessResponse().getRequestURI();
        return new AuthorizationRequest.Builder(pushed, client).endpointURI(provider.getAuthorizationEndpointURI()).build().toURI().toString();
    }

    /** What the token and UserInfo say of who has come back. */
    private Object answer(URI location) throws Exception {
        var jarm = new JARMValidator(issuer, client, ANSWERS, provider.getJWKSetURI().toURL());
        AuthenticationResponse answer = AuthenticationResponseParser.parse(location, jarm);
        if (!answer.indicatesSuccess()) return error(answer.toErrorResponse().getErrorObject());
        if (!state.equals(answer.getState())) return Map.of("error", "wrong state");
        var code = answer.toSuccessResponse().getAuthorizationCode();
        return redeem(new AuthorizationCodeGrant(code, redirect, verifier), nonce);
    }

    private Object refresh() throws Exception {
        return redeem(new RefreshTokenGrant(refreshToken), null);
    }

    private Object redeem(AuthorizationGrant grant, Nonce expected) throws Exception {
        var request = new TokenRequest.Builder(endpoints.getTokenEndpointURI(), authentication(), grant).build().toHTTPRequest();
        if (proofs != null) request.setDPoP(proofs.createDPoPJWT("POST", request.getURI()));
        var response = OIDCTokenResponseParser.parse(request.send());
        if (!response.indicatesSuccess()) return error(response.toErrorResponse().getErrorObject());
        var tokens = ((OIDCTokenResponse) response.toSuccessResponse()).getOIDCTokens();
        JWT idToken = tokens.getIDToken();
        new IDTokenValidator(issuer, client, ANSWERS, provider.getJWKSetURI().toURL()).validate(idToken, expected);
        token = tokens.getAccessToken();
        refreshToken = tokens.getRefreshToken();
        return Map.of("token_type", token.getType().getValue(), "token", token.getValue(), "user", userInfo(token, sockets));
    }

    private Map<String, Object> userInfo(AccessToken token, SSLSocketFactory sockets) throws Exception {
        HTTPRequest request = new UserInfoRequest(endpoints.getUserInfoEndpointURI(), token).toHTTPRequest();
        if (sockets != null) request.setSSLSocketFactory(sockets);
        if (!(token instanceof BearerAccessToken)) request.setDPoP(proofs.createDPoPJWT("GET", request.getURI(), token));
        var response = UserInfoResponse.parse(request.send());
        if (!response.indicatesSuccess()) return error(response.toErrorResponse().getErrorObject());
        return response.toSuccessResponse().getUserInfo().toJSONObject();
    }

    /** Without the key or the certificate. */
    private Object stolen() throws Exception {
        return userInfo(new BearerAccessToken(token.getValue()), null);
    }

    /** With another key. */
    private Object another() throws Exception {
        newProofs();
        return userInfo(token, null);
    }

    private static Map<String, Object> error(ErrorObject error) {
        return Map.of("error", error == null || error.getCode() == null ? "none" : error.getCode());
    }

    /** Each line is what to do, and is answered with a line of JSON. */
    public static void main(String[] arguments) throws Exception {
        var client = new Client();
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            var words = line.split(" ");
            Object said;
            try {
                said = switch (words[0]) {
                    case "push" -> client.push();
                    case "answer" -> client.answer(URI.create(words[1]));
                    case "refresh" -> client.refresh();
                    case "stolen" -> client.stolen();
                    default -> client.another();
                };
            } catch (Exception caught) {
                said = Map.of("error", caught.toString());
            }
            System.out.println(JSONObjectUtils.toJSONString(Map.of("said", said)));
        }
    }
}
