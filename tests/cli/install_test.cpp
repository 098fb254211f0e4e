// `make install` puts each file in its place, and `make uninstall` takes exactly these away.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <set>

#include "installation.h"
#include "oauth/endpoints.h"
#include "support/deployment.h"

using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// A directory that stands for the machine's root, in which `make install` and `uninstall` work.
class Root {
public:
    Root() {
        std::string name = (fs::temp_directory_path() / "pt-install-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Root(const Root&) = delete;
    Root& operator=(const Root&) = delete;
    ~Root() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }

    /// The tree is built already.
    std::string make(const std::string& target, const Words& variables) const {
        Words command = {"/bin/sh",
                         "-c",
                         "umask 077; exec make -s -o all \"$@\"",
                         "make",
                         target,
                         "BUILD=" + build_directory().string(),
                         "DESTDIR=" + path_.string()};
        command.insert(command.end(), variables.begin(), variables.end());
        const auto result = run(command, {{"PATH", "/usr/bin:/bin"}}, {}, std::chrono::minutes(2));
        CHECK(result.exit_code == 0);
        CHECK(result.err == "");
        return result.out;
    }

    /// "755 /usr/bin/postern"
    std::set<std::string> files() const {
        std::set<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(path_)) {
            if (!entry.is_regular_file()) {
                CHECK(entry.is_directory());
                CHECK(mode_of(entry) == 0755);
                continue;
            }
            char mode[8];
            std::snprintf(mode, sizeof mode, "%o ", mode_of(entry));
            found.insert(mode + entry.path().string().substr(path_.string().size()));
        }
        return found;
    }

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// All that belongs there but examples and units, which are as many as there are in the source tree.
std::set<std::string> expected(const std::string& prefix, const std::string& libraries) {
    std::set<std::string> files = {
        "755 " + prefix + "/bin/postern",
        "644 " + prefix + "/share/postern/schema.sql",
        "644 " + prefix + "/share/postern/schema-postgresql.sql",
        "644 " + prefix + "/share/postern/grants-postgresql.sql",
        "644 " + prefix + "/share/postern/postern.json",
        "644 " + prefix + "/share/bash-completion/completions/postern",
        "644 " + prefix + "/share/man/man1/postern.1",
        "644 " + prefix + "/share/man/man5/postern.json.5",
        "644 " + prefix + "/share/man/man8/postern-endpoints.8",
        "644 " + prefix + "/share/doc/postern/OPERATIONS.md",
        "644 " + prefix + "/share/doc/postern/CLIENTS.md",
        "644 " + prefix + "/share/doc/postern/CHANGELOG.md",
        "644 " + prefix + "/share/doc/postern/LICENSE",
        "644 " + prefix + "/share/doc/postern/NOTICE",
        "644 " + libraries + "/libpostern.a",
        "644 " + libraries + "/pkgconfig/postern.pc",
        "644 /etc/postern/postern.json",
    };
    if (fs::exists(source_directory() / "apache-example.conf"))
        files.insert("644 " + prefix + "/share/doc/postern/apache-example.conf");
    for (const auto& page : fs::directory_iterator(source_directory() / "docs/clients"))
        files.insert("644 " + prefix + "/share/doc/postern/clients/" + page.path().filename().string());
    for (const auto& endpoint : postern::oauth::endpoint::kDeclared)
        files.insert("755 " + prefix + "/lib/postern/cgi-bin/" + std::string(endpoint.name));
    if (fs::exists(build_directory() / "libexec/fetch/fetch")) files.insert("755 " + prefix + "/libexec/postern/fetch");
    for (const auto& entry : fs::directory_iterator(source_directory() / "templates"))
        files.insert("644 " + prefix + "/share/postern/templates/" + entry.path().filename().string());
    if (fs::exists(build_directory() / "templates/languages.mo"))
        files.insert("644 " + prefix + "/share/postern/templates/languages.mo");
    const fs::path library = source_directory() / "lib";
    for (const auto& header : fs::recursive_directory_iterator(library)) {
        if (header.path().extension() != ".h") continue;
        files.insert("644 " + prefix + "/include/postern/" + fs::relative(header.path(), library).string());
    }
    return files;
}

bool is_example_or_unit(const std::string& file) {
    for (const char* where : {"/share/doc/postern/examples/", "/systemd/system/postern", "/sysusers.d/postern.conf",
                              "/tmpfiles.d/postern.conf"})
        if (has(file, where)) return true;
    return false;
}

std::string lines(const std::set<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += file + "\n";
    return text;
}

void write_bystander(const fs::path& file) {
    write_file(file, "not ours");
    fs::permissions(file, fs::perms(0644));
}

/// Where pkg-config finds the headers for a postern.pc below `root`.
std::string header_directory(const fs::path& root, const std::string& libraries) {
    auto flags = run({"/usr/bin/pkg-config", "--variable=includedir", "postern"},
                     {{"PKG_CONFIG_PATH", root.string() + libraries + "/pkgconfig"}, {"PATH", "/usr/bin:/bin"}});
    CHECK(flags.exit_code == 0);
    return flags.out.substr(0, flags.out.find('\n'));
}

}  // namespace

