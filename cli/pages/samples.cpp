// Every page with sample values.
#include "cli/pages/samples.h"

#include "cli/command.h"
#include "cli/pages/sample_values.h"
#include "text/languages.h"

namespace postern::cli {
namespace {

const text::Catalogue& find(const text::Languages& languages, const std::string& tag) {
    if (tag.empty()) return languages.last_resort();
    if (const text::Catalogue* found = languages.find(tag)) return *found;
    throw Refused("pages are not offered in \"" + tag + "\": see \"languages\" in the configuration");
}

}  // namespace

std::vector<SamplePage> sample_pages(const config::Config& config, const std::string& language) {
    const auto book = pages::read_pages(config.templates, config.settings);
    const auto account_book = web::read_account_pages(book->templates());
    const auto recover_book = web::read_recover_pages(book->templates());
    const text::Catalogue& shown = find(*book->languages(), language);
    SampleList list;
    add_sign_in_samples(list, book->in(shown));
    add_account_samples(list, account_book->in(shown), config.settings.service_name());
    add_recover_samples(list, recover_book->in(shown));
    return list.pages;
}

}  // namespace postern::cli
