// May this be a user's new password? The configuration's rules, and what the page says when it may not.
#include "login/new_password.h"

#include <stdexcept>

#include "crypto/password.h"
#include "http/url.h"
#include "login/password_check.h"
#include "store/users.h"

namespace postern::login {
namespace {

using factor::PasswordFlaw;
using text::Message;
using text::tr;

constexpr const char* kDifferent = tr("The two new passwords are not the same.");

}  // namespace

factor::PasswordRules password_rules(const oauth::Settings& settings, const factor::PasswordList* list) {
    return {.min_length = settings.login.password_min_length,
            .min_strength = settings.login.password_min_strength,
            .list = list};
}

factor::PasswordOwner password_owner(const oauth::Settings& settings, std::string username,
                                     const json::Object& claims) {
    factor::PasswordOwner owner{.username = std::move(username)};
    const json::Value* email = claims.find("email");
    if (const std::string* address = email != nullptr ? email->if_string() : nullptr) owner.email = *address;
    if (const auto issuer = http::parse_url(settings.issuer)) owner.issuer_host = issuer->host;
    owner.organisation = settings.branding.name;
    return owner;
}

factor::PasswordOwner find_password_owner(const oauth::Context& context, const model::Subject& subject,
                                          std::string username) {
    return password_owner(context.settings, std::move(username), store::find_claims(context.store, subject));
}

Message describe(PasswordFlaw flaw, const factor::PasswordRules& rules) {
    switch (flaw) {
        case PasswordFlaw::too_short:
            return {
                tr("The new password is too short. It needs at least {count} characters; some words in a row are one."),
                {{"count", Message::number(static_cast<std::int64_t>(rules.min_length))}}};
        case PasswordFlaw::too_long:
            return {tr("The new password is too long. It may have up to {count} bytes."),
                    {{"count", Message::number(crypto::kMaxPasswordBytes)}}};
        case PasswordFlaw::untypable:
            return tr("The new password has a character that cannot be typed.");
        case PasswordFlaw::user_name:
            return tr("The new password must not be your user name.");
        case PasswordFlaw::email:
            return tr("The new password must not be your e-mail address.");
        case PasswordFlaw::local_part:
            return tr("The new password must not be the name in your e-mail address.");
        case PasswordFlaw::host:
            return tr("The new password must not be the name of this site.");
        case PasswordFlaw::listed:
            return tr("The new password is in a list of common or stolen passwords. Choose another one.");
        case PasswordFlaw::guessable:
            return tr("Too easy to guess: it is made of common words or patterns.");
    }
    throw std::logic_error("password flaw without a sentence");
}

util::Result<util::Secret, NewPasswordProblem> read_new_password(const oauth::Context& context,
                                                                 const http::Params& form,
                                                                 const factor::PasswordOwner& owner) {
    const factor::PasswordRules rules = password_rules(context.settings, context.password_list);
    if (has_pasted_space(form, "new") || has_pasted_space(form, "again"))
        return NewPasswordProblem{pasted_space_message(), PasswordFlaw::untypable};
    util::Secret fresh{std::string(form.find("new").value_or(""))};
    if (const auto flaw = factor::find_password_flaw(fresh.reveal(), rules, owner))
        return NewPasswordProblem{describe(*flaw, rules), flaw};
    if (fresh.reveal() != form.find("again").value_or("")) return NewPasswordProblem{kDifferent, std::nullopt};
    return fresh;
}

std::string log_reason(PasswordFlaw flaw) { return "new password: " + std::string(factor::to_string(flaw)); }

std::optional<std::string> hash_new_password(const oauth::Context& context, const util::Secret& password) {
    const auto slot = take_hash_slot(context);
    if (!slot) return std::nullopt;
    return crypto::hash_password(password);
}

}  // namespace postern::login
