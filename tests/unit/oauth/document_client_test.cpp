// A client that a document describes, where its document is not read.
#include "oauth/document_client.h"

#include <doctest/doctest.h>

#include "oauth/client_auth.h"
#include "oauth/client_bar.h"
#include "oauth/introspection.h"
#include "store/clients.h"
#include "unit/oauth/issued_tokens.h"

using namespace postern;

namespace {

const std::string kUrl = "https://app.example/client.json";

}  // namespace

TEST_CASE("client document: with the option off such a client is as good as disabled, another is not [CIMD-1, A28]") {
    struct Row {
        const char* when;
        model::Origin origin;
        bool enabled;
        bool works;
    };
    const Row rows[] = {
        {"of a document", model::Origin::document, true, true},
        {"of a document, with the option off", model::Origin::document, false, false},
        {"registered by the operator", model::Origin::operator_, true, true},
        {"registered by the operator, with the option off", model::Origin::operator_, false, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        test::IssuedTokens f;
        model::Client client = f.spa;
        client.id = model::ClientId(kUrl);
        client.origin = row.origin;
        f.fixture.add(client);
        const auto grant = f.add_grant(client);
        const std::string access = f.add_access(grant);
        const std::string refresh = f.add_refresh(grant);
        f.fixture.settings.client_documents.enabled = row.enabled;

        CHECK(oauth::find_client_bar(f.context.settings, client).has_value() == !row.works);
        CHECK_FALSE(oauth::find_client_bar(f.context.settings, f.spa));
        const auto credentials = oauth::parse_credentials(test::post("client_id=" + kUrl));
        REQUIRE(credentials);
        const auto caller = oauth::authenticate_client(f.context, *credentials, {});
        CHECK(static_cast<bool>(caller) == row.works);
        if (!caller) {
            CHECK(caller.error().code == oauth::ErrorCode::invalid_client);
            CHECK(caller.error().log_detail == "a document describes the client, and clientDocuments is off");
        }
        for (const std::string& token : {access, refresh}) {
            const auto told = oauth::introspect(f.context, {token, oauth::TokenTypeHint::none});
            CHECK(*told.find("active")->if_bool() == row.works);
        }
    }
}

TEST_CASE("as_seen: no more than the page shows, and what the operator has decided [CIMD-10, CIMD-11]") {
    model::AuthorizationRequest request;
    request.client_id = model::ClientId(kUrl);
    request.redirect_uri = "https://app.example/cb";
    request.scope = *model::Scope::parse("openid");
    request.document = model::SeenDocument{"digest", "Notes"};

    const model::Client unknown = oauth::as_seen(request, std::nullopt);
    CHECK(unknown.name == "Notes");
    CHECK(unknown.origin == model::Origin::document);
    CHECK(unknown.pkce == model::Pkce::required);
    CHECK(unknown.redirect_uris == std::vector<std::string>{"https://app.example/cb"});
    CHECK_FALSE(unknown.restricted);

    model::Client stored;
    stored.id = request.client_id;
    stored.name = "Earlier name";
    stored.redirect_uris = {"https://app.example/old"};
    stored.restricted = true;
    stored.resources = {"https://api.example/"};
    const model::Client seen = oauth::as_seen(request, stored);
    CHECK(seen.name == "Notes");
    CHECK(seen.redirect_uris == std::vector<std::string>{"https://app.example/cb"});
    CHECK(seen.restricted);
    CHECK(seen.resources == stored.resources);
}
