// The table of targets.
#include "fuzz/targets.h"

namespace postern::test {
namespace {

constexpr FuzzTarget kTargets[] = {
    {"parameters", fuzz_parameters},
    {"cookie", fuzz_cookie},
    {"cgi_request", fuzz_cgi_request},
    {"json", fuzz_json},
    {"config", fuzz_config},
    {"credentials", fuzz_credentials},
    {"authorization_request", fuzz_authorization_request},
    {"redirect_uri", fuzz_redirect_uri},
    {"client_id_url", fuzz_client_id_url},
    {"client_document", fuzz_client_document},
    {"compact_jws", fuzz_compact_jws},
    {"signed_claims", fuzz_signed_claims},
    {"sealed_request", fuzz_sealed_request},
    {"sealed_content", fuzz_sealed_content},
    {"jwk_set", fuzz_jwk_set},
    {"user_import", fuzz_user_import},
    {"fetch_reply", fuzz_fetch_reply},
    {"fetch_order", fuzz_fetch_order},
    {"attestation_object", fuzz_attestation_object},
    {"authenticator_data", fuzz_authenticator_data},
    {"cose_key", fuzz_cose_key},
    {"client_data", fuzz_client_data},
    {"saslauthd_reply", fuzz_saslauthd_reply},
    {"svg_logo", fuzz_svg_logo},
    {"mo_file", fuzz_mo_file},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() { return kTargets; }

}  // namespace postern::test
