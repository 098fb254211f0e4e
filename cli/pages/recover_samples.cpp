// The pages of opened links and of asking for one with sample values.
#include "cli/pages/sample_values.h"

namespace postern::cli {

void add_recover_samples(SampleList& list, const web::RecoverPages& pages) {
    web::LinkPage page{.purpose = model::LinkPurpose::password,
                       .username = kUser,
                       .min_length = "15",
                       .csrf = "sample",
                       .problem = ""};
    list.add("recover_link", pages.link(page));
    page.purpose = model::LinkPurpose::factors;
    page.problem = "The two new passwords are not the same.";
    list.add("recover_link-factors", pages.link(page));
    page.purpose = model::LinkPurpose::invite;
    page.problem = "";
    page.passkey = sample_passkey();
    list.add("recover_link-invitation", pages.link(page));
    list.add("recover", pages.ask({.csrf = "sample", .problem = {}}, 200));
    list.add("recover-asked", pages.asked());
    list.add("recover_email", pages.email_link({.username = kUser, .email = "ada@example.org", .csrf = "sample"}));
    list.add("recover_email-confirmed", pages.email_link({.username = kUser, .email = "ada@example.org", .csrf = ""}));
    list.add("recover_done", pages.link_done({.purpose = model::LinkPurpose::password, .sign_in = kHere}));
    list.add("recover_done-passkey",
             pages.link_done(
                 {.purpose = model::LinkPurpose::invite, .sign_in = kHere, .passkey = true, .makes_codes = true}));
}

}  // namespace postern::cli
