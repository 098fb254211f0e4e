// A browser in front of the page handlers without a server: pages are recorded and not rendered, cookies are kept.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "oauth/access_token.h"
#include "refusal/reason.h"
#include "store/grants.h"
#include "support/rules_fixture.h"
#include "unit/pages/recorded_pages.h"
#include "unit/text/said.h"
#include "util/percent.h"
#include "web/interaction.h"

namespace postern::test {

/// Returns "name=value&..." of the pairs, percent-encoded.
inline std::string form_of(const std::map<std::string, std::string>& fields) {
    std::string text;
    for (const auto& [name, value] : fields)
        text += (text.empty() ? "" : "&") + util::percent_encode(name) + "=" + util::percent_encode(value);
    return text;
}

class PageFlow {
public:
    using Handler = std::function<http::Response(web::Interaction&)>;

    http::Response visit(const Handler& handler, const std::map<std::string, std::string>& query) {
        return send(handler, get(form_of(query)));
    }
    http::Response submit(const Handler& handler, const std::map<std::string, std::string>& form) {
        return send(handler, post(form_of(form)));
    }
    /// Calls the handler of the address in a Location header, with the value of its `resume`.
    http::Response follow(const Handler& handler, const http::Response& answer) {
        return visit(handler, {{"resume", location_parameter(answer, "resume")}});
    }

    /// Gives this browser a session of `user`, whose cookie has this value.
    void sign_in(const model::User& user, const std::string& cookie) {
        fixture.add_session(user, cookie);
        cookies[login::cookie_names(fixture.settings).session] = cookie;
    }

    /// Redeems the code as the application does at the token endpoint.
    void redeem(const std::string& code) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        REQUIRE(store::redeem_code(transaction, oauth::hash_of(code), fixture.clock.now()));
        transaction.commit();
    }

    /// The cookies of this browser; cleared ones are gone.
    std::map<std::string, std::string> cookies;
    /// The variables that the web server sets with every request.
    std::map<std::string, std::string, std::less<>> server_variables = {};
    std::string user_agent = {};
    std::string address = "192.0.2.1";
    RulesFixture fixture;
    RecordedBook book;
    const RecordedPages& pages = book.pages;
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "secret");

    /// Returns the parameters of an authorization request that is right.
    std::map<std::string, std::string> request() const {
        return {{"client_id", "app"},
                {"redirect_uri", "https://app.example/cb"},
                {"response_type", "code"},
                {"scope", "openid"},
                {"state", "s1"},
                {"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
                {"code_challenge_method", "S256"}};
    }
    /// Returns the request with another value.
    std::map<std::string, std::string> with(const std::string& name, const std::string& value) const {
        auto changed = request();
        changed[name] = value;
        return changed;
    }

private:
    http::Response send(const Handler& handler, http::Request sent) {
        for (const auto& [name, value] : cookies) sent.cookie += (sent.cookie.empty() ? "" : "; ") + name + "=" + value;
        sent.server_variables = server_variables;
        sent.server_variables[login::kUserAgentVariable] = user_agent;
        sent.remote_address = address;
        oauth::Context context = fixture.context();
        web::Interaction interaction(context, book, sent);
        http::Response answer = handler(interaction);
        for (const auto& [name, value] : answer.headers)
            if (name == "Set-Cookie") keep(value);
        return answer;
    }
    void keep(const std::string& line) {
        const auto equals = line.find('=');
        const std::string name = line.substr(0, equals);
        if (line.find("Max-Age=0") != std::string::npos)
            cookies.erase(name);
        else
            cookies[name] = line.substr(equals + 1, line.find(';') - equals - 1);
    }
};

/// Returns the word of a refusal; "" when the answer is not a refusal.
inline std::string refusal_of(const http::Response& answer) {
    return answer.refusal ? std::string(refusal::error_word(answer.refusal->reason)) : "";
}

/// Returns the address that the browser is sent to, without the query.
inline std::string place_of(const http::Response& answer) {
    const std::string* location = answer.find("Location");
    return location ? location->substr(0, location->find('?')) : "";
}

}  // namespace postern::test
