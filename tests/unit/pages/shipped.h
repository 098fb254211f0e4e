// The pages of this source tree in English. Unit tests run in the project's root.
#pragma once

#include "pages/page.h"
#include "text/languages.h"

namespace postern::test {

inline const pages::PageBook& shipped_book() {
    static const oauth::Settings settings;
    static const auto book = pages::read_pages("templates", settings);
    return *book;
}

inline const pages::Pages& shipped_pages() { return shipped_book().in(shipped_book().languages()->last_resort()); }

}  // namespace postern::test
