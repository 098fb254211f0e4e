// Parsers of what a web server asks the gate.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "gate/location.h"
#include "gate/place.h"
#include "gate/question.h"
#include "gate/readings.h"
#include "gate/site_url.h"
#include "http/url.h"
#include "util/text.h"

namespace postern::test {

/// The input is a request target.
FUZZ_TARGET(gate_path) {
    const std::size_t mark = std::min(input.find('?'), input.size());
    const std::string path = gate::encode_path(input.substr(0, mark));
    const std::string query = gate::encode_query(input.substr(std::min(mark + 1, input.size())));
    promise(path.starts_with("/") && !path.starts_with("//"), "a path of a Location names no host");
    const auto url = http::parse_url("https://x.example" + path + "?" + query);
    if (path.size() + query.size() < 4000) promise(url && url->host == "x.example", "a Location is a URL of the site");

    const auto readings = gate::readings_of(input.substr(0, mark));
    if (!readings) {
        promise(!gate::to_string(readings.error()).empty(), "a fault has words");
        return;
    }
    promise(readings->contains(std::string(input.substr(0, mark))), "what came is a reading");
    for (const std::string& reading : *readings)
        promise(reading.starts_with('/') && !util::has_control_bytes(reading), "a reading is a path");
    const std::vector<gate::SiteUrl> sites = {{"https://x.example", "/"}, {"https://x.example", "/a/"}};
    const auto place = gate::find_place(*readings, sites);
    const bool is_inner = input == "/a" || input.starts_with("/a/");
    if (place) promise((place->site == 1) == is_inner || mark < input.size(), "a plain prefix is one of the readings");
}

/// The input are variables, one a line.
FUZZ_TARGET(gate_question) {
    gate::Variables variables;
    for (const std::string_view line : util::split(input, '\n'))
        if (const std::size_t equals = line.find('='); equals != line.npos)
            variables[std::string(line.substr(0, equals))] = std::string(line.substr(equals + 1));
    for (const gate::Route route : {gate::Route::authorizer, gate::Route::gate, gate::Route::pages})
        for (const bool believed : {true, false}) {
            const auto question = gate::parse_question(route, variables, {believed, "/gate/pages"});
            if (!question) {
                promise(!question.error().detail.empty(), "a refusal says why");
                continue;
            }
            promise(gate::parse_origin(question->origin) == question->origin, "an origin has one spelling");
            promise(question->path.find('?') == std::string::npos, "the query is no part of the path");
            promise(believed || variables.contains("POSTERN_GATE_SITE"), "a stranger's headers are not believed");
        }
}

}  // namespace postern::test
