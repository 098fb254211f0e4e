// Certificates of clients: their names, their keys and who has issued them (MTLS-4, MTLS-5, MTLS-15).
#include "crypto/certificate.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "crypto/error.h"
#include "support/certificates.h"
#include "util/base64.h"

namespace {

using namespace postern;
using namespace postern::test::certificates;
using crypto::Authorities;
using crypto::Certificate;
using crypto::NameKind;

constexpr util::Time kNow = util::from_epoch(1'800'000'000);
constexpr util::Time kIn2101 = util::from_epoch(4'140'000'000);

std::string der_of(const std::string& pem) {
    std::string base64;
    std::istringstream lines(pem);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("-----")) base64 += line;
    auto der = util::base64_decode(base64);
    REQUIRE(der);
    return *der;
}

Certificate read(const std::string& pem) {
    auto certificate = Certificate::from_der(der_of(pem));
    REQUIRE(certificate);
    return *certificate;
}

TEST_CASE("Certificate: names are compared as names, and nothing is a wildcard [MTLS-4, RFC 8705 §2.1.2]") {
    const Certificate robot = read(kRobot);
    const struct {
        NameKind kind;
        const char* value;
        bool is_its;
    } rows[] = {
        {NameKind::subject_dn, "CN=robot,O=Example\\, Inc.,C=DE", true},
        {NameKind::subject_dn, "cn=robot, o=Example\\2C Inc. , c=DE", true},  // RFC 4514 §2.4, RFC 4512 §2.5
        {NameKind::subject_dn, "2.5.4.3=robot,O=Example\\, Inc.,C=DE", true},
        {NameKind::subject_dn, "CN=ROBOT,O=example\\,  inc.,C=DE", true},  // RFC 5280 §7.1
        {NameKind::subject_dn, "C=DE,O=Example\\, Inc.,CN=robot", false},  // the other way round
        {NameKind::subject_dn, "CN=robot,O=Example,OU=Inc.,C=DE", false},
        {NameKind::subject_dn, "CN=robot,O=Example\\, Inc.", false},
        {NameKind::subject_dn, "CN=robot+O=Example\\, Inc.,C=DE", false},
        {NameKind::subject_dn, "/C=DE/O=Example, Inc./CN=robot", false},
        {NameKind::subject_dn, "CN=robot", false},
        {NameKind::subject_dn, "CN=#0c05726f626f74,O=Example\\, Inc.,C=DE", false},
        {NameKind::san_dns, "robot.example", true},
        {NameKind::san_dns, "ROBOT.example", true},
        {NameKind::san_dns, "example", false},
        {NameKind::san_dns, ".example", false},
        {NameKind::san_dns, "robot.example.", false},
        {NameKind::san_dns, "a.robots.example", false},
        {NameKind::san_dns, "*.robots.example", false},
        {NameKind::san_uri, "urn:robot:1", true},
        {NameKind::san_uri, "URN:robot:1", false},
        {NameKind::san_uri, "robot.example", false},  // of another kind
        {NameKind::san_ip, "192.0.2.7", true},
        {NameKind::san_ip, "192.0.2.8", false},
        {NameKind::san_ip, "2001:db8::7", true},
        {NameKind::san_ip, "2001:DB8:0:0:0:0:0:7", true},
        {NameKind::san_ip, "192.0.2.7/32", false},
        {NameKind::san_email, "robot@example.org", true},
        {NameKind::san_email, "Robot@example.org", false},
        {NameKind::san_email, "", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.value);
        CHECK(robot.has_name({row.kind, row.value}) == row.is_its);
    }
    CHECK_FALSE(read(kSelfSigned).has_name({NameKind::san_dns, "robot.example"}));
    CHECK(robot.subject() == "CN=robot,O=Example\\, Inc.,C=DE");
}

TEST_CASE("fault_of: names that no certificate can have [MTLS-4]") {
    const struct {
        NameKind kind;
        const char* value;
        bool is_good;
    } rows[] = {
        {NameKind::subject_dn, "CN=a+OU=b,DC=example,DC=org", true},
        {NameKind::subject_dn, "UID=1,street=x,L=y,ST=z", true},
        {NameKind::subject_dn, "emailAddress=a@b.example", true},
        {NameKind::subject_dn, "CN=", false},
        {NameKind::subject_dn, "CN=a,", false},
        {NameKind::subject_dn, "CN", false},
        {NameKind::subject_dn, "=a", false},
        {NameKind::subject_dn, "C=Germany", false},
        {NameKind::subject_dn, "NOSUCH=a", false},
        {NameKind::subject_dn, "CN=a\\", false},
        {NameKind::subject_dn, "CN=a\\zz", false},
        {NameKind::subject_dn, "CN=a;O=b", false},
        {NameKind::subject_dn, "CN=a\nO=b", false},
        {NameKind::san_dns, "*.example", false},
        {NameKind::san_ip, "robot.example", false},
        {NameKind::san_uri, "", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.value);
        CHECK(crypto::fault_of({row.kind, row.value}).has_value() != row.is_good);
    }
}

TEST_CASE("Authorities: a chain of their own, for clients, within its dates [MTLS-15, CVE-2023-2422]") {
    const std::string root = kRoot;
    const Authorities all = Authorities::from_pem(root + "\nIssuing:\n" + kIntermediate);
    CHECK(all.certificates().size() == 2);
    const struct {
        const char* when;
        const char* pem;
        util::Time now;
        bool is_issued;
    } rows[] = {
        {"by an intermediate", kRobot, kNow, true},
        {"by the root", kOtherRobot, kNow, true},
        {"for servers", kServer, kNow, false},
        {"by another authority of that name", kForged, kNow, false},
        {"by itself", kSelfSigned, kNow, false},
        {"an authority itself", kRoot, kNow, false},
        {"an authority below another", kIntermediate, kNow, false},
        {"expired", kRobot, kIn2101, false},
        {"not yet valid", kRobot, util::from_epoch(1'500'000'000), false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        CHECK(all.have_issued(read(row.pem), row.now) == row.is_issued);
    }
    CHECK_FALSE(Authorities::from_pem(root).have_issued(read(kRobot), kNow));           // without the intermediate
    CHECK_FALSE(Authorities::from_pem(kIntermediate).have_issued(read(kRobot), kNow));  // without the root
    CHECK(read(kRobot).not_after() == util::from_epoch(4'102'444'800));
    for (const char* bad : {"", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                            "-----BEGIN CERTIFICATE-----\nAAAA\n"})
        CHECK_THROWS_AS(Authorities::from_pem(bad), crypto::CryptoError);
}

TEST_CASE("Certificate: its digest is x5t#S256 [RFC 8705 §3.1]") {
    CHECK(util::base64url_encode(read(kRobot).digest()) == kRobotThumbprint);
    CHECK(util::base64url_encode(read(kSelfSigned).digest()) == kSelfSignedThumbprint);
    CHECK_FALSE(Certificate::from_der("no certificate"));
    CHECK_FALSE(Certificate::from_der(der_of(kRobot) + "x"));
}

}  // namespace
