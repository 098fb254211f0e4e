// The sealed form of an authorization request: JSON under AES-256-GCM.
#include "oauth/sealed_request.h"

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "json/reader.h"
#include "json/writer.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kPurpose = "authorization request v2";

void set_optional(json::Object& object, const char* name, const std::optional<std::string>& value) {
    if (value) object.set(name, *value);
}

json::Object to_json(const SealedRequest& sealed) {
    const model::AuthorizationRequest& r = sealed.request;
    json::Object object{{"id", r.id},
                        {"browser", sealed.browser},
                        {"exp", util::to_epoch(r.expires_at)},
                        {"client_id", r.client_id.str()},
                        {"redirect_uri", r.redirect_uri},
                        {"redirect_uri_sent", r.redirect_uri_sent},
                        {"scope", r.scope.to_string()},
                        {"response_type", static_cast<int>(r.response_type)},
                        {"response_mode", static_cast<int>(r.response_mode)},
                        {"userinfo_claims", model::to_string(r.claims.userinfo)},
                        {"id_token_claims", model::to_string(r.claims.id_token)}};
    set_optional(object, "state", r.state);
    set_optional(object, "nonce", r.nonce);
    set_optional(object, "code_challenge", r.code_challenge);
    set_optional(object, "audience", r.audience);
    set_optional(object, "login_hint", r.login_hint);
    if (r.hinted_subject) object.set("hinted_subject", r.hinted_subject->str());
    if (r.max_age) object.set("max_age", std::int64_t{r.max_age->count()});
    if (r.session_sent) object.set("session_sent", true);
    json::Array prompts;
    for (const model::Prompt prompt : r.prompt) prompts.emplace_back(static_cast<int>(prompt));
    object.set("prompt", std::move(prompts));
    return object;
}

std::optional<std::string> text_member(const json::Object& object, std::string_view name) {
    const json::Value* value = object.find(name);
    if (!value || !value->if_string()) return std::nullopt;
    return *value->if_string();
}

std::optional<std::int64_t> integer_member(const json::Object& object, std::string_view name) {
    const json::Value* value = object.find(name);
    if (!value || !value->if_integer()) return std::nullopt;
    return *value->if_integer();
}

/// Only text that this server sealed comes here: a missing member means a seal of another version, not an attack.
std::optional<SealedRequest> from_json(const json::Object& object) {
    const auto id = text_member(object, "id");
    const auto client_id = text_member(object, "client_id");
    const auto redirect_uri = text_member(object, "redirect_uri");
    const auto scope = model::Scope::parse(text_member(object, "scope").value_or(""));
    const auto expires = integer_member(object, "exp");
    const auto response_type = integer_member(object, "response_type");
    const auto response_mode = integer_member(object, "response_mode");
    const json::Value* sent = object.find("redirect_uri_sent");
    const json::Value* prompts = object.find("prompt");
    if (!id || !client_id || !redirect_uri || !scope || !expires || !response_type || !response_mode || !sent ||
        !sent->if_bool() || !prompts || !prompts->if_array())
        return std::nullopt;

    SealedRequest sealed;
    sealed.browser = text_member(object, "browser").value_or("");
    model::AuthorizationRequest& r = sealed.request;
    r.id = *id;
    r.client_id = model::ClientId(*client_id);
    r.redirect_uri = *redirect_uri;
    r.redirect_uri_sent = *sent->if_bool();
    r.scope = *scope;
    r.state = text_member(object, "state");
    r.nonce = text_member(object, "nonce");
    r.code_challenge = text_member(object, "code_challenge");
    r.audience = text_member(object, "audience");
    r.response_type = static_cast<model::ResponseType>(*response_type);
    r.response_mode = static_cast<model::ResponseMode>(*response_mode);
    r.claims.userinfo = model::parse_claim_names(text_member(object, "userinfo_claims").value_or(""));
    r.claims.id_token = model::parse_claim_names(text_member(object, "id_token_claims").value_or(""));
    r.login_hint = text_member(object, "login_hint");
    if (const auto subject = text_member(object, "hinted_subject")) r.hinted_subject = model::Subject(*subject);
    if (const auto age = integer_member(object, "max_age")) r.max_age = util::Seconds{*age};
    for (const json::Value& prompt : *prompts->if_array())
        if (prompt.if_integer()) r.prompt.insert(static_cast<model::Prompt>(*prompt.if_integer()));
    r.expires_at = util::from_epoch(*expires);
    r.session_sent = object.find("session_sent") != nullptr;
    return sealed;
}

}  // namespace

std::string seal_request(Context& context, const SealedRequest& sealed) {
    return crypto::seal(context.keys.seal_key(), kPurpose, json::write_short(to_json(sealed)), context.random);
}

std::optional<SealedRequest> open_stale_request(Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), kPurpose, text);
    if (!plain) return std::nullopt;
    const auto value = json::parse(*plain);
    if (!value || !value->if_object()) return std::nullopt;
    return from_json(*value->if_object());
}

util::Result<SealedRequest, SealFault> open_request(Context& context, std::string_view text) {
    auto sealed = open_stale_request(context, text);
    if (!sealed) return SealFault::forged;
    if (context.now() >= sealed->request.expires_at) return SealFault::expired;
    return std::move(*sealed);
}

model::RequestKey request_key(const model::AuthorizationRequest& request) {
    return model::RequestKey(crypto::sha256_hex(request.id));
}

}  // namespace postern::oauth
