// Where the scheme of an Authorization header ends, and where its credentials begin.
#include "http/credentials.h"

#include <algorithm>

#include "util/text.h"

namespace postern::http {

SchemeAndCredentials split_credentials(std::string_view value) {
    value = util::trim(value);
    const std::size_t end = std::min(value.find(' '), value.size());
    const std::string_view rest = value.substr(end);
    return {value.substr(0, end), rest.substr(std::min(rest.find_first_not_of(' '), rest.size()))};
}

}  // namespace postern::http
