#include "http/headers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace postern::http {
namespace {

const std::string kForm = "application/x-www-form-urlencoded";

TEST_CASE(
    "split_credentials: any number of blanks between scheme and credentials, none of them part of either [RFC 9110 §11.4]") {
    struct Row {
        std::string_view value;
        std::string_view scheme;
        std::string_view credentials;
    };
    const Row rows[] = {
        {"Bearer x", "Bearer", "x"},
        {"Bearer  x", "Bearer", "x"},
        {"Bearer     x", "Bearer", "x"},
        {"bEARER x", "bEARER", "x"},
        // OWS around a field's value (RFC 9110 §5.5).
        {"Bearer x ", "Bearer", "x"},
        {"Bearer x \t ", "Bearer", "x"},
        {" \tBearer x", "Bearer", "x"},
        // What the caller refuses.
        {"Bearer", "Bearer", ""},
        {"Bearer ", "Bearer", ""},
        {"Bearer\tx", "Bearer\tx", ""},
        {"Bearer \tx", "Bearer", "\tx"},
        {"Bearer x y", "Bearer", "x y"},
        {"x", "x", ""},
        {"", "", ""},
        {"  ", "", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        const auto [scheme, credentials] = split_credentials(row.value);
        CHECK(scheme == row.scheme);
        CHECK(credentials == row.credentials);
    }
}

TEST_CASE("form_type: parameters that mean nothing to a form are ignored [RFC 9110 §8.3.1, §5.6.6]") {
    for (const char* parameters : {"", ";", " ; ", ";;", "; boundary=x", "; boundary=\"a;b\"", "; boundary=\"a\\\";b\"",
                                   "; boundary=\"; charset=utf-16\"", "; q=0.5", "; odata.metadata=none", "; x",
                                   "; =", "; charsets=utf-16", "\t;\tversion=1"}) {
        CAPTURE(parameters);
        CHECK(form_type(kForm + parameters, "a=%C3%A4") == FormType::form);
    }
}

TEST_CASE("form_type: names of UTF-8 and ASCII, in any case, quoted, with blanks around [RFC 9110 §8.3.2]") {
    for (const char* parameter :
         {"charset=utf-8", "charset=UTF-8", "charset=utf8", "charset=Utf8", "CHARSET=utf-8", "Charset=\"utf-8\"",
          "charset='utf-8'", "charset=\"UTF\\-8\"", " charset = utf-8 ", "charset=us-ascii", "charset=US-ASCII",
          "charset=ascii", "charset=ANSI_X3.4-1968", "charset=utf-8; charset=UTF8", "boundary=x; charset=utf-8",
          "charset=utf-8; boundary=x"}) {
        CAPTURE(parameter);
        CHECK(form_type(kForm + ";" + parameter, "a=%C3%A4") == FormType::form);
        CHECK(form_type(kForm + " ;\t" + parameter, "a=b") == FormType::form);
    }
}

TEST_CASE("form_type: an encoding that contains ASCII is good for a body of ASCII, and for no other") {
    struct Row {
        FormType type;
        std::vector<const char*> charsets;
        std::vector<const char*> bodies;
    };
    const Row rows[] = {{FormType::form,
                         {"iso-8859-1", "ISO-8859-1", "ISO8859_1", "latin1", "windows-1252", "iso-8859-15"},
                         {"", "a=b", "a=b&c=%20%7E", "a=100%"}},
                        {FormType::other_charset,
                         {"iso-8859-1", "windows-1252"},
                         {"a=%E4", "a=%c3%a4", "a=%80", "%9f=a", "a=\xe4", "a=\xc3\xa4"}},
                        // Encodings in which the bytes of ASCII mean something else, or which are not known here.
                        {FormType::other_charset,
                         {"utf-16", "utf-16le", "utf-7", "utf-32", "ibm037", "iso-2022-jp", "x", "", "\"\"", "\"utf-8",
                          "utf-8 x", "utf-8; charset=utf-16", "utf-16; charset=utf-8"},
                         {"a=b"}}};
    for (const Row& row : rows)
        for (const std::string charset : row.charsets)
            for (const std::string body : row.bodies) {
                CAPTURE(charset);
                CAPTURE(body);
                CHECK(form_type(kForm + "; charset=" + charset, body) == row.type);
            }
    CHECK(form_type(kForm + "; charset", "a=b") == FormType::other_charset);
}

TEST_CASE("form_type: another type is another type, whatever its parameters say") {
    for (const std::string& type :
         {std::string(), std::string(";charset=utf-8"), std::string("text/plain"), kForm + "x", "x" + kForm,
          kForm + "/x", kForm + ", text/plain", kForm + " charset=utf-8", "\"" + kForm + "\"",
          std::string("multipart/form-data; boundary=" + kForm)}) {
        CAPTURE(type);
        CHECK(form_type(type, "a=b") == FormType::other);
    }
    CHECK(form_type("Application/X-WWW-Form-URLEncoded", "a=b") == FormType::form);
    CHECK(form_type(" " + kForm + " ", "a=b") == FormType::form);
}

}  // namespace
}  // namespace postern::http
