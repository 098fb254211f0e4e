// Which clients may be used now, and that each endpoint of OAuth asks for that; those of OpenID Connect have own tests.
#include "oauth/client_bar.h"

#include <doctest/doctest.h>

#include "oauth/client_auth.h"
#include "oauth/cors.h"
#include "oauth/device_approval.h"
#include "oauth/introspection.h"
#include "oauth/redirect_uri.h"
#include "oauth/user_code.h"
#include "store/clients.h"
#include "store/device_codes.h"
#include "unit/oauth/issued_tokens.h"

using namespace postern;
using oauth::ClientBar;
using oauth::RegistrationMode;
using refusal::Reason;

namespace {

constexpr const char* kCallback = "https://spa.example/cb";

/// The source of a client.
enum class Source { operator_, document, token, stranger };

/// A public client with an address, its tokens and the code of a device.
struct Fixture : test::IssuedTokens {
    model::Client client = spa;
    std::string access, refresh;

    explicit Fixture(Source source) {
        client.id = model::ClientId(source == Source::document ? "https://spa.example/c" : "registered");
        client.redirect_uris = {kCallback};
        client.grants.insert(model::GrantType::device_code);
        client.origin = source == Source::operator_  ? model::Origin::operator_
                        : source == Source::document ? model::Origin::document
                                                     : model::Origin::dynamic;
        if (source == Source::token) client.registered_by = "digest of a token";
        fixture.add(client);
        const auto grant = add_grant(client);
        access = add_access(grant);
        refresh = add_refresh(grant);
        write([&](db::Transaction& transaction) {
            model::DeviceCode code;
            code.device_hash = model::ValueHash("device");
            code.user_code_hash = oauth::user_code_hash("WDJBMJHT");
            code.client_id = client.id;
            code.expires_at = fixture.clock.now() + util::Seconds{600};
            REQUIRE(store::insert_device_code(transaction, code));
        });
    }
    void disable() {
        client.enabled = false;
        write([&](db::Transaction& transaction) { REQUIRE(store::update_client(transaction, client)); });
    }

    bool authenticates() {
        const auto credentials = oauth::parse_credentials(test::post("client_id=" + client.id.str()));
        REQUIRE(credentials);
        const auto caller = oauth::authenticate_client(context, *credentials, {});
        if (!caller) CHECK(caller.error().code == oauth::ErrorCode::invalid_client);
        if (!caller) CHECK(caller.error().description == "client authentication failed");
        if (!caller) CHECK(caller.error().log_detail == oauth::row_of(*bar()).detail);
        if (!caller) CHECK(caller.error().reason == oauth::row_of(*bar()).to_client);
        return static_cast<bool>(caller);
    }
    bool is_active(const std::string& token) {
        return *oauth::introspect(context, {token, oauth::TokenTypeHint::none}).find("active")->if_bool();
    }
    /// A document is read for a new request, so that one which has travelled stands for both.
    bool is_signed_in_to() {
        model::AuthorizationRequest request;
        request.client_id = client.id;
        request.redirect_uri = kCallback;
        if (client.origin == model::Origin::document) request.document = model::SeenDocument{"digest", client.name};
        const auto verified = oauth::verify_redirect(context, request);
        if (!verified) CHECK(refusal::row_of(verified.error().reason).error == error_on_page());
        if (client.origin != model::Origin::document) {
            const auto begun = oauth::verify_redirect(context, test::params("client_id=" + client.id.str()));
            CHECK(static_cast<bool>(begun) == static_cast<bool>(verified));
        }
        return static_cast<bool>(verified);
    }
    Reason error_on_page() const { return refusal::row_of(oauth::row_of(*bar()).to_user).error; }
    bool has_pages() { return oauth::is_client_page(context, "https://spa.example", client.id); }
    bool may_ask_for_device() { return oauth::find_asking_device(context, "WDJBMJHT").has_value(); }
    std::optional<ClientBar> bar() const { return oauth::find_client_bar(context.settings, client); }
};

struct Row {
    const char* when;
    Source source;
    bool documents;
    RegistrationMode mode;
    std::optional<ClientBar> bar;
};

constexpr Row kRows[] = {
    {"of the operator, all off", Source::operator_, false, RegistrationMode::closed, {}},
    {"of the operator, all on", Source::operator_, true, RegistrationMode::open, {}},
    {"of a document", Source::document, true, RegistrationMode::closed, {}},
    {"of a document, documents off", Source::document, false, RegistrationMode::open, ClientBar::documents_off},
    {"with a token, closed", Source::token, false, RegistrationMode::closed, {}},
    {"with a token, token", Source::token, false, RegistrationMode::token, {}},
    {"with a token, open", Source::token, false, RegistrationMode::open, {}},
    {"without a token, closed", Source::stranger, true, RegistrationMode::closed, ClientBar::registration_not_open},
    {"without a token, token", Source::stranger, true, RegistrationMode::token, ClientBar::registration_not_open},
    {"without a token, open", Source::stranger, false, RegistrationMode::open, {}},
};

}  // namespace

TEST_CASE(
    "client bar: the same clients are as good as disabled at each endpoint, and others nowhere "
    "[REG-33, CIMD-1, A28, A33]") {
    for (const Row& row : kRows) {
        for (const bool is_disabled : {false, true}) {
            CAPTURE(row.when);
            CAPTURE(is_disabled);
            Fixture f(row.source);
            if (is_disabled) f.disable();
            f.fixture.settings.client_documents.enabled = row.documents;
            f.fixture.settings.registration.mode = row.mode;
            const auto bar = is_disabled ? std::optional(ClientBar::disabled) : row.bar;
            CHECK((f.bar() == bar));
            CHECK(f.authenticates() == !bar);
            CHECK(f.is_active(f.access) == !bar);
            CHECK(f.is_active(f.refresh) == !bar);
            CHECK(f.is_signed_in_to() == !bar);
            CHECK(f.has_pages() == !bar);
            CHECK(f.may_ask_for_device() == !bar);
        }
    }
}

TEST_CASE("client bar: what a client has counts again when the reason has gone [REG-33]") {
    Fixture f(Source::stranger);
    f.fixture.settings.registration.mode = RegistrationMode::token;
    CHECK_FALSE(f.is_active(f.access));
    f.fixture.settings.registration.mode = RegistrationMode::open;
    CHECK(f.is_active(f.access));
    CHECK(f.is_active(f.refresh));
}

TEST_CASE("client bar: each has words of its own") {
    for (const ClientBar bar : {ClientBar::disabled, ClientBar::documents_off, ClientBar::registration_not_open}) {
        const oauth::ClientBarRow& row = oauth::row_of(bar);
        CHECK(row.bar == bar);
        CHECK(refusal::row_of(row.to_client).error == Reason::invalid_client);
        CHECK(std::string(row.detail).find('\n') == std::string::npos);
    }
}
