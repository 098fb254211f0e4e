// A real disk that is really full, under the programs as they are installed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>

#include "support/flow.h"

namespace {

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

constexpr const char* kSize = "size=1536k";

bool write_once(const char* file, const std::string& text) { return bool(std::ofstream(file) << text << std::flush); }

/// Mounts of our own, which end with this process. False where that is not allowed.
bool get_mounts_of_our_own() {
    const auto user = ::geteuid();
    const auto group = ::getegid();
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        if (!write_once("/proc/self/setgroups", "deny") ||
            !write_once("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") ||
            !write_once("/proc/self/gid_map", "0 " + std::to_string(group) + " 1"))
            return false;
    }
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

/// The directory's files move to a small disk that takes its place.
bool put_on_small_disk(const fs::path& directory) {
    const fs::path aside = directory.string() + ".aside";
    fs::remove(directory / "refusals.ring");  // full of holes; a new one is made
    fs::copy(directory, aside);
    if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, kSize) != 0) return false;
    fs::copy(aside, directory);
    return true;
}

/// Takes all the room there is, and gives it back.
class Filler {
public:
    explicit Filler(const fs::path& directory) : path_(directory / "filler") {
        const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        for (std::size_t size = 65536; size > 0; size /= 2) {
            const std::string bytes(size, 'x');
            while (::write(file, bytes.data(), size) > 0) {
            }
        }
        ::close(file);
    }
    Filler(const Filler&) = delete;
    Filler& operator=(const Filler&) = delete;
    ~Filler() { ::unlink(path_.c_str()); }

private:
    fs::path path_;
};

/// Notes what is not as it should be; doctest's own count is not shared between processes.
class Notes {
public:
    void expect(bool is_so, const std::string& what, const Answer& answer = {}) {
        if (!is_so) text_ += what + ": " + answer.raw + answer.log + "\n";
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

bool is_refused(const Answer& answer) {
    return answer.status == 503 && !answer.header("Retry-After").empty() && !answer.has("Location") &&
           answer.body.find("access_token") == std::string::npos;
}

void use_it(const Deployment& op, UserAgent& alice, const json::Object& tokens, const std::string& code, Notes& notes) {
    const std::string access = text_of(tokens, "access_token");
    const std::string refresh = text_of(tokens, "refresh_token");
    const Query refreshing{{"grant_type", "refresh_token"}, {"refresh_token", refresh}};
    {
        const Filler filler(op.database_file().parent_path());
        notes.expect(is_active(op, access), "a live token is found active");
        notes.expect(userinfo(op, access).status == 200, "userinfo answers", userinfo(op, access));
        for (int i = 0; i < 3; ++i) {
            const Answer exchange = redeem(op, token_request(code));
            const Answer rotation = as_client(op, "token", refreshing);
            const Answer revocation = as_client(op, "revoke", {{"token", access}});
            const Answer grant = alice.fetch(op.url("authorize") + "?" + authorization_request().text());
            notes.expect(is_refused(exchange), "an exchange is refused", exchange);
            notes.expect(is_refused(rotation), "a refresh is refused", rotation);
            notes.expect(is_refused(revocation), "a revocation is refused", revocation);
            notes.expect(is_refused(grant), "no code is given", grant);
        }
        const fs::path copy = op.database_file().parent_path() / "copy.db";
        notes.expect(op.postern({"backup", copy.string()}).exit_code == 1, "a backup is refused");
        notes.expect(!fs::exists(copy), "nothing is left of it");
        const CommandResult disabled = op.postern({"user", "disable", kAlice});
        notes.expect(disabled.exit_code == 1 && !disabled.err.empty(), "a command says why not");
    }
    notes.expect(is_active(op, access), "afterwards the token is still good");
    notes.expect(redeem(op, token_request(code)).status == 200, "the code can be redeemed");
    notes.expect(as_client(op, "token", refreshing).status == 200, "the refresh token can be used");
    notes.expect(as_client(op, "revoke", {{"token", access}}).status == 200, "the token can be revoked");
    notes.expect(!is_active(op, access), "and is not active then");
}

constexpr const char* kNotAllowed = "not allowed";

std::string on_small_disk(const Deployment& op, const std::function<void(Notes&)>& work) {
    Notes notes;
    try {
        if (!get_mounts_of_our_own() || !put_on_small_disk(op.database_file().parent_path())) return kNotAllowed;
        work(notes);
    } catch (const std::exception& error) {
        notes.expect(false, error.what());
    } catch (...) {
        notes.expect(false, "a requirement of the tests' own tools failed");
    }
    return notes.text();
}

std::string in_child(const std::function<std::string()>& work) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const std::string said = work();
        const bool written = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
        ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    return said;
}

TEST_CASE("full disk: a file system without room, under the installed programs [S08, V06]") {
    Deployment op({"https://op.example", {{"refreshReuseGrace", 0}}});
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const std::string code = alice.obtain_code(authorization_request());
    const std::string said =
        in_child([&] { return on_small_disk(op, [&](Notes& notes) { use_it(op, alice, tokens, code, notes); }); });
    if (said == kNotAllowed) {
        MESSAGE("skipped: this user may not mount a file system of its own");
        return;
    }
    CHECK(said == "");
}

}  // namespace
