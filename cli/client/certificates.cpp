// Reads the options about the certificates of a client.
#include "cli/client/certificates.h"

#include "cli/command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

struct NameOption {
    const char* option;
    const char* undo;
    const char* operand;
    const char* help;
};
/// In the order of model::kNameKinds.
constexpr NameOption kOptions[] = {
    {"--tls-client-auth-subject-dn", "--no-tls-client-auth-subject-dn", "NAME",
     "With --auth-method tls_client_auth, the subject of its certificates, as in CN=robot,O=Example,C=DE (RFC 4514); one of "
     "these five"},
    {"--tls-client-auth-san-dns", "--no-tls-client-auth-san-dns", "HOST", "Likewise, a DNS name in its certificates"},
    {"--tls-client-auth-san-uri", "--no-tls-client-auth-san-uri", "URI", "Likewise, a URI in its certificates"},
    {"--tls-client-auth-san-ip", "--no-tls-client-auth-san-ip", "ADDRESS",
     "Likewise, an IP address in its certificates"},
    {"--tls-client-auth-san-email", "--no-tls-client-auth-san-email", "EMAIL",
     "Likewise, an email address in its certificates"},
};
static_assert(std::size(kOptions) == kNameOptions);

}  // namespace

void add_certificate_options(const Command& command, CertificateOptions& options) {
    for (std::size_t i = 0; i < kNameOptions; ++i)
        command.option(kOptions[i].option, kOptions[i].operand, options.names[i], kOptions[i].help);
    command.flag("--tls-client-certificate-bound-access-tokens", options.bound, true,
                 "Refuse its token requests without a certificate, so that each token is bound to one of it; needs "
                 "\"mtls\" in the configuration");
}

void add_certificate_set_options(const Command& command, CertificateOptions& options) {
    for (std::size_t i = 0; i < kNameOptions; ++i)
        command.flag(kOptions[i].undo, options.no_names[i], (std::string("Undo ") + kOptions[i].option).c_str());
    command.flag("--no-tls-client-certificate-bound-access-tokens", options.bound, false,
                 "Undo --tls-client-certificate-bound-access-tokens");
}

void apply(const CertificateOptions& options, model::Client& client) {
    if (options.bound) client.tls_bound = *options.bound;
    std::optional<crypto::CertificateName> given;
    for (std::size_t i = 0; i < kNameOptions; ++i) {
        const crypto::NameKind kind = model::kNameKinds[i];
        if (options.no_names[i] && client.certificate_name && client.certificate_name->kind == kind)
            client.certificate_name.reset();
        if (!options.names[i]) continue;
        if (given || options.no_names[i])
            throw UsageError("certificates are known by one name: give one of the options --tls-client-auth-...");
        given = crypto::CertificateName{kind, std::string(util::trim(*options.names[i]))};
    }
    if (given && client.auth_method != model::AuthMethod::tls_client_auth)
        throw UsageError("names of certificates go with --auth-method tls_client_auth");
    if (given) client.certificate_name = given;
    if (client.auth_method != model::AuthMethod::tls_client_auth) client.certificate_name.reset();
}

}  // namespace postern::cli
