// The spellings of a certificate in a CGI variable (MTLS-2, MTLS-3).
#include "oauth/certificate_text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "oauth/client_certificate.h"
#include "support/certificates.h"
#include "util/percent.h"

namespace {

using namespace postern;
using test::certificates::kRobot;

std::string with(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// nginx encodes what RFC 3986 §2.3 does not name.
std::string escaped(const std::string& pem) { return util::percent_encode(pem); }

TEST_CASE("read_certificate_text: the spellings of three web servers, and what is none [MTLS-2]") {
    const std::string pem = kRobot;
    const auto der = oauth::read_certificate_text(pem);
    REQUIRE(der);
    REQUIRE(pem.find('+') != pem.npos);  // else no row would tell a plus sign from a blank
    const std::string two = pem + pem;
    const std::string body = pem.substr(pem.find('\n'));
    const struct {
        const char* when;
        std::string text;
        bool is_read;
    } rows[] = {
        {"Apache", pem, true},
        {"without the last line end", pem.substr(0, pem.size() - 1), true},
        {"lines that end as in mail", with(pem, "\n", "\r\n"), true},
        {"nginx, $ssl_client_cert", with(pem, "\n", "\n\t"), true},
        {"tabs alone", with(pem, "\n", "\t"), true},
        {"blanks, also in the labels", with(pem, "\n", " "), true},
        {"nginx, $ssl_client_escaped_cert", escaped(pem), true},
        {"encoded, small letters", with(with(escaped(pem), "%0A", "%0a"), "%2B", "%2b"), true},
        {"encoded, but for the plus signs", with(escaped(pem), "%2B", "+"), true},
        {"encoded twice", escaped(escaped(pem)), false},
        {"plus signs for blanks", with(escaped(pem), "%20", "+"), false},
        {"empty", "", false},
        {"labels alone", "-----BEGIN CERTIFICATE----------END CERTIFICATE-----", false},
        {"half a label", "-----BEGIN CERTIFICATE-----END CERTIFICATE-----", false},
        {"without its label", body, false},
        {"a chain", two, false},
        {"text before it", "x" + pem, false},
        {"text behind it", pem + "x", false},
        {"a key", with(pem, "CERTIFICATE", "PRIVATE KEY"), false},
        {"another label", with(pem, "CERTIFICATE", "TRUSTED CERTIFICATE"), false},
        {"a broken escape", escaped(pem) + "%4", false},
        {"a NUL", pem + std::string(1, '\0'), false},
        {"cut", pem.substr(0, pem.size() / 2), false},
        {"no base64", with(pem, "A", "*"), false},
        {"as long as may be", pem + std::string(oauth::kMaxCertificateText - pem.size(), '\n'), true},
        {"too long", pem + std::string(oauth::kMaxCertificateText - pem.size() + 1, '\n'), false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        const auto read = oauth::read_certificate_text(row.text);
        CHECK(read.has_value() == row.is_read);
        if (read) CHECK(*read == *der);
    }
}

TEST_CASE("read_chain_word: what the web server says of a certificate [MTLS-3]") {
    using oauth::ChainWord;
    const struct {
        const char* value;
        ChainWord word;
    } rows[] = {
        {"SUCCESS", ChainWord::verified},
        {"GENEROUS", ChainWord::possessed},
        {"FAILED:self-signed certificate", ChainWord::possessed},
        {"FAILED:", ChainWord::possessed},
        {"NONE", ChainWord::none},
        {"", ChainWord::none},
        {"FAILED", ChainWord::none},
        {"success", ChainWord::none},
        {"SUCCESS ", ChainWord::none},
        {"SUCCESS, SUCCESS", ChainWord::none},
        {"0", ChainWord::none},
    };
    for (const auto& row : rows) {
        CAPTURE(row.value);
        CHECK(oauth::read_chain_word(row.value) == row.word);
    }
}

}  // namespace
