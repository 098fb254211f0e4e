// An application whose users Spring Security signs in, and an API below /api that verifies access tokens by RFC 9068.
package postern;

import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Application {
    public static void main(String[] arguments) {
        SpringApplication.run(Application.class, arguments);
    }

    @Bean
    JwtDecoder decoder(@Value("${issuer}") String issuer, @Value("${audience}") String audience) {
        // The type is for createAtJwtValidator to judge, which demands at+jwt, and one client.
        var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
        decoder.setJwtValidator(JwtValidators.createAtJwtValidator().issuer(issuer).audience(audience)
            .clientId("caller").build());
        return decoder;
    }

    @Bean
    @Order(1)
    SecurityFilterChain api(HttpSecurity http) throws Exception {
        return http.securityMatcher("/api/**")
            .authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("SCOPE_reports"))
            .oauth2ResourceServer(server -> server.jwt(jwt -> {})).build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain pages(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
        var signOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
        signOut.setPostLogoutRedirectUri("{baseUrl}/bye");
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/bye").permitAll().anyRequest().authenticated())
            .oauth2Login(login -> {})
            .csrf(csrf -> csrf.disable())  // so that a test can post to /logout
            .logout(logout -> logout.logoutSuccessHandler(signOut)).build();
    }

    @GetMapping("/")
    Map<String, Object> home(@AuthenticationPrincipal OidcUser user, @RegisteredOAuth2AuthorizedClient("postern") OAuth2AuthorizedClient client) {
        return Map.of("sub", user.getSubject(), "name", user.getFullName(), "email", user.getEmail(),
            "token", client.getAccessToken().getTokenValue());
    }

    @GetMapping("/bye")
    String bye() {
        return "bye";
    }

    @GetMapping("/api/me")
    Map<String, Object> me(@AuthenticationPrincipal Jwt token) {
        return token.getClaims();
    }
}
