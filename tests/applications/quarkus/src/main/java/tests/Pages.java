package tests;

import io.quarkus.oidc.AccessTokenCredential;
import io.quarkus.oidc.IdToken;
import io.quarkus.oidc.UserInfo;
import io.quarkus.security.Authenticated;
import io.quarkus.security.identity.SecurityIdentity;
import jakarta.annotation.security.PermitAll;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.jwt.JsonWebToken;

/** A page for users who have signed in, and one for all. */
@Path("/")
public class Pages {
    @Inject @IdToken JsonWebToken idToken;
    @Inject AccessTokenCredential accessToken;
    @Inject UserInfo userInfo;
    @Inject SecurityIdentity identity;

    /** What it knows of the user, one thing a line. */
    @GET
    @Authenticated
    @Produces(MediaType.TEXT_PLAIN)
    public String home() {
        String name = idToken.getClaim("name");
        return String.join("\n", idToken.getSubject(), identity.getPrincipal().getName(), String.valueOf((Object) name),
            userInfo.getString("name"), accessToken.getToken());
    }

    @GET
    @Path("bye")
    @PermitAll
    @Produces(MediaType.TEXT_PLAIN)
    public String bye() {
        return "bye";
    }
}