TEST_CASE("install: every file is in its place with its mode, under any umask, and uninstall removes them") {
    struct Row {
        std::string prefix;
        Words variables;
        std::string libraries;
        bool systemd;
    };
    const Row rows[] = {
        {"/usr/local", {}, "/usr/local/lib", true},
        {"/usr", {"PREFIX=/usr", "LIBDIR=/usr/lib/x86_64-linux-gnu"}, "/usr/lib/x86_64-linux-gnu", true},
        {"/opt/postern", {"PREFIX=/opt/postern", "LIBDIR=/elsewhere", "SYSTEMD=no"}, "/elsewhere", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.prefix);
        const Root root;
        root.make("install", row.variables);
        auto files = root.files();
        for (const char* unit :
             {"/lib/systemd/system/postern-token@.service", "/lib/systemd/system/postern-token.socket",
              "/lib/systemd/system/postern-@.service.d/10-sandbox.conf", "/lib/sysusers.d/postern.conf",
              "/lib/tmpfiles.d/postern.conf"})
            CHECK(files.contains("644 " + row.prefix + unit) == row.systemd);
        std::erase_if(files, is_example_or_unit);
        CHECK(lines(files) == lines(expected(row.prefix, row.libraries)));
        CHECK(read_file(root.path() / "etc/postern/postern.json") ==
              read_file(source_directory() / "examples/postern.json"));

        const std::string headers = header_directory(root.path(), row.libraries);
        if (row.libraries == "/elsewhere")
            CHECK(headers == "/opt/postern/include/postern");  // there is no relative way
        else
            CHECK(fs::exists(fs::path(headers) / "config" / "config.h"));

        write_bystander(root.path().string() + row.prefix + "/bystander");
        root.make("uninstall", row.variables);
        CHECK(lines(root.files()) == "644 " + row.prefix + "/bystander\n");
        for (const char* ours : {"/lib/postern", "/share/postern", "/share/doc/postern", "/include/postern",
                                 "/lib/systemd/system/postern-@.service.d"})
            CHECK_FALSE(fs::exists(root.path().string() + row.prefix + ours));
        CHECK_FALSE(fs::exists(root.path() / "etc/postern"));
    }
}

TEST_CASE("install: what is read names places below PREFIX, and an operator's configuration outlives everything") {
    const Root root;
    const fs::path configuration = root.path() / "etc/postern/postern.json";
    fs::create_directories(configuration.parent_path());
    const std::string mine = "{\"issuer\": \"https://mine.example\"}";
    write_file(configuration, mine);

    CHECK(has(root.make("install", {"PREFIX=/opt/postern"}), "is kept as it is"));
    CHECK(read_file(configuration) == mine);
    std::size_t named = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root.path() / "opt")) {
        if (!entry.is_regular_file() || entry.path().extension() == ".a" || entry.path().extension() == "") continue;
        CAPTURE(entry.path().string());
        const std::string text = read_file(entry);
        CHECK_FALSE(has(text, "/usr/local/"));
        if (has(text, "/opt/postern/lib/postern/cgi-bin")) ++named;
    }
    CHECK(named > 10);  // at least one unit for each endpoint

    CHECK(has(root.make("uninstall", {"PREFIX=/opt/postern"}), "is kept: it is yours"));
    CHECK(read_file(configuration) == mine);
}
