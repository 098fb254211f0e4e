// The endpoints, each declared once: its path, its processes, and what these may open.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace postern::oauth {

using RequiredPath = std::string;
using OptionalPath = std::optional<std::string>;  ///< nullopt: not offered
/// The declared type of an OptionalPath that is not offered until the configuration names it. The declared path is that
/// of the examples.
struct PathOnDemand {};

namespace endpoint {

/// The rights of a program: the files that its user may open, and the slice of systemd in which it runs.
enum Rights : unsigned {
    none = 0,    ///< the key directory alone, in which it can read the key set
    reads = 1,   ///< the database for reading, and the key set
    writes = 2,  ///< the database for writing, and the key set
    seal = 4,    ///< seal.key
    factor = 8,  ///< factor.key
    sign = 16,   ///< signing keys
    sign_if_front =
        32,       ///< signing keys if `responseTypes` has token or id_token, or with `jarm`, and the operator lets it
    hashes = 64,  ///< memory to hash passwords, in a slice that it shares with the others that do
};

/// The number of processes that web servers and units start: `two` where one process may wait for the disk or hash a
/// password.
enum class Processes { one, two };

/// The way in which the configurations of the web servers find the program.
enum class Route {
    whole,  ///< by its path alone, and they are generated; the last segment of the path is its name
    own,    ///< written by hand in each of them: it answers several paths
};

}  // namespace endpoint

/// ENDPOINT(name of the program, and in camelCase the key in `paths`, type of the path, default path, route, processes,
/// rights, what it is). Scripts and tests read these lines, too: scripts/fill-examples writes the configurations of web
/// servers and units in examples/ from them.
// clang-format off
#define POSTERN_ENDPOINTS(ENDPOINT) \
    ENDPOINT(authorize, RequiredPath, "/authorize", whole, two, writes | seal | sign_if_front, "the authorization endpoint") \
    ENDPOINT(login, RequiredPath, "/login", whole, two, writes | seal | factor | hashes, "the login page") \
    ENDPOINT(scopes, RequiredPath, "/scopes", whole, one, writes | seal, "the consent page") \
    ENDPOINT(logout, OptionalPath, "/logout", whole, one, writes | seal, "the logout endpoint") \
    ENDPOINT(account, OptionalPath, "/account", own, one, writes | seal | factor | hashes, "the account") \
    ENDPOINT(recover, OptionalPath, "/recover", own, one, writes | seal | hashes, "links") \
    ENDPOINT(token, RequiredPath, "/token", whole, two, writes | sign, "the token endpoint") \
    ENDPOINT(par, PathOnDemand, "/par", whole, one, writes | seal, "the pushed authorization request endpoint") \
    ENDPOINT(device_authorization, PathOnDemand, "/device_authorization", whole, one, writes, "the device authorization endpoint") \
    ENDPOINT(device, PathOnDemand, "/device", whole, one, writes | seal, "the page for devices") \
    ENDPOINT(registration, OptionalPath, "/register", own, one, writes, "the registration endpoint") \
    ENDPOINT(introspect, OptionalPath, "/token/introspect", whole, two, reads, "the introspection endpoint") \
    ENDPOINT(revoke, OptionalPath, "/token/revoke", whole, two, writes, "the revocation endpoint") \
    ENDPOINT(userinfo, OptionalPath, "/userinfo", whole, two, reads, "the UserInfo endpoint") \
    ENDPOINT(gate, PathOnDemand, "/gate", own, two, writes | seal, "the gate") \
    ENDPOINT(jwks, RequiredPath, "/jwks", whole, one, none, "the key set") \
    ENDPOINT(discovery, RequiredPath, "/.well-known/openid-configuration", own, one, none, "the discovery documents")
// clang-format on

namespace endpoint {

/// The member of Paths of a declared type, and its default.
template <class Type>
struct PathMember {
    using type = Type;
    static type initial(const char* path) { return path; }
};
template <>
struct PathMember<PathOnDemand> {
    using type = OptionalPath;
    static type initial(const char*) { return std::nullopt; }
};

}  // namespace endpoint

/// Paths relative to the issuer. The pages of the account are below `account`; `recover` is the page that asks for a
/// link, and the one that opens links is below it.
struct Paths {
#define POSTERN_PATH(name, of, path, ...) endpoint::PathMember<of>::type name = endpoint::PathMember<of>::initial(path);
    POSTERN_ENDPOINTS(POSTERN_PATH)
#undef POSTERN_PATH
};

namespace endpoint {

/// Returns the key in the configuration of the endpoint's path: `paths.deviceAuthorization` of device_authorization.
std::string key_of_path(std::string_view name);

struct Declaration {
    std::string_view name;
    std::string_view path;
    bool may_be_null;
    bool is_on_demand;
    Route route;
    Processes processes;
    unsigned rights;  ///< several of Rights
    std::string_view what;
};

inline constexpr Declaration kDeclared[] = {
#define POSTERN_DECLARATION(name, type, path, route, processes, rights, what) \
    {#name,                                                                   \
     path,                                                                    \
     !std::is_same_v<type, RequiredPath>,                                     \
     std::is_same_v<type, PathOnDemand>,                                      \
     Route::route,                                                            \
     Processes::processes,                                                    \
     rights,                                                                  \
     what},
    POSTERN_ENDPOINTS(POSTERN_DECLARATION)
#undef POSTERN_DECLARATION
};

}  // namespace endpoint
}  // namespace postern::oauth
