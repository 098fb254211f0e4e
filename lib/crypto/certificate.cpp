// Decides which names and keys a certificate has, and who has issued it.
#include "crypto/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>

#include "crypto/digest.h"
#include "crypto/distinguished_name.h"
#include "crypto/foreign_key.h"
#include "crypto/openssl.h"
#include "crypto/start.h"
#include "util/text.h"

namespace postern::crypto {
namespace {

using Bio = openssl::Owned<BIO, BIO_free_all>;
using GeneralNames = openssl::Owned<GENERAL_NAMES, GENERAL_NAMES_free>;
using OctetString = openssl::Owned<ASN1_OCTET_STRING, ASN1_OCTET_STRING_free>;
using StoreContext = openssl::Owned<X509_STORE_CTX, X509_STORE_CTX_free>;

/// 112 bits (NIST SP 800-57): no SHA-1, no RSA below 2048 bits.
constexpr int kAuthorityLevel = 2;

std::string der_of(X509* certificate) {
    unsigned char* bytes = nullptr;
    const int size = i2d_X509(certificate, &bytes);
    if (size <= 0) openssl::fail("a certificate cannot be written");
    std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    return der;
}

std::string_view view(const ASN1_STRING* text) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

/// The bytes of an IPv4 or IPv6 address; "" for another text.
std::string address_bytes(const std::string& text) {
    const OctetString address(a2i_IPADDRESS(text.c_str()));
    return address ? std::string(view(address.get())) : std::string();
}

struct Kind {
    NameKind kind;
    int type;  ///< of a GENERAL_NAME
};
constexpr Kind kAlternativeNames[] = {{NameKind::san_dns, GEN_DNS},
                                      {NameKind::san_uri, GEN_URI},
                                      {NameKind::san_ip, GEN_IPADD},
                                      {NameKind::san_email, GEN_EMAIL}};

int type_of(NameKind kind) {
    for (const Kind& row : kAlternativeNames)
        if (row.kind == kind) return row.type;
    return -1;
}

bool is_same(const GENERAL_NAME* entry, const CertificateName& wanted) {
    int type = -1;
    const void* value = GENERAL_NAME_get0_value(entry, &type);
    if (type != type_of(wanted.kind) || value == nullptr) return false;
    const std::string_view text = view(static_cast<const ASN1_STRING*>(value));
    if (wanted.kind == NameKind::san_dns) return util::equal_ignoring_case(text, wanted.value);
    return text == (wanted.kind == NameKind::san_ip ? address_bytes(wanted.value) : wanted.value);
}

bool has_alternative_name(const X509* certificate, const CertificateName& wanted) {
    const GeneralNames names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    if (!names) return false;
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i)
        if (is_same(sk_GENERAL_NAME_value(names.get(), i), wanted)) return true;
    return false;
}

}  // namespace

std::optional<std::string> fault_of(const CertificateName& name) {
    const openssl::Use use;
    if (name.value.empty() || name.value.size() > 1024 || util::has_control_bytes(name.value))
        return "must be 1 to 1024 bytes without control characters";
    switch (name.kind) {
        case NameKind::subject_dn:
            return parse_distinguished_name(name.value) ? std::nullopt
                                                        : std::optional<std::string>(
                                                              "must be a name as RFC 4514 writes it, such as "
                                                              "CN=robot,O=Example,C=DE, without values in hexadecimal");
        case NameKind::san_dns:
            if (name.value.find('*') != std::string::npos) return "must be one host: wildcards are not matched";
            break;
        case NameKind::san_ip:
            if (address_bytes(name.value).empty()) return "must be an IPv4 or IPv6 address";
            break;
        case NameKind::san_uri:
        case NameKind::san_email:
            break;
    }
    return std::nullopt;
}

std::optional<Certificate> Certificate::from_der(std::string_view der) {
    const openssl::Use use;
    const unsigned char* at = openssl::bytes(der);
    std::shared_ptr<X509> certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())), X509_free);
    if (!certificate || at != openssl::bytes(der) + der.size()) return std::nullopt;
    return Certificate(std::move(certificate));
}

std::string Certificate::digest() const {
    const openssl::Use use;
    return sha256(der_of(x509_.get()));
}

bool Certificate::has_key(const PublicMembers& members) const {
    const openssl::Use use;
    return is_certificate_of(der_of(x509_.get()), members);
}

bool Certificate::has_name(const CertificateName& name) const {
    const openssl::Use use;
    if (fault_of(name)) return false;
    if (name.kind != NameKind::subject_dn) return has_alternative_name(x509_.get(), name);
    const auto wanted = parse_distinguished_name(name.value);
    return wanted && X509_NAME_cmp(wanted.get(), X509_get_subject_name(x509_.get())) == 0;
}

util::Time Certificate::not_after() const {
    const openssl::Use use;
    std::tm time{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(x509_.get()), &time) != 1) return {};
    return util::from_epoch(timegm(&time));
}

std::string Certificate::subject() const {
    const openssl::Use use;
    const Bio out(openssl::require(BIO_new(BIO_s_mem()), "no memory for a name"));
    X509_NAME_print_ex(out.get(), X509_get_subject_name(x509_.get()), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

Authorities Authorities::from_pem(std::string_view pem) {
    const openssl::Use use;
    name_digests();
    Authorities authorities;
    authorities.store_ = std::shared_ptr<X509_STORE>(openssl::require(X509_STORE_new(), "no memory"), X509_STORE_free);
    const Bio in(openssl::require(BIO_new_mem_buf(pem.data(), openssl::to_int(pem.size())), "no memory"));
    while (X509* read = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) {
        std::shared_ptr<X509> certificate(read, X509_free);
        openssl::require(X509_STORE_add_cert(authorities.store_.get(), read), "a certificate cannot be used");
        authorities.certificates_.push_back(Certificate(std::move(certificate)));
    }
    const unsigned long error = ERR_peek_last_error();
    const bool is_at_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    if (!is_at_end) openssl::fail("a certificate cannot be read");
    if (authorities.certificates_.empty()) throw CryptoError("there is no certificate in PEM");
    return authorities;
}

bool Authorities::have_issued(const Certificate& certificate, util::Time now) const {
    const openssl::Use use;
    const auto is_it = [&](const Certificate& authority) {
        return X509_cmp(authority.x509_.get(), certificate.x509_.get()) == 0;
    };
    if (std::ranges::any_of(certificates_, is_it)) return false;
    const StoreContext context(openssl::require(X509_STORE_CTX_new(), "no memory"));
    openssl::require(X509_STORE_CTX_init(context.get(), store_.get(), certificate.x509_.get(), nullptr),
                     "no memory for a chain");
    openssl::require(X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT), "no such purpose");
    X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_time(rules, static_cast<std::time_t>(util::to_epoch(now)));
    X509_VERIFY_PARAM_set_auth_level(rules, kAuthorityLevel);
    return X509_verify_cert(context.get()) == 1;
}

}  // namespace postern::crypto
