// Where links of the operator lead.
#include "web/recover/paths.h"

namespace postern::web {

std::vector<std::string> recover_paths(const oauth::Settings& settings) {
    if (!settings.paths.recover || !settings.login.keeps_passwords()) return {};
    return {*settings.paths.recover + kLinkSuffix};
}

}  // namespace postern::web
