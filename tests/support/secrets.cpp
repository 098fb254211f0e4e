// Remembers every secret that passed through a test, and finds those that were left lying about.
#include "support/secrets.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "json/reader.h"
#include "json/writer.h"
#include "support/answer.h"
#include "support/cgi_request.h"
#include "support/html.h"
#include "support/query.h"
#include "util/base64.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShortest = 12;
constexpr std::size_t kSignature = 20;  // of a token that somebody has signed
constexpr std::size_t kBeginning = sizeof(std::uint64_t);
constexpr std::size_t kPage = 4096;

/// Fields of forms and queries, and members of answers, by what they hold. A seal or form token that is sent may be
/// anything; ours are learned where they are given.
constexpr std::pair<const char*, const char*> kSent[] = {
    {"client_secret", "client secret"},
    {"password", "password"},
    {"new", "password"},
    {"again", "password"},
    {"t", "link"},
    {"code_verifier", "code verifier"},
    {"signature", "signature of a passkey"},
};
constexpr std::pair<const char*, const char*> kGiven[] = {
    {"code", "code"},
    {"access_token", "access token"},
    {"refresh_token", "refresh token"},
    {"id_token", "ID token"},
    {"client_secret", "client secret"},
    {"registration_access_token", "registration access token"},
    {"csrf", "form token"},
    {"resume", "sealed request"},
    {"request_uri", "pushed request"},
    {"app", "sealed key of an app"},
    {"challenge", "sealed challenge"},
};

std::uint64_t beginning_of(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

std::size_t bucket_of(std::uint64_t beginning) { return (beginning * 0x9E3779B97F4A7C15u) >> 48; }

/// The first and last characters of such text also depend on what stands before and behind the value.
std::string base64_at(std::string_view value, std::size_t offset) {
    const std::string encoded = util::base64_encode(std::string(offset, '\0') + std::string(value));
    const std::size_t whole = (offset + value.size()) / 3 * 4;
    const std::size_t first = (offset * 4 + 2) / 3;
    return encoded.substr(first, whole - first);
}

/// As browsers send forms.
std::string form_encode(std::string_view value) {
    std::string text = util::percent_encode(value);
    for (auto at = text.find("%20"); at != text.npos; at = text.find("%20", at)) text.replace(at, 3, "+");
    return text;
}

std::string in_utf16(std::string_view value) {
    std::string wide;
    for (const char c : value) (wide += c) += '\0';
    return wide;
}

/// As most of the ring is, where it is no hole.
bool is_nothing(std::string_view page) {
    return page[0] == '\0' && std::memcmp(page.data(), page.data() + 1, page.size() - 1) == 0;
}

/// What the file has, hole by hole: nothing in one stands on both sides of a hole.
std::vector<std::string> pieces_of(const fs::path& path) {
    std::vector<std::string> pieces;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return pieces;
    off_t begin = ::lseek(file, 0, SEEK_DATA);
    while (begin >= 0) {
        off_t end = ::lseek(file, begin, SEEK_HOLE);
        std::string& piece = pieces.emplace_back(static_cast<std::size_t>(end - begin), '\0');
        for (std::size_t have = 0; have < piece.size();) {
            const ssize_t got =
                ::pread(file, piece.data() + have, piece.size() - have, begin + static_cast<off_t>(have));
            if (got <= 0) piece.resize(have);  // it became shorter meanwhile
            have += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
        }
        begin = ::lseek(file, end, SEEK_DATA);
    }
    const int reason = errno;
    ::close(file);
    // ENXIO: nothing but a hole is left. No assertion of doctest, which is gone when a static deployment goes.
    if (reason != ENXIO) throw std::system_error(reason, std::generic_category(), path.string());
    return pieces;
}

/// A JSON string with no more escapes than RFC 8259 §7 asks for.
std::string as_others_write(std::string_view text) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return buffer.GetString();
}

}  // namespace

void Secrets::remember(const std::string& kind, std::string_view value) {
    if (value.size() < kShortest || challenges_.contains(std::string(value)) || !kinds_.emplace(value, kind).second)
        return;
    const bool is_jwt =
        value.starts_with("ey") && util::split(value, '.').size() == 3 && value.size() - value.rfind('.') > kSignature;
    if (is_jwt) value.remove_prefix(value.rfind('.') + 1);  // the rest is no secret without the signature
    const std::string json = as_others_write(value);
    const std::string inert = json::write(value);
    for (std::string form : {std::string(value), util::percent_encode(value), form_encode(value),
                             json.substr(1, json.size() - 2), inert.substr(1, inert.size() - 2), in_utf16(value)})
        add_needle(kind, std::move(form));
    for (const std::size_t offset : {0, 1, 2}) add_needle(kind, base64_at(value, offset));
}

