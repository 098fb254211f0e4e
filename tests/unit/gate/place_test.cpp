// The site that a request is of, a row for each spelling of its path.
#include "gate/place.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gate/readings.h"

using namespace postern;

namespace {

/// The path of the site with the page of the gate, if it is one; "no site" or "ambiguous".
std::string place(std::string_view path, const std::vector<const char*>& paths) {
    std::vector<gate::SiteUrl> sites;
    for (const char* each : paths) sites.push_back({"https://x.example", each});
    const auto readings = gate::readings_of(path);
    if (!readings) return "fault";
    const auto found = gate::find_place(*readings, sites);
    if (!found) return found.error() == gate::PlaceFault::no_site ? "no site" : "ambiguous";
    return sites[found->site].path + (found->own ? " own:" + *found->own : "");
}

}  // namespace

TEST_CASE("find_place: the longest path by whole segments decides [GATE-2]") {
    struct Row {
        const char* path;
        const char* place;
    };
    const std::vector<const char*> nested = {"/", "/admin/", "/admin/keys/"};
    const Row rows[] = {
        {"/", "/"},
        {"/a", "/"},
        {"/admin", "/admin/"},
        {"/admin/", "/admin/"},
        {"/admin/a", "/admin/"},
        {"/administrator", "/"},
        {"/admin.html", "/"},
        {"/Admin/", "ambiguous"},
        {"/a/admin/", "/"},
        {"/admin/keys", "/admin/keys/"},
        {"/admin/keys/a/b", "/admin/keys/"},
        {"/admin/keys2", "/admin/"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(place(row.path, nested) == row.place);
    }
    CHECK(place("/b", {"/a/"}) == "no site");
    CHECK(place("/", {"/a/"}) == "no site");
    CHECK(place("/a", {}) == "no site");
}

TEST_CASE("find_place: readings that lead to different sites are no site's, others are welcome [GATE-11]") {
    struct Row {
        const char* path;
        const char* place;
    };
    const std::vector<const char*> sites = {"/", "/one/", "/two/"};
    const Row rows[] = {
        // What web servers were seen to serve from /two/.
        {"/one/..%2ftwo/s", "ambiguous"},
        {"/one/../two/s", "ambiguous"},
        {"//two/s", "ambiguous"},
        {"/%74wo/s", "ambiguous"},
        {"/one/%2e%2e/two/s", "ambiguous"},
        {"/one/..\\two/s", "ambiguous"},
        {"/one/..%5ctwo/s", "ambiguous"},
        {"/one/%252e%252e/two/s", "ambiguous"},
        {"/one/..;x/two/s", "ambiguous"},
        {"/two;x/s", "ambiguous"},
        {"/two%2fs", "ambiguous"},
        {"/two\\s", "ambiguous"},
        {"/one/..", "ambiguous"},
        {"//x/two/s", "ambiguous"},
        {"///x/two/s", "ambiguous"},
        {"/Two/s", "ambiguous"},
        {"/.POSTERN/whoami", "ambiguous"},
        {"//one/two/s", "ambiguous"},
        // Spellings that stay where they are.
        {"/one/api/a%2Fb", "/one/"},
        {"/one/100%25", "/one/"},
        {"/one/Two/A", "/one/"},
        {"/one/a/../b", "/one/"},
        {"/one//a", "/one/"},
        {"/one/a;b=c/d", "/one/"},
        {"/one/What%3F", "/one/"},
        {"/two/%C3%BC", "/two/"},
        {"/a/b%2Fc", "/"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(place(row.path, sites) == row.place);
    }
    CHECK(place("/one/../two", {"/one/"}) == "ambiguous");
    CHECK(place("/%6fne/a", {"/one/"}) == "ambiguous");
    CHECK(place("/Wiki/a", {"/", "/Wiki/"}) == "/Wiki/");
    CHECK(place("/wiki/a", {"/", "/Wiki/"}) == "ambiguous");
}

TEST_CASE("find_place: what stands below .postern belongs to the gate, in every reading or in none [GATE-26]") {
    struct Row {
        const char* path;
        const char* place;
    };
    const std::vector<const char*> sites = {"/", "/one/"};
    const Row rows[] = {
        {"/.postern/callback", "/ own:callback"},
        {"/.postern/", "/ own:"},
        {"/.postern", "/ own:"},
        {"/.postern/a/b", "/ own:a/b"},
        {"/.posterns", "/"},
        {"/a/.postern/callback", "/"},
        {"/one/.postern/callback", "/one/ own:callback"},
        {"/one/.postern/../a", "ambiguous"},
        {"/one/%2epostern/callback", "ambiguous"},
        {"/one/.postern%2fcallback", "ambiguous"},
        {"/one/.postern;x/callback", "ambiguous"},
        {"/one//.postern/callback", "ambiguous"},
        {"/one/../.postern/callback", "ambiguous"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(place(row.path, sites) == row.place);
    }
}
