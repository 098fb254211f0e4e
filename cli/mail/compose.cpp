// Makes the text of a message that waits, and the link that it brings.
#include "cli/mail/compose.h"

#include <chrono>

#include "crypto/random.h"
#include "http/url.h"
#include "mail/notice.h"
#include "mail/texts.h"
#include "model/activity.h"
#include "oauth/access_token.h"
#include "text/mail.h"
#include "text/message.h"
#include "util/text.h"
#include "web/recover/paths.h"

namespace postern::cli {
namespace {

using model::LinkPurpose;
using model::MailKind;

constexpr util::Seconds kAskedFor = std::chrono::hours(1);
constexpr util::Seconds kConfirmation = std::chrono::hours(24);
constexpr std::int64_t kLongest = std::int64_t{30} * 24 * 3600;

/// "WORD REST" of a detail.
std::pair<std::string, std::string> parts_of(const std::string& detail) {
    const auto blank = detail.find(' ');
    if (blank == detail.npos) return {detail, ""};
    return {detail.substr(0, blank), detail.substr(blank + 1)};
}

struct Purpose {
    MailKind kind;
    LinkPurpose purpose;
};
constexpr Purpose kPurposes[] = {
    {MailKind::reset, LinkPurpose::password},    {MailKind::invite, LinkPurpose::invite},
    {MailKind::password, LinkPurpose::password}, {MailKind::factors, LinkPurpose::factors},
    {MailKind::email, LinkPurpose::email},
};

util::Seconds lifetime_of(const model::MailRequest& request) {
    if (request.kind == MailKind::reset) return kAskedFor;
    if (request.kind == MailKind::email) return kConfirmation;
    return util::Seconds(util::parse_digits(parts_of(request.detail).first, kLongest).value_or(kAskedFor.count()));
}

/// Who made it: the user of the machine, or the mail itself.
std::string maker_of(const model::MailRequest& request) {
    const bool by_user = request.kind == MailKind::reset || request.kind == MailKind::email;
    return by_user ? "mail" : parts_of(request.detail).second;
}

/// Returns the host for the Message-ID.
std::string host_of(const oauth::Settings& settings) {
    const auto issuer = http::parse_url(settings.issuer);
    return issuer ? issuer->host : settings.issuer;
}

std::string url_of(const oauth::Settings& settings, const util::Secret& token) {
    const std::string page = settings.url(settings.paths.recover.value_or("") + web::kLinkSuffix);
    return http::with_query(page, {{web::kLinkParameter, std::string(token.reveal())}});
}

text::Message sentence_of(const model::MailRequest& request) {
    const auto what = model::parse_happened(parts_of(request.detail).first);
    const char* sentence = what ? mail::notice_sentence(*what) : nullptr;
    return sentence == nullptr ? "" : sentence;
}

/// The language in which the user asked, else the claim's.
const text::Catalogue& language_of(const text::Languages& languages, const model::MailRequest& request,
                                   const model::User& user) {
    text::LanguageWishes wishes;
    if (!request.language.empty()) wishes.chosen = request.language;
    const json::Value* locale = user.claims.find("locale");
    if (locale != nullptr && locale->if_string() != nullptr) wishes.locale = *locale->if_string();
    return languages.choose(wishes);
}

std::optional<std::string> write(const config::Config& config, const std::string& address, const mail::MailText& text,
                                 const std::string& language, util::Time now) {
    crypto::SystemRandom random;
    return text::write_mail({.from = config.settings.mail.value().from,
                             .to = address,
                             .subject = text.subject,
                             .body = text.body,
                             .date = now,
                             .message_id = crypto::random_id(random) + "@" + host_of(config.settings),
                             .language = language});
}

}  // namespace

std::string address_for(const model::MailRequest& request, const model::User& user) {
    switch (request.kind) {
        case MailKind::email:
        case MailKind::guess:
            return request.detail;
        case MailKind::notice:
            return parts_of(request.detail).second;
        default:
            return model::mail_address_of(user.claims);
    }
}

std::optional<MailedLink> link_for(const model::MailRequest& request, const std::string& address, util::Time now) {
    for (const Purpose& row : kPurposes) {
        if (row.kind != request.kind) continue;
        crypto::SystemRandom random;
        MailedLink made;
        made.token = util::Secret(crypto::random_token(random));
        made.link.token_hash = oauth::hash_of(made.token.reveal());
        made.link.purpose = row.purpose;
        made.link.subject = request.subject.value_or(model::Subject());
        made.link.made_by = maker_of(request);
        made.link.created_at = now;
        made.link.expires_at = now + lifetime_of(request);
        made.link.email = address;
        return made;
    }
    return std::nullopt;
}

std::optional<std::string> compose(const config::Config& config, const text::Languages& languages,
                                   const model::MailRequest& request, const model::User& user,
                                   const std::string& address, const std::optional<MailedLink>& link, util::Time now) {
    const mail::MailValues values{.site = config.settings.service_name(),
                                  .username = util::displayable(user.username),
                                  .link = link ? url_of(config.settings, link->token) : "",
                                  .expires = link ? text::shown_time(link->link.expires_at) : text::Message(),
                                  .time = text::shown_time(request.created_at),
                                  .what = sentence_of(request),
                                  .email = address};
    const text::Catalogue& language = language_of(languages, request, user);
    return write(config, address, mail::mail_text(request.kind, values, language), language.tag(), now);
}

std::optional<std::string> compose_test(const config::Config& config, const std::string& address, util::Time now) {
    const text::Languages languages(config.templates, config.settings.languages, config.settings.language);
    const text::Catalogue& language = languages.last_resort();
    return write(config, address, mail::test_mail_text(config.settings.service_name(), language), language.tag(), now);
}

}  // namespace postern::cli
