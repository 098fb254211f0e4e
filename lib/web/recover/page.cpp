// Decides which values the pages of links are given.
#include "web/recover/page.h"

#include "util/text.h"
#include "web/template.h"

namespace postern::web {
namespace {

using model::LinkPurpose;

std::string title_of(const LinkPage& page) {
    return page.purpose == LinkPurpose::invite ? "Welcome, " + util::displayable(page.username)
                                               : "Choose a new password";
}

class TemplateRecoverPages final : public RecoverPages {
public:
    TemplateRecoverPages(const std::string& directory, const Partials& partials)
        : link_(read_template(directory, "recover_link.html", partials, Scripts::one)),
          link_done_(read_template(directory, "recover_done.html", partials)),
          email_(read_template(directory, "recover_email.html", partials, Scripts::one)),
          ask_(read_template(directory, "recover.html", partials, Scripts::one)) {}

    http::Response link(const LinkPage& page) const override {
        const Values values{.texts = {{"title", title_of(page)},
                                      {"invite", page.purpose == LinkPurpose::invite ? "yes" : ""},
                                      {"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                      {"username", util::displayable(page.username)},
                                      {"min_length", page.min_length},
                                      {"csrf", page.csrf},
                                      {"problem", page.problem}},
                            .lists = {}};
        return respond(link_, values, 200);
    }

    http::Response link_done(const LinkDonePage& page) const override {
        const Values values{.texts = {{"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                      {"sign_in", page.sign_in},
                                      {"enrol", page.lets_enrol ? "yes" : ""}},
                            .lists = {}};
        return respond(link_done_, values, 200);
    }

    http::Response email_link(const EmailLinkPage& page) const override {
        const Values values{.texts = {{"username", util::displayable(page.username)},
                                      {"email", util::displayable(page.email)},
                                      {"done", page.csrf.empty() ? "yes" : ""},
                                      {"csrf", page.csrf}},
                            .lists = {}};
        return respond(email_, values, 200);
    }

    http::Response ask(const AskPage& page, int status) const override {
        return respond(ask_, {.texts = {{"csrf", page.csrf}, {"problem", page.problem}}, .lists = {}}, status);
    }

    http::Response asked() const override { return respond(ask_, {.texts = {{"asked", "yes"}}, .lists = {}}, 200); }

private:
    Template link_;
    Template link_done_;
    Template email_;
    Template ask_;
};

}  // namespace

std::unique_ptr<const RecoverPages> read_recover_pages(const std::string& directory) {
    return std::make_unique<TemplateRecoverPages>(directory, read_partials(directory));
}

}  // namespace postern::web
