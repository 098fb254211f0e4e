// Where links are asked for, and where they lead.
#include "web/recover/paths.h"

namespace postern::web {

std::vector<std::string> recover_paths(const oauth::Settings& settings) {
    if (!settings.paths.recover || !settings.login.keeps_passwords()) return {};
    const std::string link = *settings.paths.recover + kLinkSuffix;
    if (!settings.offers_recovery()) return {link};
    return {*settings.paths.recover, link};
}

}  // namespace postern::web
