// Reads the credentials of a client, in the two spellings that clients use.
#include "oauth/credentials.h"

#include <optional>
#include <string_view>
#include <utility>

#include "http/headers.h"
#include "util/base64.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

constexpr const char* kFailed = "client authentication failed";

void add_reading(Credentials& credentials, std::string id, std::string secret) {
    if (util::has_control_bytes(id) || util::has_control_bytes(secret) || !util::is_utf8(id)) return;
    credentials.readings.push_back(
        Credentials::Reading{model::ClientId(std::move(id)), util::Secret(std::move(secret))});
}

/// RFC 7617 §2 with the encoding of RFC 6749 §2.3.1; the first colon separates.
Outcome<Credentials> parse_basic(std::string_view header) {
    const auto [scheme, encoded] = http::split_credentials(header);
    if (!util::equal_ignoring_case(scheme, "basic"))
        return invalid_client(kFailed, "the Authorization header is not of the Basic scheme");
    auto pair = util::base64_decode(encoded);
    const std::size_t colon = pair ? pair->find(':') : std::string::npos;
    if (colon == std::string::npos)
        return invalid_client(kFailed, "the Basic credentials are not strict base64 of id:secret");

    std::string id = pair->substr(0, colon);
    std::string secret = pair->substr(colon + 1);
    util::wipe(*pair);
    Credentials credentials;
    credentials.method = Credentials::Method::basic;
    auto decoded_id = util::form_decode(id);
    auto decoded_secret = util::form_decode(secret);
    const bool differ = decoded_id != id || decoded_secret != secret;  // mostly there is nothing to decode
    if (decoded_id && decoded_secret && differ)
        add_reading(credentials, std::move(*decoded_id), std::move(*decoded_secret));
    add_reading(credentials, std::move(id), std::move(secret));
    if (credentials.readings.empty()) return invalid_client(kFailed, "the Basic credentials hold control bytes");
    return credentials;
}

/// A body may repeat the id of the header, and nothing else about the client (RFC 6749 §2.3: one method a request).
Outcome<void> check_body_agrees(const Credentials& basic, const http::Params& form) {
    if (form.find("client_secret")) return invalid_request("client credentials were sent in two ways");
    const auto id = form.find("client_id");
    if (!id) return {};
    for (const auto& reading : basic.readings)
        if (reading.client_id.str() == *id) return {};
    return invalid_request("client_id differs from the Authorization header's");
}

}  // namespace

Outcome<Credentials> parse_credentials(const http::Request& request) {
    if (request.authorization) {
        ASSIGN_OR_RETURN(auto basic, parse_basic(*request.authorization));
        RETURN_IF_ERROR(check_body_agrees(basic, request.form));
        return basic;
    }
    Credentials credentials;
    credentials.why_no_header = request.why_no_authorization;
    const auto id = request.form.find("client_id");
    const auto secret = request.form.find("client_secret");
    if (!id) return credentials;
    if (secret) credentials.method = Credentials::Method::post;
    add_reading(credentials, std::string(*id), std::string(secret.value_or("")));
    return credentials;
}

OAuthError refused_client(Context& context, const OAuthError& error, const model::ClientId& known) {
    if (error.code == ErrorCode::invalid_client)
        context.trail.add(
            audit::Event::client_authentication_failed,
            {{"reason", error.log_detail.empty() ? error.description : error.log_detail}, audit::client(known)});
    return error;
}

}  // namespace postern::oauth
