// The sealed form of an authorization request: its members under AES-256-GCM.
#include "oauth/sealed_request.h"

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "oauth/sealed_members.h"

namespace postern::oauth {

template <>
struct sealed::Codec<model::SeenDocument> {
    static std::string encode(const model::SeenDocument& document) {
        Writer writer;
        writer(document.digest, document.name);
        return writer.take();
    }
    static std::optional<model::SeenDocument> decode(std::string_view text) {
        model::SeenDocument document;
        Reader reader(text);
        reader(document.digest, document.name);
        if (!reader.is_whole()) return std::nullopt;
        return document;
    }
};

template <>
struct sealed::Codec<model::HalfLogin> {
    static std::string encode(const model::HalfLogin& half) {
        Writer writer;
        visit(half, writer);
        return writer.take();
    }
    static std::optional<model::HalfLogin> decode(std::string_view text) {
        model::HalfLogin half;
        Reader reader(text);
        visit(half, reader);
        if (!reader.is_whole()) return std::nullopt;
        return half;
    }

private:
    static void visit(auto& half, auto& visit) {
        visit(half.subject, half.stamp, half.expires_at, half.done.level, half.done.amr, half.done.remembered, half.sid,
              half.must_change_password, half.auth_time);
    }
};

template <>
struct sealed::Codec<model::Pushed> {
    static std::string encode(const model::Pushed& pushed) {
        Writer writer;
        writer(pushed.id, pushed.used_until);
        return writer.take();
    }
    static std::optional<model::Pushed> decode(std::string_view text) {
        model::Pushed pushed;
        Reader reader(text);
        reader(pushed.id, pushed.used_until);
        if (!reader.is_whole()) return std::nullopt;
        return pushed;
    }
};

namespace {

constexpr std::string_view kPurpose = "authorization request v13";
constexpr std::string_view kPushedPurpose = "pushed authorization request v13";

/// The members of a SealedRequest, const when they are written. Whatever changes here changes the purposes.
void visit_members(auto& request, auto& browser, auto& visit) {
    visit(request.id, browser, request.expires_at, request.client_id, request.redirect_uri, request.redirect_uri_sent,
          request.scope, request.ignored_scope, request.response_type, request.response_mode, request.claims.userinfo,
          request.claims.id_token, request.state, request.nonce, request.code_challenge, request.audience,
          request.resources, request.login_hint, request.ui_locales, request.hinted_subject, request.max_age,
          request.session_sent, request.prompt, request.document, request.account_page, request.acr.names,
          request.acr.wished, request.acr.demanded, request.half_login, request.pushed, request.dpop_jkt,
          request.request_object);
}

std::string seal_for(std::string_view purpose, Context& context, const model::AuthorizationRequest& request,
                     const std::string& browser) {
    sealed::Writer writer;
    visit_members(request, browser, writer);
    return crypto::seal(context.keys.seal_key(), purpose, writer.take(), context.random);
}

std::optional<SealedRequest> open_for(std::string_view purpose, Context& context, std::string_view text) {
    const auto plain = crypto::open_seal(context.keys.seal_key(), purpose, text);
    if (!plain) return std::nullopt;
    SealedRequest sealed;
    sealed::Reader reader(*plain);
    visit_members(sealed.request, sealed.browser, reader);
    if (!reader.is_whole()) return std::nullopt;
    return sealed;
}

}  // namespace

std::string seal_request(Context& context, const model::AuthorizationRequest& request, const std::string& browser) {
    return seal_for(kPurpose, context, request, browser);
}

std::optional<SealedRequest> open_stale_request(Context& context, std::string_view text) {
    return open_for(kPurpose, context, text);
}

util::Result<SealedRequest, SealFault> open_request(Context& context, std::string_view text) {
    auto sealed = open_stale_request(context, text);
    if (!sealed) return SealFault::forged;
    if (context.now() >= sealed->request.expires_at) return SealFault::expired;
    return std::move(*sealed);
}

std::string seal_pushed(Context& context, const model::AuthorizationRequest& request) {
    return seal_for(kPushedPurpose, context, request, "");
}

util::Result<model::AuthorizationRequest, SealFault> open_pushed(Context& context, std::string_view text) {
    auto sealed = open_for(kPushedPurpose, context, text);
    if (!sealed || !sealed->request.pushed) return SealFault::forged;
    if (context.now() >= sealed->request.expires_at) return SealFault::expired;
    return std::move(sealed->request);
}

model::RequestKey request_key(const model::AuthorizationRequest& request) {
    return model::RequestKey(crypto::sha256_hex(request.id));
}

model::RequestKey pushed_key(const model::Pushed& pushed) {
    return model::RequestKey(crypto::sha256_hex("par" + pushed.id));
}

}  // namespace postern::oauth
