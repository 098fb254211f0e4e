// `postern doctor`: is everything in place? Each finding comes with its fix.
#include <algorithm>
#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/doctor/findings.h"
#include "cli/doctor/live/live.h"
#include "cli/output.h"
#include "text/mail.h"
#include "util/text.h"

namespace postern::cli {
namespace {

const char* to_string(State state) {
    switch (state) {
        case State::ok:
            return "ok";
        case State::warning:
            return "warning";
        case State::error:
            break;
    }
    return "error";
}

void add_config_problems(Findings& findings, const config::ConfigError& error) {
    if (error.problems.empty())
        return findings.error("config", error.what(), "correct the file, or name another one with --config");
    for (const auto& [key, reason] : error.problems)
        findings.error(
            "config", key.empty() ? reason : key + " " + reason,
            key.starts_with("metadata.") ? "remove this member from \"metadata\"" : "correct this key in the file");
}

std::optional<config::Config> check_config(Findings& findings, const std::string& path) {
    try {
        config::Config config = config::load_config(path);
        for (const std::string& warning : config.warnings) {
            findings.warning("config", warning, "change it in " + path + ", unless it is intended");
        }
        if (config.settings.jarm)
            findings.ok("signed answers", "authorize signs them (\"jarm\"), so that it opens the private keys");
        if (config.settings.oidc && !config.settings.authorize_post)
            findings.ok("authorize methods",
                        "GET alone; OpenID Connect Core §3.1.2.1 wants POST as well, which \"authorizeMethods\": "
                        "[\"GET\", \"POST\"] turns on");
        return config;
    } catch (const config::ConfigError& error) {
        add_config_problems(findings, error);
        return std::nullopt;
    }
}

/// The options of the command line.
struct Options {
    bool url = false;
    WebAccess access;
    std::string mail;  ///< where a message is sent; "": none is
};

Findings examine(const std::string& config_path, const Options& options) {
    Findings findings;
    if (const auto config = check_config(findings, config_path)) {
        check_files(findings, config_path, *config);
        check_place_of_marks(findings, *config);
        check_contents(findings, config_path, *config);
        check_client_clocks(findings, *config);
        check_sandbox(findings, *config);
        check_outbound(findings, *config);
        check_saslauthd(findings, *config);
        check_passwords(findings, config->settings.login);
        if (!options.mail.empty()) check_mail_to(findings, *config, options.mail);
        if (options.url) check_live_server(findings, *config, options.access);
        if (options.url) check_key_addresses(findings, *config);
    }
    return findings;
}

json::Object to_json(const Finding& finding) {
    return {{"check", finding.check},
            {"state", to_string(finding.state)},
            {"detail", finding.detail},
            {"fix", finding.fix}};
}

void print(const Findings& findings) {
    for (const Finding& finding : findings.list()) {
        std::string head = std::string(to_string(finding.state)) + std::string(9, ' ');
        std::cout << head.substr(0, 9) << finding.check << ": " << util::displayable(finding.detail) << '\n';
        if (!finding.fix.empty()) std::cout << "         fix: " << util::displayable(finding.fix) << '\n';
    }
}

void doctor(const Invocation& invocation, const Options& options) {
    const std::string& host = options.access.connect_to;
    if (util::has_control_bytes(host) || (!host.empty() && host.find(':') == host.npos))
        throw UsageError("--connect must be HOST:PORT");
    if (!options.mail.empty() && !text::is_mail_address(options.mail))
        throw UsageError("--mail must be an address like ada@example.org");
    const Findings findings = examine(invocation.config_path, options);
    if (invocation.json)
        print_json(json::array_of(findings.list(), to_json));
    else
        print(findings);
    const std::size_t errors = findings.count(State::error);
    if (errors > 0)
        throw Refused(std::to_string(errors) + (errors == 1 ? " error" : " errors") +
                      " found; each is listed with its fix");
}

}  // namespace

void Findings::ok_unless_found(const std::string& check, const std::string& detail) {
    if (std::ranges::find(list_, check, &Finding::check) == list_.end()) ok(check, detail);
}

std::size_t Findings::count(State state) const {
    return static_cast<std::size_t>(std::ranges::count(list_, state, &Finding::state));
}

void add_doctor_command(const Command& app, Invocation& invocation) {
    const auto [command, options] =
        add_command<Options>(app, invocation, "doctor", "Check the installation; every finding names its fix",
                             "postern doctor\n"
                             "  postern doctor --url\n"
                             "  postern doctor --url --connect 127.0.0.1:443\n"
                             "  postern doctor --mail ada@example.org",
                             doctor);
    const Option url = command.flag("--url", options.url, "Also check the web server at the issuer from outside");
    command.option("--ca", "FILE", options.access.ca_file, "With --url: PEM file of a private certificate authority")
        .needs(url);
    command
        .option("--connect", "HOST:PORT", options.access.connect_to,
                "With --url: connect here instead of to the issuer's host")
        .needs(url);
    command.option("--mail", "ADDRESS", options.mail,
                   "Also send a test message to ADDRESS, and show the output of the mail command");
    command.explain(
        "Checks the configuration, file owners and modes, keys, the pages of the database and whether it can be "
        "written, disk space, templates and the clock. It changes nothing. Run it as the user of the serving "
        "processes, because root may read what they may not; where each endpoint has its own user, run it as root. "
        "Exits 1 when there is an error, 0 when there are at most warnings.\n"
        "With --url it also sends requests to the web server at the issuer, with the program curl and made-up "
        "credentials, and checks that the Authorization header, cookies, headers, bodies and paths arrive, and that "
        "TLS, clock and discovery are right. No secret is sent, and no user is locked out. With outbound it also fetches the "
        "key sets of clients, ten at most.");
}

}  // namespace postern::cli
