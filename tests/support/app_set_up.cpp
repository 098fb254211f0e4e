// An authenticator app that has read its key from the page that shows it.
#include "support/app_set_up.h"

#include <doctest/doctest.h>

#include <set>

#include "factor/totp.h"
#include "support/html.h"

namespace postern::test {
namespace {

/// RFC 4648 §6, as an app reads what was typed into it.
std::string from_base32(const std::string& text) {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string bytes;
    unsigned waiting = 0, bits = 0;
    for (const char c : text) {
        REQUIRE(alphabet.find(c) != std::string::npos);
        waiting = (waiting << 5U | static_cast<unsigned>(alphabet.find(c))) & 0xFFFU;
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(waiting >> bits & 0xFFU);
    }
    return bytes;
}

std::string code_at(const std::string& key, std::int64_t step) {
    return factor::hotp(util::Secret(from_base32(key)), static_cast<std::uint64_t>(step));
}

}  // namespace

std::string value_of(const Answer& page, const std::string& field) {
    for (const Attributes& input : find_tags(page.body, "input"))
        if (const auto name = input.find("name"); name != input.end() && name->second == field)
            return input.at("value");
    return "";
}

std::vector<std::string> codes_in(const Answer& page) {
    std::vector<std::string> texts;
    for (std::size_t at = page.body.find("<code"); at != std::string::npos; at = page.body.find("<code", at + 1)) {
        const std::size_t begin = page.body.find('>', at) + 1;
        std::string text = page.body.substr(begin, page.body.find("</code>", begin) - begin);
        std::erase(text, ' ');
        texts.push_back(text);
    }
    return texts;
}

SetUp::SetUp(Answer shown) : page(std::move(shown)) {
    REQUIRE(page.status == 200);
    const auto texts = codes_in(page);
    REQUIRE(texts.size() == 1);
    key = texts[0];
}

std::string SetUp::bytes() const { return from_base32(key); }

std::string SetUp::code(const Deployment& op, int steps) const { return code_at(key, op.now() / 30 + steps); }

std::string SetUp::fresh_code(Deployment& op) const {
    op.advance(std::chrono::seconds(30));
    return code(op);
}

std::string SetUp::wrong_code(const Deployment& op) const {
    std::set<std::string> right;
    for (const int steps : {-1, 0, 1}) right.insert(code(op, steps));
    for (const std::string code : {"000000", "111111", "222222"})
        if (!right.contains(code)) return code;
    return "333333";
}

Query SetUp::form(const std::string& code) const {
    Query fields{{"csrf", value_of(page, "csrf")}, {"app", value_of(page, "app")}, {"code", code}};
    if (const std::string resume = value_of(page, "resume"); !resume.empty()) return fields.with("resume", resume);
    return fields;
}

SetUp set_up_app(const Deployment& op, UserAgent& browser, std::vector<std::string>* codes) {
    SetUp app(browser.fetch(op.url("account") + "/app"));
    const Answer on = browser.send(op.url("account") + "/app", app.form(app.code(op)).text());
    REQUIRE_MESSAGE(on.status == 200, on.log);
    if (codes) *codes = codes_in(on);
    return app;
}

SetUp set_up_app_of_alice(const Deployment& op, std::vector<std::string>* codes) {
    UserAgent browser(op);
    browser.log_in(browser.open(op.url("account")));
    return set_up_app(op, browser, codes);
}

}  // namespace postern::test
