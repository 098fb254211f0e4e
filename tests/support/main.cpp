// The test runner's main; every test binary links it once.
#define DOCTEST_CONFIG_IMPLEMENT  // said too, because the precompiled header may have read doctest.h before
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
