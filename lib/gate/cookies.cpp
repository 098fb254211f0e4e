// Seals and opens the cookies of sites.
#include "gate/cookies.h"

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "oauth/sealed_members.h"

namespace postern::gate {
namespace {

constexpr std::string_view kPurpose = "cookie of a site v1";

/// In place of the client's id, which may be long. The seal is authenticated, so half a digest tells two clients apart.
std::string client_mark(const model::ClientId& client) {
    constexpr std::size_t kMarkBytes = 16;
    return crypto::sha256(client.str()).substr(0, kMarkBytes);
}

void visit(auto& mark, auto& signed_in, auto& visitor) {
    visitor(mark, signed_in.sid, signed_in.subject, signed_in.at);
}

struct Opened {
    SignedIn signed_in;
    bool is_of_client = false;  ///< else of another site of this server
};

std::optional<Opened> open(oauth::Context& context, const model::ClientId& client, std::string_view value) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, value);
    if (!plain) return std::nullopt;
    std::string mark;
    Opened opened{.signed_in = {.client = client, .sid = {}, .subject = {}}};
    oauth::sealed::Reader reader(*plain);
    visit(mark, opened.signed_in, reader);
    if (!reader.is_whole()) return std::nullopt;
    opened.is_of_client = crypto::equal_constant_time(mark, client_mark(client));
    return opened;
}

}  // namespace

CookieNames cookie_names(const oauth::Settings& settings, const SiteUrl& site) {
    const bool https = site.origin.starts_with("https://");
    // `__Host-` is for the path / alone (RFC 6265bis §4.1.3.2).
    const std::string prefix = !https             ? "postern-gate"
                               : site.path == "/" ? "__Host-postern-gate"
                                                  : "__Secure-postern-gate";
    return {prefix + "-" + settings.cookie_tag, prefix + "-browser-" + settings.cookie_tag, site.cookie_path(),
            https ? http::CookieSecurity::https : http::CookieSecurity::loopback_http};
}

std::string seal_signed_in(oauth::Context& context, const SignedIn& signed_in) {
    const std::string mark = client_mark(signed_in.client);
    oauth::sealed::Writer writer;
    visit(mark, signed_in, writer);
    return crypto::seal(context.keys.seal_key(), kPurpose, writer.take(), context.random);
}

FoundCookies find_signed_in(oauth::Context& context, const CookieNames& names, const model::ClientId& client,
                            std::string_view header) {
    FoundCookies found;
    for (const std::string& value : http::find_cookie_values(header, names.signed_in, kMaxCookieBytes, kTriedCookies)) {
        auto opened = open(context, client, value);
        if (!opened)
            found.has_forged = true;
        else if (opened->is_of_client)
            found.signed_in.push_back(std::move(opened->signed_in));
    }
    return found;
}

std::string keep_signed_in(const CookieNames& names, const std::string& value, std::optional<util::Seconds> ttl) {
    return http::set_path_cookie({names.signed_in, value, names.path, names.security, ttl});
}

std::string forget_signed_in(const CookieNames& names) {
    return http::set_path_cookie({names.signed_in, "", names.path, names.security, util::Seconds{0}});
}

}  // namespace postern::gate
