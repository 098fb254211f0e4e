// `postern pages`: writes every page with sample values, for a look before users see them (BRAND-5).
#include <sys/stat.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/pages/samples.h"
#include "os/file.h"
#include "text/languages.h"
#include "text/message.h"
#include "util/clock.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

const text::Catalogue& find(const text::Languages& languages, const std::string& tag) {
    if (tag.empty()) return languages.last_resort();
    if (const text::Catalogue* found = languages.find(tag)) return *found;
    throw Refused("pages are not offered in \"" + tag + "\": see \"languages\" in the configuration");
}

constexpr util::Time kMoment = util::from_epoch(1777800600);
constexpr const char* kCreation =
    R"({"challenge":"AAAA","rp":{"name":"id.example.org"},"user":{"id":"AAAA","name":"ada","displayName":"Ada"},)"
    R"("pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[]})";

/// In the place of a QR code, which this program does not draw: the three corners of one.
constexpr const char* kPicture =
    "M4 4h7v7h-7zM5 5v5h5v-5zM6 6h3v3h-3zM18 4h7v7h-7zM19 5v5h5v-5zM20 6h3v3h-3zM4 18h7v7h-7zM5 19v5h5v-5zM6 20h3v3h-3z";

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;

/// So that no page of an earlier run is taken for one of this, and nothing else is written over.
void check_empty(const fs::path& directory) {
    std::error_code error;
    const bool is_empty = fs::is_empty(directory, error);
    if (error) throw Refused(directory.string() + " cannot be read (" + error.message() + ")");
    if (!is_empty)
        throw Refused(directory.string() + " is not empty: name a new directory, or one that has nothing in it");
}

std::vector<SamplePage> sample_pages(const config::Config& config, const std::string& language) {
    const auto book = pages::read_pages(config.templates, config.settings);
    const auto account_book = web::read_account_pages(book->templates());
    const auto device_book = web::read_device_pages(book->templates());
    const auto recover_book = web::read_recover_pages(book->templates());
    const text::Catalogue& shown = find(*book->languages(), language);
    SampleList list;
    add_sign_in_samples(list, book->in(shown));
    add_account_samples(list, account_book->in(shown), config.settings.service_name());
    add_device_samples(list, device_book->in(shown));
    add_recover_samples(list, recover_book->in(shown));
    return list.pages;
}

struct PagesOptions {
    std::string out;
    std::string language;
};

void write_pages(const Invocation& invocation, const PagesOptions& options) {
    const config::Config config = invocation.load_config();
    const auto pages = sample_pages(config, options.language);
    const fs::path directory = options.out;
    os::NewFiles made;
    make_directory(directory, kDirectoryMode, made);
    check_empty(directory);
    made.keep();
    json::Array files;
    for (const SamplePage& page : pages) {
        const std::string path = directory / page.name;
        if (!os::replace_file(path, page.html, kFileMode))
            throw Refused(path + " cannot be written (" + os::errno_text() +
                          "): name a directory that this user can write, on a disk with free space");
        files.emplace_back(path);
    }
    if (invocation.json) return print_json(json::Object{{"files", std::move(files)}});
    for (const json::Value& file : files) std::cout << *file.if_string() << '\n';
}

}  // namespace

text::Message sample_client() { return text::Message::verbatim("Our wiki"); }
text::Message sample_day() { return text::shown_day(kMoment); }
text::Message sample_time() { return text::shown_time(kMoment); }

login::NewPasskey sample_passkey() {
    return {kCreation, "sample", text::Message("Passkey, {date}", {{"date", sample_day()}})};
}

web::AppKey sample_key() {
    return {.text = "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP",
            .link = "otpauth://totp/sample:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
            .path = kPicture,
            .size = "29",
            .sealed = "sample"};
}

void add_pages_command(const Command& app, Invocation& invocation) {
    const auto [command, options] =
        add_command<PagesOptions>(app, invocation, "pages", "Write every page with sample values, to look at",
                                  "postern pages /tmp/pages", write_pages);
    command.explain(
        "Writes one HTML file for each page and state, from the configured templates and branding. The database is "
        "not read, and no form leads anywhere. The server sends each page with a content security policy, which the "
        "files lack: a browser that opens them may run a script that the policy would stop.");
    command.option("--language", "TAG", options.language, "The language of the pages (default: that of last resort)");
    command.argument("OUT", options.out, "A new directory, or an empty one");
}

}  // namespace postern::cli
