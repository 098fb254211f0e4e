// Decides which values the pages of links are given.
#include "web/recover/page.h"

#include <filesystem>

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
        : link_(read_template(directory, "recover_link.html", partials, Scripts::several)),
          link_done_(read_template(directory, "recover_done.html", partials)) {}

    http::Response link(const LinkPage& page) const override {
        const Values values{.texts = {{"title", title_of(page)},
                                      {"invite", page.purpose == LinkPurpose::invite ? "yes" : ""},
                                      {"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                      {"username", util::displayable(page.username)},
                                      {"min_length", page.min_length},
                                      {"csrf", page.csrf},
                                      {"problem", page.problem},
                                      {"options", page.passkey.options},
                                      {"challenge", page.passkey.challenge},
                                      {"proposed", page.passkey.name},
                                      {"passkey_problem", page.passkey_problem}},
                            .lists = {}};
        return respond(link_, values, 200);
    }

    http::Response link_done(const LinkDonePage& page) const override {
        const Values values{.texts = {{"factors", page.purpose == LinkPurpose::factors ? "yes" : ""},
                                      {"sign_in", page.sign_in},
                                      {"enrol", page.lets_enrol ? "yes" : ""},
                                      {"passkey", page.passkey ? "yes" : ""},
                                      {"codes", page.makes_codes ? "yes" : ""}},
                            .lists = {}};
        return respond(link_done_, values, 200);
    }

private:
    Template link_;
    Template link_done_;
};

}  // namespace

std::unique_ptr<const RecoverPages> read_recover_pages(const std::string& directory, const oauth::Branding& branding) {
    Partials partials = read_partials(directory, branding);
    // Pages of an operator need not offer passkeys.
    for (const char* name : {"account_new_passkey.html", "passkey_add.js"})
        if (std::filesystem::exists(directory + "/" + name))
            partials[name] = read_template_file(directory + "/" + name);
    return std::make_unique<TemplateRecoverPages>(directory, partials);
}

}  // namespace postern::web