void Secrets::add_needle(const std::string& kind, std::string needle) {
    REQUIRE(needle.size() >= kBeginning);
    const std::uint64_t beginning = beginning_of(needle.data());
    begins_[bucket_of(beginning)] = 1;
    auto& same = needles_[beginning];
    for (const auto& [known, its_kind] : same)
        if (known == needle) return;
    same.emplace_back(std::move(needle), kind);
}

void Secrets::learn_form(const std::string& text) {
    if (const auto challenge = query_parameter("?" + text, "code_challenge")) challenges_.insert(*challenge);
    for (const auto& [name, kind] : kSent)
        if (const auto value = query_parameter("?" + text, name)) remember(kind, *value);
}

void Secrets::learn(const CgiRequest& request) {
    learn_form(request.query);
    learn_form(request.body);
    for (const auto& [name, value] : request.headers) {
        if (name == "Cookie")
            for (const auto pair : util::split(value, ';')) remember("cookie", pair.substr(pair.find('=') + 1));
        if (name == "Authorization") remember("Authorization header", value.substr(value.find(' ') + 1));
    }
}

void Secrets::learn(const Answer& answer) {
    for (const std::string& cookie : answer.all("Set-Cookie"))
        remember("cookie", std::string_view(cookie).substr(0, cookie.find(';')).substr(cookie.find('=') + 1));
    const auto location = answer.all("Location");
    const json::Object body = answer.json();
    const auto form = answer.body.starts_with("<") ? find_form(answer.body) : std::nullopt;
    for (const auto& [name, kind] : kGiven) {
        for (const std::string& url : location) {
            remember(kind, query_parameter(url, name).value_or(""));
            remember(kind, fragment_parameter(url, name).value_or(""));
        }
        remember(kind, text_of(body, name));
        if (form && form->fields.contains(name)) remember(kind, form->fields.at(name));
    }
}

void Secrets::learn_command(const std::string& input, const std::string& output) {
    const auto first = util::split(input, '\n').front();
    if (!first.starts_with("{") && first.find(":$") == first.npos) remember("secret from standard input", first);
    const auto printed = json::parse(output);
    if (!printed || !printed->if_object()) return;
    remember("client secret", text_of(*printed->if_object(), "client_secret"));
    remember("initial access token", text_of(*printed->if_object(), "initial_access_token"));
    remember("link", query_parameter(text_of(*printed->if_object(), "link"), "t").value_or(""));
}

std::set<std::string> Secrets::found_in(std::string_view text) const {
    std::set<std::string> kinds;
    for (std::size_t at = 0; at + kBeginning <= text.size(); ++at) {
        if (at % kPage == 0 && at + kPage <= text.size() && is_nothing(text.substr(at, kPage))) {
            at += kPage - kBeginning;
            continue;
        }
        const std::uint64_t beginning = beginning_of(text.data() + at);
        if (begins_[bucket_of(beginning)] == 0) continue;
        const auto found = needles_.find(beginning);
        if (found == needles_.end()) continue;
        for (const auto& [needle, kind] : found->second)
            if (text.substr(at).starts_with(needle)) kinds.insert(kind);
    }
    return kinds;
}

std::vector<std::string> Secrets::found_below(const fs::path& directory) const {
    std::vector<std::string> findings;
    std::error_code unreadable;
    for (const auto& entry : fs::recursive_directory_iterator(directory, unreadable)) {
        if (!entry.is_regular_file()) continue;
        std::set<std::string> kinds;
        for (const std::string& piece : pieces_of(entry.path())) kinds.merge(found_in(piece));
        for (const std::string& kind : kinds)
            findings.push_back(fs::relative(entry.path(), directory).string() + ": " + kind);
    }
    return findings;
}

void check_no_secrets(const Secrets& secrets, std::string_view text, const std::string& where) {
    for (const std::string& kind : secrets.found_in(text))
        ADD_FAIL_CHECK_AT(__FILE__, __LINE__, kind << " in " << where);
}

void check_no_secrets_below(const Secrets& secrets, const fs::path& directory) {
    for (const std::string& finding : secrets.found_below(directory)) ADD_FAIL_CHECK_AT(__FILE__, __LINE__, finding);
}

}  // namespace postern::test
