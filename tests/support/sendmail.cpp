// A program in the place of sendmail.
#include "support/sendmail.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "json/reader.h"
#include "support/deployment.h"
#include "support/process.h"

namespace postern::test {
namespace {

constexpr const char* kProgram = R"sh(#!/bin/sh
# Run as: sendmail -t -i
cd "${0%/*}" || exit 71
[ "$*" = "-t -i" ] || { echo "other arguments: $*" >&2; exit 64; }
case "$(cat mode)" in
fail) cat > /dev/null; echo "no route to the host of $(date)" >&2; exit 75 ;;
deaf) exit 0 ;;
hang) sleep 600 & wait ;;
esac
cat > "new.$$" && mv "new.$$" "mail.$(date +%s%N).$$"
)sh";

constexpr const char* kParser = R"py(
import sys, json, email, email.policy
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
names = [name.lower() for name in m.keys()]
defects = list(m.defects) + [d for v in m.values() for d in v.defects]
print(json.dumps({"headers": {k: str(v) for k, v in m.items()}, "body": m.get_content(),
                  "sound": not defects and len(set(names)) == len(names) and m.get_content_type() == "text/plain"}))
)py";

ReceivedMail parse(const std::string& raw) {
    const auto run = test::run({"/usr/bin/python3", "-c", kParser}, {{"LC_ALL", "C.UTF-8"}}, raw);
    REQUIRE_MESSAGE(run.exit_code == 0, run.err);
    const auto parsed = json::parse(run.out);
    REQUIRE(parsed);
    ReceivedMail mail{.raw = raw, .headers = {}, .body = *parsed->if_object()->find("body")->if_string()};
    for (const auto& [name, value] : parsed->if_object()->find("headers")->if_object()->members())
        mail.headers[name] = *value.if_string();
    mail.is_sound = *parsed->if_object()->find("sound")->if_bool();
    return mail;
}

}  // namespace

std::string ReceivedMail::link() const {
    const auto at = body.find("https://");
    if (at == body.npos) return "";
    CHECK(body.find("https://", at + 1) == body.npos);
    return body.substr(at, body.find_first_of(" \n", at) - at);
}

Sendmail::Sendmail(const std::filesystem::path& directory) : directory_(directory / "sendmail") {
    std::filesystem::create_directory(directory_);
    write_file(directory_ / "sendmail", kProgram);
    std::filesystem::permissions(directory_ / "sendmail", std::filesystem::perms::owner_all);
    behave("keep");
}

json::Object Sendmail::config(int per_hour) const {
    json::Array command;
    for (const std::string& word : {(directory_ / "sendmail").string(), std::string("-t"), std::string("-i")})
        command.emplace_back(word);
    return json::Object{
        {"from", "Example ID <id@example.org>"}, {"command", std::move(command)}, {"perHour", per_hour}};
}

void Sendmail::behave(const std::string& how) const { write_file(directory_ / "mode", how); }

std::vector<ReceivedMail> Sendmail::received() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
        if (entry.path().filename().string().starts_with("mail.")) files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<ReceivedMail> mails;
    for (const auto& file : files) mails.push_back(parse(read_file(file)));
    return mails;
}

ReceivedMail Sendmail::only_new() {
    const auto all = received();
    REQUIRE(all.size() == seen_ + 1);
    seen_ = all.size();
    return all.back();
}

}  // namespace postern::test
