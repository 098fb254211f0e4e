// Sends requests with the program curl.
#include "cli/doctor/live/http_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "util/text.h"

namespace postern::cli {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kRequestTimeout{10000};
constexpr Milliseconds kConnectTimeout{5000};
constexpr Milliseconds kMinimumTime{100};
constexpr std::size_t kMaxOutput = 1 << 20;  // more than any response that is expected

void require(int error, const char* what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() { require(pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe2"); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        end(0);
        end(1);
    }
    void end(std::size_t which) {
        if (ends[which] >= 0) close(ends[which]);
        ends[which] = -1;
    }
};

/// curl reads its options from standard input: none is visible on a command line, and ~/.curlrc is not read.
pid_t start_curl(const Pipe& in, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_t actions;
    require(posix_spawn_file_actions_init(&actions), "posix_spawn");
    posix_spawn_file_actions_adddup2(&actions, in.ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
    std::array<std::string, 4> words{"curl", "--disable", "--config", "-"};
    std::array<char*, 5> argv{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    pid_t child = -1;
    const int error = posix_spawnp(&child, "curl", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    require(error, "curl");
    return child;
}

/// False at the end.
bool read_some(int descriptor, std::string& text) {
    std::array<char, 16384> buffer{};
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

/// Reads both streams to their ends; false when one of them exceeds kMaxOutput.
bool collect(Pipe& out, Pipe& err, std::string& response, std::string& trace) {
    while (out.ends[0] >= 0 || err.ends[0] >= 0) {
        pollfd waiting[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};  // a negative descriptor is skipped
        if (poll(waiting, 2, -1) < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
        if (waiting[0].revents != 0 && !read_some(out.ends[0], response)) out.end(0);
        if (waiting[1].revents != 0 && !read_some(err.ends[0], trace)) err.end(0);
        if (response.size() > kMaxOutput || trace.size() > kMaxOutput) return false;
    }
    return true;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) require(errno == EINTR ? 0 : errno, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The text of --show-error after "curl: (60) ".
std::string error_message_in(std::string_view trace) {
    std::string found;
    for (const std::string_view line : util::split(trace, '\n')) {
        if (!line.starts_with("curl: (")) continue;
        const auto end = line.find(") ");
        if (end != line.npos) found = std::string(line.substr(end + 2));
    }
    return found;
}

void add_option(std::string& text, std::string_view name, std::string_view value) {
    text.append(name);
    if (!value.empty()) {
        text += " = \"";
        for (const char c : value) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    text += '\n';
}

std::string seconds(Milliseconds time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(time.count()) / 1000);
    return text;
}

}  // namespace

std::vector<std::string> HttpResponse::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& header : headers)
        if (util::equal_ignoring_case(header.first, name)) values.push_back(header.second);
    return values;
}

std::string HttpResponse::first(std::string_view name) const {
    const auto values = all(name);
    return values.empty() ? std::string() : values.front();
}

WebClient::WebClient(WebAccess access, std::chrono::seconds patience)
    : access_(std::move(access)), deadline_(std::chrono::steady_clock::now() + patience) {}

std::string WebClient::curl_config(const HttpRequest& request, Milliseconds time) const {
    std::string text;
    for (const char* flag : {"silent", "show-error", "include", "globoff", "path-as-is", "http1.1"})
        add_option(text, flag, "");
    add_option(text, "url", request.url);
    add_option(text, "proto", "=http,https");
    add_option(text, "noproxy", "*");
    add_option(text, "user-agent", "postern-doctor");
    add_option(text, "connect-timeout", seconds(std::min(time, kConnectTimeout)));
    add_option(text, "max-time", seconds(time));
    add_option(text, "request", request.method);
    for (const std::string& header : request.headers) add_option(text, "header", header);
    if (request.form && request.form->empty()) text += "data = \"\"\n";
    if (request.form && !request.form->empty()) add_option(text, "data-binary", *request.form);
    if (!access_.ca_file.empty()) add_option(text, "cacert", access_.ca_file);
    if (!access_.connect_to.empty()) add_option(text, "connect-to", "::" + access_.connect_to);
    for (const auto& option : request.options) add_option(text, option.first, option.second);
    return text;
}

HttpResponse WebClient::send(const HttpRequest& request) const {
    HttpResponse response;
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left < kMinimumTime) {
        response.failure = kOutOfTime;
        response.message = "the time for all requests together is over";
        return response;
    }
    Pipe in, out, err;
    const std::string config = curl_config(request, std::min(left, kRequestTimeout));
    response.sent_at = util::SystemClock().now();
    const pid_t child = start_curl(in, out, err);
    for (Pipe* pipe : {&out, &err}) pipe->end(1);
    // The read end stays open in this process until then, so the write cannot raise SIGPIPE. It cannot block either: a
    // pipe holds at least 4096 bytes, which is more than any request needs.
    const ssize_t written = write(in.ends[1], config.data(), config.size());
    if (written != static_cast<ssize_t>(config.size())) kill(child, SIGKILL);
    in.end(1);
    in.end(0);
    std::string text;
    if (!collect(out, err, text, response.trace)) kill(child, SIGKILL);
    response.failure = wait_for(child);
    response.received_at = util::SystemClock().now();
    response.message = error_message_in(response.trace);
    if (response.failure == 0) parse_response(text, response);
    return response;
}

void parse_response(std::string_view text, HttpResponse& response) {
    do {
        const std::size_t end = text.find("\r\n\r\n");
        const std::string_view head = text.substr(0, end);
        text = end == text.npos ? std::string_view() : text.substr(end + 4);
        response.headers.clear();
        for (std::string_view line : util::split(head, '\n')) {
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.starts_with("HTTP/")) {
                const std::size_t blank = line.find(' ');
                const auto status = util::parse_digits(blank == line.npos ? "" : line.substr(blank + 1, 3), 999);
                response.status = static_cast<int>(status.value_or(0));
            } else if (const std::size_t colon = line.find(':'); colon != line.npos) {
                response.headers.emplace_back(line.substr(0, colon), util::trim(line.substr(colon + 1)));
            }
        }
    } while (response.status >= 100 && response.status < 200 && !text.empty());
    response.body = std::string(text);
}

}  // namespace postern::cli
