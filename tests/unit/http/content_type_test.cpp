#include "http/content_type.h"

#include <doctest/doctest.h>

#include <string>

namespace postern::http {
namespace {

const std::string kForm = "application/x-www-form-urlencoded";

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
        const char* charset;
        const char* body;
        FormType type;
    };
    constexpr auto kForm1 = FormType::form;
    constexpr auto kOther = FormType::other_charset;
    const Row rows[] = {
        {"iso-8859-1", "a=b&c=%20%7E", kForm1},
        {"ISO-8859-1", "", kForm1},
        {"ISO8859_1", "a=b", kForm1},
        {"latin1", "a=b", kForm1},
        {"windows-1252", "a=100%", kForm1},
        {"iso-8859-15", "a=b", kForm1},
        {"iso-8859-1", "a=%E4", kOther},
        {"iso-8859-1", "a=%c3%a4", kOther},
        {"iso-8859-1", "a=%80", kOther},
        {"iso-8859-1", "%9f=a", kOther},
        {"iso-8859-1", "a=\xe4", kOther},
        {"windows-1252", "a=\xc3\xa4", kOther},
        // Encodings in which the bytes of ASCII mean something else, or which are not known here.
        {"utf-16", "a=b", kOther},
        {"utf-16le", "a=b", kOther},
        {"utf-7", "a=b", kOther},
        {"utf-32", "a=b", kOther},
        {"ibm037", "a=b", kOther},
        {"iso-2022-jp", "a=b", kOther},
        {"x", "a=b", kOther},
        {"", "a=b", kOther},
        {"\"\"", "a=b", kOther},
        {"\"utf-8", "a=b", kOther},
        {"utf-8 x", "a=b", kOther},
        {"utf-8; charset=utf-16", "a=b", kOther},
        {"utf-16; charset=utf-8", "a=b", kOther},
    };
    for (const Row& row : rows) {
        CAPTURE(row.charset);
        CAPTURE(row.body);
        CHECK(form_type(kForm + "; charset=" + row.charset, row.body) == row.type);
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
