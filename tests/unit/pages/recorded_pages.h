// The pages without templates: what each was told is recorded, and nothing is rendered.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pages/page.h"
#include "text/languages.h"

namespace postern::test {

/// Keeps the last page of each kind. An answer's body is the kind: "login", "consent", "error", ...
class RecordedPages final : public pages::Pages {
public:
    http::Response login(const pages::LoginPage& page, int status) const override {
        last_login = page;
        return shown("login", status);
    }
    http::Response second_step(const pages::SecondStepPage& page, int status) const override {
        last_second_step = page;
        return shown("second_step", status);
    }
    http::Response few_codes(const pages::FewCodesPage&) const override { return shown("few_codes", 200); }
    http::Response consent(const pages::ConsentPage& page) const override {
        last_consent = page;
        return shown("consent", 200);
    }
    http::Response error(const pages::ErrorPage& page) const override {
        last_error = page;
        return shown("error", page.status);
    }
    http::Response logout(const pages::LogoutPage& page) const override {
        last_logout = page;
        return shown("logout", 200);
    }
    http::Response logged_out(const pages::LoggedOutPage& page) const override {
        last_logged_out = page;
        return shown("logged_out", 200);
    }
    http::Response still_logged_in(const std::string&) const override { return shown("still_logged_in", 200); }
    http::Response form_post(const pages::FormPostPage& page) const override {
        last_form_post = page;
        return shown("form_post", 200);
    }

    mutable pages::LoginPage last_login;
    mutable pages::SecondStepPage last_second_step;
    mutable pages::ConsentPage last_consent;
    mutable pages::ErrorPage last_error;
    mutable pages::LogoutPage last_logout;
    mutable pages::LoggedOutPage last_logged_out;
    mutable pages::FormPostPage last_form_post;

private:
    static http::Response shown(const char* kind, int status) {
        http::Response response;
        response.status = status;
        response.body = kind;
        return response;
    }
};

/// The recorded pages, in English alone.
class RecordedBook final : public pages::PageBook {
public:
    const std::shared_ptr<const text::Languages>& languages() const override { return languages_; }
    const pages::TemplateReader& templates() const override { throw std::logic_error("there are no templates"); }
    const pages::Pages& in(const text::Catalogue&) const override { return pages; }
    std::string variable() const override { return ""; }
    const pages::Pages& for_failure(std::string_view, std::string_view) const override { return pages; }
    void remember(const http::Request&, http::Response&) const override {}

    RecordedPages pages;

private:
    std::shared_ptr<const text::Languages> languages_ = std::make_shared<const text::Languages>();
};

}  // namespace postern::test
