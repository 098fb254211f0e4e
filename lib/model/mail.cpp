// The names of kinds of mail, and the address that a user has.
#include "model/mail.h"

#include "crypto/digest.h"
#include "model/named.h"
#include "text/mail.h"
#include "util/text.h"

namespace postern::model {
namespace {

constexpr Named<MailKind> kNames[] = {
    {MailKind::reset, "reset"},     {MailKind::invite, "invite"}, {MailKind::password, "password"},
    {MailKind::factors, "factors"}, {MailKind::email, "email"},   {MailKind::notice, "notice"},
    {MailKind::guess, "guess"},
};

}  // namespace

std::string_view to_string(MailKind kind) { return name_of(kNames, kind); }

std::optional<MailKind> parse_mail_kind(std::string_view name) { return find_named(kNames, name); }

std::string email_key(std::string_view address) {
    return text::is_mail_address(address) ? crypto::sha256_hex(util::to_lower(address)) : "";
}

std::string mail_address_of(const json::Object& claims) {
    const json::Value* email = claims.find("email");
    const std::string* address = email ? email->if_string() : nullptr;
    return address && text::is_mail_address(*address) ? *address : "";
}

}  // namespace postern::model
