# Postern: see README.md. Targets: all check test run asan format tidy layers install clean.
BUILD ?= build
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
CXXFLAGS ?= -O2 -g
LDFLAGS ?=

# Narrow MODULES to build and test a part: make check-unit MODULES="util json".
MODULES ?= util http json crypto jose model store oauth oidc web server

WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
HARDENING := -fstack-protector-strong -D_GLIBCXX_ASSERTIONS -fPIE -fstack-clash-protection -fcf-protection
# _FORTIFY_SOURCE needs optimization; the sanitizers bring their own checks.
FORTIFY   := $(if $(filter -O0 -fsanitize%,$(CXXFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
PROJECT_CXXFLAGS = -std=c++20 -Ilib -MMD -MP $(WARNINGS) $(HARDENING) $(FORTIFY)
PROJECT_LDFLAGS  = -pie -Wl,-z,relro,-z,now -Wl,--as-needed
PROJECT_LDLIBS   = -lfcgi -lsqlite3 -lcrypto -lcrypt -luriparser

LIB_SRC := $(foreach m,$(MODULES),$(wildcard lib/$(m)/*.cpp))
LIB_OBJ := $(LIB_SRC:%.cpp=$(BUILD)/%.o) $(if $(filter store,$(MODULES)),$(BUILD)/lib/store/schema_sql.o)
LIB     := $(BUILD)/lib/libpostern.a
CGI     := $(patsubst cgi-bin/%.cpp,$(BUILD)/cgi-bin/%,$(wildcard cgi-bin/*.cpp))
CLI_OBJ := $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard cli/*.cpp))
CLI     := $(if $(CLI_OBJ),$(BUILD)/bin/postern)

UNIT_OBJ := $(patsubst %.cpp,$(BUILD)/%.o,$(foreach m,$(MODULES),$(wildcard tests/unit/$(m)/*.cpp)))
SUPPORT_OBJ := $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard tests/support/*.cpp))
RFC_OBJ := $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard tests/rfc/*.cpp))
CGI_TEST_OBJ := $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard tests/cgi/*.cpp))

all: $(LIB) $(CGI) $(CLI)

$(BUILD)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(PROJECT_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

# schema.sql travels inside the programs, so that program and schema cannot disagree.
$(BUILD)/lib/store/schema_sql.cpp: schema.sql
	@mkdir -p $(@D)
	{ printf '#include "store/database.h"\nconst char* const postern::store::kSchemaSql = R"SCHEMA('; cat $<; printf ')SCHEMA";\n'; } > $@
$(BUILD)/lib/store/schema_sql.o: $(BUILD)/lib/store/schema_sql.cpp
	$(CXX) $(PROJECT_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(LIB): $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/cgi-bin/%: $(BUILD)/cgi-bin/%.o $(LIB)
	@mkdir -p $(@D)
	$(CXX) $(PROJECT_LDFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) $(LDLIBS)
$(BUILD)/bin/postern: $(CLI_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(CXX) $(PROJECT_LDFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) $(LDLIBS)

$(BUILD)/tests/unit_tests: $(UNIT_OBJ) $(SUPPORT_OBJ) $(LIB)
	$(CXX) $(PROJECT_LDFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) $(LDLIBS)
check-unit: $(BUILD)/tests/unit_tests
	$(BUILD)/tests/unit_tests

clean:
	rm -rf build

.PHONY: all check-unit clean
.SECONDARY:
-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d $(BUILD)/*/*/*/*.d)
