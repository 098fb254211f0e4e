// The file by which a former host of the issuer lets its passkeys be used at the present one (WebAuthn §5.11).
#pragma once

#include <optional>
#include <string>

#include "http/url.h"
#include "json/writer.h"
#include "oauth/cors.h"
#include "oauth/settings.h"

namespace postern::cli {

/// Below `/.well-known/` of the former host.
inline constexpr const char* kRelatedOriginName = "webauthn";

/// `login.rpId`, when the issuer's host is neither that name nor in that domain: browsers ask that host then.
inline std::optional<std::string> former_host(const oauth::Settings& settings) {
    const auto issuer = http::parse_url(settings.issuer);
    const std::string& rp_id = settings.login.rp_id;
    if (!issuer || rp_id.empty() || issuer->host == rp_id || issuer->host.ends_with("." + rp_id)) return std::nullopt;
    return rp_id;
}

/// `{"origins": ["https://id.example.org"]}`.
inline std::string related_origin_document(const oauth::Settings& settings) {
    const std::string origin = oauth::origin_of(settings.issuer).value_or("");
    return json::write(json::Object{{"origins", json::Array{origin}}});
}

}  // namespace postern::cli
