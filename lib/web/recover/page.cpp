// Decides which values the pages of links are given.
#include "web/recover/page.h"

#include "pages/renderer.h"
#include "util/text.h"

namespace postern::web {
namespace {

using model::LinkPurpose;

text::Message title_of(const LinkPage& page) {
    return page.purpose == LinkPurpose::invite
               ? text::Message(text::tr("Welcome, {name}"), {{"name", text::Message::verbatim(page.username)}})
               : text::tr("Choose a new password");
}

/// Read and looked at once, for every language.
struct RecoverTemplates {
    explicit RecoverTemplates(const pages::TemplateReader& read)
        : link(read("recover_link.html", pages::Scripts::several)),
          link_done(read("recover_done.html")),
          email(read("recover_email.html", pages::Scripts::one)),
          ask(read("recover.html", pages::Scripts::one)) {}

    pages::Template link, link_done, email, ask;
};

class TemplateRecoverPages final : public pages::FromTemplates<RecoverPages, RecoverTemplates> {
public:
    using FromTemplates::FromTemplates;

    http::Response link(const LinkPage& page) const override {
        pages::Values values{.texts = {{"title", renderer_.say(title_of(page))},
                                       {"invite", page.purpose == LinkPurpose::invite ? "yes" : ""},
                                       {"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                       {"username", util::displayable(page.username)},
                                       {"min_length", page.min_length},
                                       {"csrf", page.csrf},
                                       {"problem", renderer_.say(page.problem)},
                                       {"options", page.passkey.options},
                                       {"challenge", page.passkey.challenge},
                                       {"proposed", renderer_.say(page.passkey.name)},
                                       {"passkey_problem", renderer_.say(page.passkey_problem)}}};
        return renderer_.respond(templates_->link, std::move(values), 200);
    }

    http::Response link_done(const LinkDonePage& page) const override {
        pages::Values values{.texts = {{"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                       {"sign_in", page.sign_in},
                                       {"enrol", page.lets_enrol ? "yes" : ""},
                                       {"passkey", page.passkey ? "yes" : ""},
                                       {"codes", page.makes_codes ? "yes" : ""}}};
        return renderer_.respond(templates_->link_done, std::move(values), 200);
    }

    http::Response email_link(const EmailLinkPage& page) const override {
        pages::Values values{.texts = {{"username", util::displayable(page.username)},
                                       {"email", util::displayable(page.email)},
                                       {"done", page.csrf.empty() ? "yes" : ""},
                                       {"csrf", page.csrf}}};
        return renderer_.respond(templates_->email, std::move(values), 200);
    }

    http::Response ask(const AskPage& page, int status) const override {
        return renderer_.respond(templates_->ask,
                                 {.texts = {{"csrf", page.csrf}, {"problem", renderer_.say(page.problem)}}}, status);
    }

    http::Response asked() const override {
        return renderer_.respond(templates_->ask, {.texts = {{"asked", "yes"}}}, 200);
    }
};

}  // namespace

std::unique_ptr<const pages::InLanguages<RecoverPages>> read_recover_pages(const pages::TemplateReader& read) {
    // Pages of an operator need not offer passkeys, and may have the form for a password themselves.
    return in_languages<TemplateRecoverPages>(read.with(
        {"new_password.html", "account_new_passkey.html", "passkey_add.js"}, pages::TemplateReader::Missing::left_out));
}

}  // namespace postern::web
