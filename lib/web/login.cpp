// The login endpoint where users sign in on our own pages: finds the page that a request is for.
#include "web/login.h"

#include "web/first_page.h"
#include "web/second_page.h"

namespace postern::web {
namespace {

constexpr const char* kTooLong = text::tr("That took too long. Enter your password again.");

}  // namespace

http::Response show_login(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, interaction.request.query));
    if (auto used = refuse_if_used(interaction, visit.request)) return std::move(*used);
    if (auto few = show_few_codes(interaction, visit)) return std::move(*few);
    if (visit.request.half_login) return show_second_page(interaction, visit);
    // Only what the client sent itself fills the form: the `sub` of an old ID token must not be turned into a user name
    // for its holder.
    return show_first_page(interaction, visit, visit.half_expired ? kTooLong : "");
}

http::Response submit_login(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto visit, resume_login(interaction, interaction.request.form));
    if (visit.request.half_login) return submit_second_page(interaction, visit);
    if (visit.half_expired) return show_first_page(interaction, visit, kTooLong);
    return submit_first_page(interaction, visit);
}

}  // namespace postern::web
