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

    /// Returns the one https address in the body, or "".
    std::string link() const;
};

class Sendmail {
public:
    /// Makes the program below `directory`, which exists.
    explicit Sendmail(const std::filesystem::path& directory);

    /// Returns the member `mail` of a configuration.
    json::Object config(int per_hour = 200) const;

    /// Sets the behaviour from now on: "keep", "fail" (status 75, with words on standard error), "deaf" (ends at once,
    /// with status 0 and nothing kept), "hang" (does not end, and neither does its child).
    void behave(const std::string& how) const;

    /// Returns the messages in the order in which they came.
    std::vector<ReceivedMail> received() const;
    /// Returns the only message that has come since the last call; fails the test when there is no message or more than
    /// one.
    ReceivedMail only_new();

private:
    std::filesystem::path directory_;
    std::size_t seen_ = 0;
};

}  // namespace postern::test
