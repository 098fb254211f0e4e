// The lists and objects of a client as columns of `clients`. Private to this module.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "db/error.h"
#include "model/client.h"

namespace postern::store {

/// Returns the value of a name in that column. Throws StoreError for a name of another release.
template <class T>
T known(std::optional<T> value, const char* column) {
    if (!value) throw db::StoreError(std::string("clients.") + column + " holds a name this program does not know");
    return *value;
}

/// Column `grants`: words with blanks between them.
std::string column_of(const std::set<model::GrantType>& grants);
std::set<model::GrantType> parse_grants(const std::string& column);

/// Column `response_types`: response types with commas between them, because they have blanks.
std::string column_of(const std::set<model::ResponseType>& types);
std::set<model::ResponseType> parse_response_types(const std::string& column);

/// Column `names`: a line for each language, its tag first. Names have no control characters.
std::string column_of(const std::map<std::string, std::string>& names);
std::map<std::string, std::string> parse_names(std::string_view column);

/// Column `details`: what is only read with the client, a JSON object with the names of RFC 7591 and OpenID Connect
/// Registration; "" for nothing.
std::string details_of(const model::Client& client);
void read_details(const std::string& column, model::Client& client);
/// Returns the client's own profile alone, for a statement that reads no more of the client.
model::SecurityProfile read_security_profile(const std::string& column);
/// Returns the addresses for logouts alone, for a statement that reads no more of the client.
model::LogoutUris read_logout_uris(const std::string& column);

}  // namespace postern::store
