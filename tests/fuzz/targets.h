// Every parser of bytes that come from outside, as a function that any bytes may be given to.
#pragma once

#include <span>
#include <string_view>

namespace postern::test {

/// `run` answers for whatever input; it throws FalsePromise when the parser broke a promise of its header, and anything
/// else that comes out of it is a defect too.
struct FuzzTarget {
    std::string_view name;  ///< also the folder of its seeds: tests/fuzz/seeds/NAME/
    void (*run)(std::string_view input);
};

std::span<const FuzzTarget> fuzz_targets();

struct FalsePromise {
    const char* promise;
};

inline void promise(bool kept, const char* what) {
    if (!kept) throw FalsePromise{what};
}

// One group of targets a file.
void fuzz_parameters(std::string_view input);
void fuzz_cookie(std::string_view input);
void fuzz_cgi_request(std::string_view input);
void fuzz_json(std::string_view input);
void fuzz_config(std::string_view input);
void fuzz_credentials(std::string_view input);
void fuzz_authorization_request(std::string_view input);
void fuzz_redirect_uri(std::string_view input);
void fuzz_client_id_url(std::string_view input);
void fuzz_client_document(std::string_view input);
void fuzz_compact_jws(std::string_view input);
void fuzz_signed_claims(std::string_view input);
void fuzz_sealed_request(std::string_view input);
void fuzz_sealed_content(std::string_view input);
void fuzz_jwk_set(std::string_view input);
void fuzz_user_import(std::string_view input);
void fuzz_fetch_reply(std::string_view input);
void fuzz_fetch_order(std::string_view input);
void fuzz_attestation_object(std::string_view input);
void fuzz_authenticator_data(std::string_view input);
void fuzz_cose_key(std::string_view input);
void fuzz_client_data(std::string_view input);
void fuzz_saslauthd_reply(std::string_view input);
void fuzz_svg_logo(std::string_view input);
void fuzz_mo_file(std::string_view input);

}  // namespace postern::test
