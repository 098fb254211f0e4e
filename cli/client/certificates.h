// The options of `client add` and `client set` about the certificates of a client (RFC 8705).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "model/client.h"

namespace postern::cli {

inline constexpr std::size_t kNameOptions = std::size(model::kNameKinds);

/// The options as the operator typed them, names in the order of model::kNameKinds. An option that was not typed is an
/// empty optional.
struct CertificateOptions {
    std::array<std::optional<std::string>, kNameOptions> names;
    std::array<bool, kNameOptions> no_names{};
    std::optional<bool> bound;

    bool operator==(const CertificateOptions&) const = default;
};

void add_certificate_options(const Command& command, CertificateOptions& options);
/// Adds the options of `client set` that undo those of `client add`.
void add_certificate_set_options(const Command& command, CertificateOptions& options);

/// Writes the options into `client`, and takes the name away from a client with another method than tls_client_auth.
/// Throws UsageError for more than one name.
void apply(const CertificateOptions& options, model::Client& client);

}  // namespace postern::cli
