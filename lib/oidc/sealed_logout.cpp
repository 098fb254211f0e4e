// How a logout request travels through a browser: JSON under AES-256-GCM, as an authorization request does.
#include "oidc/sealed_logout.h"

#include "crypto/seal.h"
#include "json/reader.h"
#include "json/writer.h"

namespace postern::oidc {
namespace {

constexpr std::string_view kPurpose = "logout request v1";

void set_optional(json::Object& object, const char* name, const std::optional<std::string>& value) {
    if (value) object.set(name, *value);
}

std::optional<std::string> text_member(const json::Object& object, std::string_view name) {
    const json::Value* value = object.find(name);
    if (!value || !value->if_string()) return std::nullopt;
    return *value->if_string();
}

json::Object to_json(const SealedLogout& sealed) {
    const LogoutRequest& request = sealed.request;
    json::Object object{{"id", request.id}, {"browser", sealed.browser}, {"exp", util::to_epoch(request.expires_at)}};
    if (request.hinted_subject) object.set("sub", request.hinted_subject->str());
    if (request.client_id) object.set("client_id", request.client_id->str());
    set_optional(object, "redirect_uri", request.redirect_uri);
    set_optional(object, "state", request.state);
    return object;
}

/// Only text that this server sealed comes here: a missing member means a seal of another version, not an attack.
std::optional<SealedLogout> from_json(const json::Object& object) {
    const auto id = text_member(object, "id");
    const auto browser = text_member(object, "browser");
    const json::Value* expires = object.find("exp");
    if (!id || !browser || !expires || !expires->if_integer()) return std::nullopt;

    SealedLogout sealed;
    sealed.browser = *browser;
    LogoutRequest& request = sealed.request;
    request.id = *id;
    if (const auto subject = text_member(object, "sub")) request.hinted_subject = model::Subject(*subject);
    if (const auto client = text_member(object, "client_id")) request.client_id = model::ClientId(*client);
    request.redirect_uri = text_member(object, "redirect_uri");
    request.state = text_member(object, "state");
    request.expires_at = util::from_epoch(*expires->if_integer());
    return sealed;
}

}  // namespace

std::string seal_logout(oauth::Context& context, const SealedLogout& sealed) {
    return crypto::seal(context.keys.seal_key(), kPurpose, json::write_short(to_json(sealed)), context.random);
}

util::Result<SealedLogout, oauth::SealFault> open_logout(oauth::Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return oauth::SealFault::forged;
    const auto value = json::parse(*plain);
    if (!value || !value->if_object()) return oauth::SealFault::forged;
    auto sealed = from_json(*value->if_object());
    if (!sealed) return oauth::SealFault::forged;
    if (context.now() >= sealed->request.expires_at) return oauth::SealFault::expired;
    return std::move(*sealed);
}

}  // namespace postern::oidc
