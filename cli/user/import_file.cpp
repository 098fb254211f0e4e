// Splits a file of users into lines of one format, with each name once, and decides which lines cannot become users.
#include "cli/user/import_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <utility>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/user/claims.h"
#include "crypto/imported_hash.h"
#include "json/reader.h"
#include "os/file.h"
#include "util/text.h"

namespace postern::cli {
namespace {

std::string accepted_hash(std::string_view text) {
    auto hash = crypto::parse_imported_hash(util::trim(text));
    if (!hash) throw Refused(hash.error());
    return hash->text;
}

/// Text after a second colon belongs to other programs: shadow(5) has dates there, and Apache ignores it.
void parse_htpasswd(std::string_view line, ImportedUser& user) {
    const auto parts = util::split(line, ':');
    if (parts.size() < 2) throw Refused("this is not `name:hash`; a plain password goes into a JSON line");
    user.username = parts[0];
    require_username(user.username);
    user.password_hash = accepted_hash(parts[1]);
}

const std::string& text_in(const std::string& name, const json::Value& value) {
    if (!value.if_string()) throw Refused(in_quotes(name) + " must be text");
    return *value.if_string();
}

void take_username(ImportedUser&, const std::string&, const json::Value&) {}  // read before all others

void take_hash(ImportedUser& user, const std::string& name, const json::Value& value) {
    user.password_hash = accepted_hash(text_in(name, value));
}

void take_password(ImportedUser& user, const std::string& name, const json::Value& value) {
    const std::string& password = text_in(name, value);
    if (const char* problem = password_problem(password)) throw Refused(problem);
    user.password.emplace(password);
}

void take_claims(ImportedUser& user, const std::string& name, const json::Value& value) {
    if (!value.if_object()) throw Refused(in_quotes(name) + " must be an object");
    user.claims.emplace();
    set_claims(*user.claims, *value.if_object());
}

void take_enabled(ImportedUser& user, const std::string& name, const json::Value& value) {
    if (!value.if_bool()) throw Refused(in_quotes(name) + " must be true or false");
    user.enabled = *value.if_bool();
}

void take_groups(ImportedUser& user, const std::string& name, const json::Value& value) {
    const json::Array* names = value.if_array();
    if (!names || !std::ranges::all_of(*names, [](const json::Value& each) { return each.if_string(); }))
        throw Refused(in_quotes(name) + " must be a list of names of groups");
    user.groups.emplace();
    for (const json::Value& each : *names) user.groups->push_back(*each.if_string());
}

struct Member {
    std::string_view name;
    void (*take)(ImportedUser&, const std::string& name, const json::Value&);
};

constexpr Member kMembers[] = {
    {"username", take_username}, {"password_hash", take_hash}, {"password", take_password},
    {"claims", take_claims},     {"enabled", take_enabled},    {"groups", take_groups},
};

void take(ImportedUser& user, const std::string& name, const json::Value& value) {
    const auto* member = std::ranges::find(kMembers, name, &Member::name);
    if (member == std::end(kMembers)) {
        throw Refused(in_quotes(name) +
                      " is not a member of a user: username, password_hash or password, claims, enabled, groups");
    }
    member->take(user, name, value);
}

const json::Object& require_object(const util::Result<json::Value, json::ParseError>& parsed) {
    if (!parsed)
        throw Refused("this is not JSON: " + parsed.error().reason + " (column " +
                      std::to_string(parsed.error().column) + ")");
    if (!parsed->if_object()) throw Refused("each line must be one JSON object, like {\"username\": \"ada\"}");
    return *parsed->if_object();
}

void parse_json(std::string_view line, ImportedUser& user) {
    const auto parsed = json::parse(line);
    const json::Object& object = require_object(parsed);
    const json::Value* name = object.find("username");
    if (!name) throw Refused("\"username\" is missing");
    user.username = text_in("username", *name);
    require_username(user.username);
    for (const auto& [key, value] : object.members()) take(user, key, value);
    if (user.password && user.password_hash) throw Refused("there are both a password and a hash; give one of them");
}

constexpr std::size_t kMaxLineBytes = 65536;
constexpr std::size_t kEndlessLineBytes = 16 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// One line without its end, CR LF or LF; of a longer one than is taken, no more than shows that it is. False at the
/// end of the file. Throws Refused for a line without end: then the input is not a list of users (/dev/zero, for
/// example).
bool read_line(std::istream& input, std::string& line) {
    util::wipe(line);  // it may have held a password
    line.reserve(kMaxLineBytes + 1);
    std::streambuf& buffer = *input.rdbuf();
    std::size_t read = 0;
    for (int c = buffer.sbumpc(); c != std::char_traits<char>::eof(); c = buffer.sbumpc()) {
        if (++read > kEndlessLineBytes)
            throw Refused("a line is longer than 16 MiB, so this is not a list of users; no user was imported");
        if (c == '\n') break;
        if (line.size() <= kMaxLineBytes) line += static_cast<char>(c);
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return read > 0;
}

class Reader {
public:
    explicit Reader(std::istream& input) : input_(input) {}

    ImportFile read() {
        std::string line;
        while (read_line(input_, line)) {
            ++number_;
            if (number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
            if (!is_blank_line(format_.value_or(format_of(line)), line)) take(line);
        }
        if (format_) file_.format = *format_;
        return std::move(file_);
    }

private:
    void take(const std::string& line) {
        if (!format_) format_ = format_of(line);
        ImportedUser user;
        try {
            if (line.size() > kMaxLineBytes) throw Refused("the line is longer than 65536 bytes");
            parse_import_line(*format_, line, user);
            require_once(user.username);
        } catch (const Refused& refused) {
            file_.faulty.push_back({number_, user.username, refused.what()});
            return;
        }
        user.line = number_;
        file_.users.push_back(std::move(user));
    }

    void require_once(const std::string& username) {
        const auto [known, is_new] = lines_.emplace(username, number_);
        if (!is_new) throw Refused("the user name is already in line " + std::to_string(known->second));
    }

    std::istream& input_;
    ImportFile file_;
    std::optional<ImportFormat> format_;
    std::map<std::string, std::size_t> lines_;
    std::size_t number_ = 0;
};

/// A pipe has an end, and so has what is typed; any other device need not have one.
void require_file_or_pipe(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !(S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) return;
    const os::Descriptor device(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!device || ::isatty(device.get()) == 0) throw Refused(path + " is a device, not a file of users");
}

Refused cannot_read(const std::string& path) {
    return Refused(path + " cannot be read (" + std::strerror(errno) + ")");
}

}  // namespace

ImportFormat format_of(std::string_view line) {
    const auto text = util::trim(line);
    // An array counts as JSON too, so that the error message of its first line says what is expected.
    return text.starts_with('{') || text.starts_with('[') ? ImportFormat::json_lines : ImportFormat::htpasswd;
}

bool is_blank_line(ImportFormat format, std::string_view line) {
    const auto text = util::trim(line);
    return text.empty() || (format == ImportFormat::htpasswd && text.front() == '#');
}

void parse_import_line(ImportFormat format, std::string_view line, ImportedUser& user) {
    if (format == ImportFormat::json_lines) return parse_json(line, user);
    parse_htpasswd(line, user);
}

ImportFile read_import_file(const std::string& path) {
    ImportFile file;
    if (path == "-") {
        file = Reader(std::cin).read();
    } else {
        require_file_or_pipe(path);
        std::ifstream input(path, std::ios::binary);
        // A directory can be opened but not read.
        if (!input || (input.peek(), input.bad())) throw cannot_read(path);
        input.clear();
        file = Reader(input).read();
    }
    if (file.size() == 0) throw Refused((path == "-" ? "standard input" : path) + " contains no users");
    return file;
}

}  // namespace postern::cli
