// A UserInfo endpoint with its own claims: a JSON object for each user in the file `<sub>.json` of one directory.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "json/reader.h"
#include "server/userinfo_endpoint.h"

namespace {

using namespace postern;

/// From the process environment, which the web server's configuration sets and a request cannot.
std::filesystem::path claims_directory() {
    const char* const configured = std::getenv("USERINFO_CLAIMS");
    return configured != nullptr ? configured : "/var/lib/postern/claims";
}

/// The subject becomes part of a path, so it must be a plain name without separator and dot. Postern's own always are.
std::filesystem::path claims_file(const std::string& subject) {
    constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (subject.empty() || subject.find_first_not_of(kPlain) != std::string::npos)
        throw std::runtime_error("the subject is not a file name");
    return claims_directory() / (subject + ".json");
}

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return text.str();
}

/// `getUserClaims(subject)`. No file: a user without claims. An unusable file: an exception, so no answer.
json::Object get_user_claims(const model::Subject& subject) {
    const std::filesystem::path path = claims_file(subject.str());
    if (!std::filesystem::exists(path)) return {};
    const auto claims = json::parse(read(path));
    if (!claims || claims->if_object() == nullptr) throw std::runtime_error(path.string() + " is not a JSON object");
    return *claims->if_object();
}

}  // namespace

int main() { return server::serve_userinfo(get_user_claims, {.read = {claims_directory()}}); }
