// Decides which values the pages of links are given.
#include "web/recover/page.h"

#include "util/text.h"
#include "web/template_reader.h"

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
    explicit RecoverTemplates(const TemplateReader& read)
        : link(read("recover_link.html", Scripts::several)),
          link_done(read("recover_done.html")),
          email(read("recover_email.html", Scripts::one)),
          ask(read("recover.html", Scripts::one)) {}

    Template link;
    Template link_done;
    Template email;
    Template ask;
};

class TemplateRecoverPages final : public FromTemplates<RecoverPages, RecoverTemplates> {
public:
    using FromTemplates::FromTemplates;

    http::Response link(const LinkPage& page) const override {
        Values values{.texts = {{"title", renderer_.say(title_of(page))},
                                {"invite", page.purpose == LinkPurpose::invite ? "yes" : ""},
                                {"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                {"username", util::displayable(page.username)},
                                {"min_length", page.min_length},
                                {"csrf", page.csrf},
                                {"problem", renderer_.say(page.problem)},
                                {"options", page.passkey.options},
                                {"challenge", page.passkey.challenge},
                                {"proposed", renderer_.say(page.passkey.name)},
                                {"passkey_problem", renderer_.say(page.passkey_problem)}},
                      .lists = {}};
        return renderer_.respond(templates_->link, std::move(values), 200);
    }

    http::Response link_done(const LinkDonePage& page) const override {
        Values values{.texts = {{"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                {"sign_in", page.sign_in},
                                {"enrol", page.lets_enrol ? "yes" : ""},
                                {"passkey", page.passkey ? "yes" : ""},
                                {"codes", page.makes_codes ? "yes" : ""}},
                      .lists = {}};
        return renderer_.respond(templates_->link_done, std::move(values), 200);
    }

    http::Response email_link(const EmailLinkPage& page) const override {
        Values values{.texts = {{"username", util::displayable(page.username)},
                                {"email", util::displayable(page.email)},
                                {"done", page.csrf.empty() ? "yes" : ""},
                                {"csrf", page.csrf}},
                      .lists = {}};
        return renderer_.respond(templates_->email, std::move(values), 200);
    }

    http::Response ask(const AskPage& page, int status) const override {
        return renderer_.respond(
            templates_->ask, {.texts = {{"csrf", page.csrf}, {"problem", renderer_.say(page.problem)}}, .lists = {}},
            status);
    }

    http::Response asked() const override {
        return renderer_.respond(templates_->ask, {.texts = {{"asked", "yes"}}, .lists = {}}, 200);
    }
};

}  // namespace

std::unique_ptr<const InLanguages<RecoverPages>> read_recover_pages(const TemplateReader& read) {
    // Pages of an operator need not offer passkeys, and may have the form for a password themselves.
    return in_languages<TemplateRecoverPages>(read.with(
        {"new_password.html", "account_new_passkey.html", "passkey_add.js"}, TemplateReader::Missing::left_out));
}

}  // namespace postern::web
