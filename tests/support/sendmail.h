// A program in the place of sendmail, which keeps what it is given, fails or hangs; and what Python's email package
// says about the messages.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "json/value.h"

namespace postern::test {

struct ReceivedMail {
    std::string raw;
    std::map<std::string, std::string> headers;  ///< decoded, by the names as they came
    std::string body;                            ///< decoded
    bool is_sound = false;                       ///< the parser found no defect, and each header once

    /// The one https address in the body, or "".
    std::string link() const;
};

class Sendmail {
public:
    /// Makes the program below `directory`, which is there.
    explicit Sendmail(const std::filesystem::path& directory);

    /// The member `mail` of a configuration.
    json::Object config(int per_hour = 200) const;

    /// From now on: "keep", "fail" (status 75, with words on standard error), "deaf" (ends at once, with status 0 and
    /// nothing kept), "hang" (does not end, and neither does its child).
    void behave(const std::string& how) const;

    /// In the order in which they came.
    std::vector<ReceivedMail> received() const;
    /// The only one that has come since it was last asked for; fails the test when there is none or another one.
    ReceivedMail only_new();

private:
    std::filesystem::path directory_;
    std::size_t seen_ = 0;
};

}  // namespace postern::test
