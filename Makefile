# Postern: see README.md. Targets: all check test endure bench bench-growth bench-scaling bench-instructions run screenshots asan valgrind fuzz format tidy cppcheck layers coverage install uninstall deb test-deb clean.
# STATIC=1: programs that need no library of the host, in a build directory of their own.
STATIC ?=
.DEFAULT_GOAL := all
BUILD ?= build$(if $(STATIC),/static)
CLANG ?= clang++
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
LIBDIR ?= $(PREFIX)/lib
# SYSTEMD=no installs no units, users and directories for systemd.
SYSTEMD ?= yes
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
CXXFLAGS ?= -O2 -g
LDFLAGS ?=
JOBS ?= $(shell nproc)
# Use all processors unless the caller sets another number.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif

# Narrow MODULES to build and test a part: make check-unit MODULES="util json".
MODULES ?= util os http json crypto jose model db keys store oauth oidc web gateway config server

WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
HARDENING := -fstack-protector-strong -D_GLIBCXX_ASSERTIONS -fPIE -fstack-clash-protection -fcf-protection
# _FORTIFY_SOURCE needs optimization; the sanitizers bring their own checks.
FORTIFY   := $(if $(filter -fsanitize%,$(CXXFLAGS)),,$(if $(filter -O -O1 -O2 -O3 -Os,$(CXXFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
PROJECT_CXXFLAGS = -std=c++20 -Ilib -ffunction-sections -fdata-sections -MMD -MP $(WARNINGS) $(HARDENING) $(FORTIFY)
PROJECT_LDFLAGS  = $(if $(STATIC),-static-pie,-pie) -Wl,-z,relro,-z,now -Wl,--as-needed
PROJECT_LDLIBS   = -lcrypto -lsqlite3 -lcrypt
# Of the library and of the C++ library the endpoints take what they use: to find all of its symbols by name is a fifth of what a CGI process does.
ENDPOINT_LDFLAGS = $(if $(STATIC)$(findstring -fsanitize,$(CXXFLAGS)),,-static-libstdc++ -static-libgcc) -Wl,--gc-sections
ifneq ($(STATIC),)
PROJECT_CXXFLAGS += -DPOSTERN_STATIC
endif
# One short line a step; V=1 shows the commands.
SAY      = $(if $(filter 1,$(V)),,@echo '  $(1) $@';)
COMPILE = $(call SAY,CXX)$(CXX) $(PROJECT_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<
LINK    = $(call SAY,LD )$(CXX) $(PROJECT_LDFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) $(LDLIBS)

objects  = $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard $(1)))
LIB_OBJ := $(foreach m,$(MODULES),$(call objects,lib/$(m)/*.cpp lib/$(m)/*/*.cpp)) $(if $(filter db,$(MODULES)),$(BUILD)/lib/db/schema_sql.o)
LIB     := $(BUILD)/lib/libpostern.a
CGI_OBJ := $(call objects,cgi-bin/*.cpp)
CGI     := $(CGI_OBJ:.o=)
CLI_OBJ := $(call objects,cli/*.cpp cli/*/*.cpp cli/*/*/*.cpp)
CLI     := $(if $(CLI_OBJ),$(BUILD)/bin/postern)

# Each suite is one binary: tests/unit/<module>/ mirrors lib/, the others are flat.
SUITES       := unit rfc cgi cli fuzz faults
SUPPORT_OBJ  := $(call objects,tests/support/*.cpp)
SUPPORT      := $(BUILD)/tests/libsupport.a
unit_OBJ     := $(foreach m,$(MODULES),$(call objects,tests/unit/$(m)/*.cpp tests/unit/$(m)/*/*.cpp))
rfc_OBJ      := $(call objects,tests/rfc/*.cpp)
cgi_OBJ      := $(call objects,tests/cgi/*.cpp)
cli_OBJ      := $(call objects,tests/cli/*.cpp)
# The seeds are replayed by a test; `make fuzz` searches on from them.
fuzz_OBJ     := $(filter-out %/driver.o,$(call objects,tests/fuzz/*.cpp)) $(filter-out %/main.o,$(CLI_OBJ))
# The endpoints and the command run inside the test program, whose disk fails when it is told to; so does its clock.
faults_OBJ   := $(call objects,tests/faults/*.cpp) $(filter-out %/main.o,$(CLI_OBJ)) $(BUILD)/tests/faults/fake_clock_preload.o
TEST_BIN     := $(SUITES:%=$(BUILD)/tests/%_tests)
# Every other folder with tests runs servers, clients and browsers from Node.js.
NODE_SUITES  := $(filter-out coverage,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard tests/*/*.test.mjs))))))
# tests/servers runs a short bench.
BENCH_PROGRAMS := $(addprefix $(BUILD)/bench/,hello lookup token commit cgi_lookup fill)
NODE_MODULES := tests/node_modules/.package-lock.json

SOURCES := $(wildcard lib/*/*.cpp lib/*/*/*.cpp cgi-bin/*.cpp cli/*.cpp cli/*/*.cpp cli/*/*/*.cpp bench/*.cpp examples/*/*.cpp tests/unit/*/*.cpp tests/unit/*/*/*.cpp tests/rfc/*.cpp tests/cgi/*.cpp tests/cli/*.cpp tests/fuzz/*.cpp tests/faults/*.cpp tests/security/*.cpp tests/support/*.cpp)
HEADERS := $(wildcard lib/*/*.h lib/*/*/*.h cli/*.h cli/*/*.h cli/*/*/*.h tests/support/*.h tests/rfc/*.h tests/cgi/*.h tests/cli/*.h tests/fuzz/*.h tests/faults/*.h)
INSTALLED = $(foreach v,BUILD DESTDIR PREFIX SYSCONFDIR LIBDIR SYSTEMD UNITDIR SYSUSERSDIR TMPFILESDIR,$(v)='$($(v))') NEEDED='$(PROJECT_LDLIBS)'

all: $(LIB) $(CGI) $(CLI)

$(BUILD)/tests/%.o: PROJECT_CXXFLAGS += -Itests
$(BUILD)/cli/%.o $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/faults/%.o: PROJECT_CXXFLAGS += -I.
$(BUILD)/%.o: %.cpp
	@mkdir -p $(@D)
	$(COMPILE)

# schema.sql travels inside the programs, so that program and schema cannot disagree.
$(BUILD)/lib/db/schema_sql.cpp: schema.sql
	@mkdir -p $(@D)
	@{ printf '#include "db/database.h"\nconst char* const postern::db::kSchemaSql = R"SCHEMA('; cat $<; printf ')SCHEMA";\n'; } > $@
$(BUILD)/lib/db/schema_sql.o: $(BUILD)/lib/db/schema_sql.cpp
	$(COMPILE)

# The default of "templates" is where install puts them: another PREFIX compiles that one file again.
$(BUILD)/lib/config/config.o: PROJECT_CXXFLAGS += -DPOSTERN_TEMPLATES='"$(PREFIX)/share/postern/templates"'
$(BUILD)/lib/config/config.o: $(BUILD)/prefix
$(BUILD)/prefix: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = "$(PREFIX)" ] || echo "$(PREFIX)" > $@

$(LIB): $(LIB_OBJ)
$(SUPPORT): $(SUPPORT_OBJ)
$(LIB) $(SUPPORT):
	@mkdir -p $(@D)
	@rm -f $@
	$(call SAY,AR )$(AR) rcs $@ $^

$(CGI): PROJECT_LDFLAGS += $(ENDPOINT_LDFLAGS)
$(CGI): $(BUILD)/cgi-bin/%: $(BUILD)/cgi-bin/%.o $(LIB)
	$(LINK)
$(BUILD)/bin/postern: $(CLI_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK)
$(foreach s,$(SUITES),$(eval $(BUILD)/tests/$(s)_tests: $($(s)_OBJ) $(SUPPORT) $(LIB)))
$(TEST_BIN):
	$(LINK)

# In front of the C library's, for tests that let them fail (tests/faults/system.h).
$(BUILD)/tests/faults_tests: PROJECT_LDFLAGS += $(foreach f,open write fsync fchmod rename link ftruncate flock pread pwrite,-Wl,--wrap=$(f))

# Preloaded into programs whose clock or disk a test describes; no sanitizer, since its runtime comes with the program.
PRELOADED := $(BUILD)/tests/fake_clock_preload.so $(BUILD)/tests/fake_statvfs_preload.so $(BUILD)/tests/fixed_random_preload.so
$(PRELOADED): $(BUILD)/tests/%.so: tests/support/%.c
	@mkdir -p $(@D)
	$(call SAY,CC )$(CC) -Wall -Wextra -O1 -fPIC -shared -o $@ $<
all: $(wildcard $(PRELOADED))  # those that are there: a suite of Node may run them after this alone
$(BUILD)/tests/rfc_tests $(BUILD)/tests/cgi_tests $(BUILD)/tests/cli_tests $(BUILD)/tests/faults_tests: | $(PRELOADED)
$(BUILD)/tests/faults/fake_clock_preload.o: tests/support/fake_clock_preload.c
	@mkdir -p $(@D)
	$(call SAY,CC )$(CC) -Wall -Wextra -O1 -fPIC -c -o $@ $<

# An endpoint that tries what its sandbox should forbid: tests/security starts it.
SANDBOX_PROBE := $(BUILD)/tests/sandbox_probe
$(SANDBOX_PROBE): $(BUILD)/tests/security/sandbox_probe.o $(LIB)
	$(LINK)
$(BUILD)/tests/cgi_tests: | $(SANDBOX_PROBE)

# One program for all targets, built again with clang's libFuzzer; SECONDS for each, inputs found are kept in $(BUILD)/fuzz/found.
FUZZ_DRIVER := $(BUILD)/tests/fuzz_driver
FUZZ_FLAGS  := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
    -fsanitize-ignorelist=tests/fuzz/sanitizer-ignore.txt
$(FUZZ_DRIVER): LDFLAGS += -fsanitize=fuzzer
$(FUZZ_DRIVER): $(filter-out %/replay_test.o,$(fuzz_OBJ)) $(BUILD)/tests/fuzz/driver.o $(BUILD)/tests/support/rules_fixture.o $(LIB)
	$(LINK)
fuzz-driver: $(FUZZ_DRIVER)
fuzz:
	+$(MAKE) --no-print-directory fuzz-driver BUILD=$(BUILD)/fuzz CXX=$(CLANG) CXXFLAGS="$(FUZZ_FLAGS)"
	scripts/run-fuzzers $(BUILD)/fuzz "$(SECONDS)"

check-unit: $(BUILD)/tests/unit_tests
	$(BUILD)/tests/unit_tests
check: all $(TEST_BIN)
	scripts/run-suites $(BUILD) $(SUITES) coverage
# Everything again, servers, clients and browser included; an hour or more.
asan:
	+$(MAKE) --no-print-directory suites BUILD=$(BUILD)/asan CXXFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"

valgrind: all $(NODE_MODULES)
	scripts/run-valgrind $(BUILD)

# Everything, from a machine that has nothing but make.
test:
	scripts/packages build run test
	+$(MAKE) --no-print-directory suites
suites: all $(TEST_BIN) $(NODE_MODULES) $(BENCH_PROGRAMS)
	scripts/run-suites $(BUILD) $(SUITES) coverage $(NODE_SUITES)
# The long runs: full figures where `make test` takes less. Hours.
endure: all $(TEST_BIN) $(NODE_MODULES) $(BENCH_PROGRAMS)
	POSTERN_LONG=1 scripts/run-suites $(BUILD) $(filter faults,$(SUITES)) security servers
$(NODE_MODULES): tests/package.json tests/package-lock.json
	cd tests && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# What the machine measures, in $(BUILD)/bench: SECONDS for each of ROUNDS measurements; ONLY some scenarios; OTHER is described in bench/other.mjs.
bench:
	scripts/packages build run bench
	+$(MAKE) --no-print-directory all bench-programs
	-+$(MAKE) --no-print-directory $(BUILD)/bench/introspect_static
	POSTERN_BUILD=$(BUILD) SECONDS='$(SECONDS)' ROUNDS='$(ROUNDS)' ONLY='$(ONLY)' OTHER='$(OTHER)' node bench/run.mjs
bench-programs: $(BENCH_PROGRAMS) $(BUILD)/tests/fake_clock_preload.so
$(BUILD)/bench/%: bench/anchors/%.c bench/anchors/lookup.h
	@mkdir -p $(@D)
	$(call SAY,CC )$(CC) -Wall -Wextra -O2 $(ANCHOR_LDFLAGS) -o $@ $< $(ANCHOR_LIBS)
$(BUILD)/bench/hello: ANCHOR_LIBS = -lfcgi
$(BUILD)/bench/lookup $(BUILD)/bench/token: ANCHOR_LIBS = -lfcgi -lsqlite3 -lcrypto
$(BUILD)/bench/commit: ANCHOR_LIBS = -lsqlite3 -lcrypto
$(BUILD)/bench/fill: $(BUILD)/bench/fill.o $(LIB)
	$(LINK)
# What the linker says about dlopen and gethostbyname is about what it does not use.
$(BUILD)/bench/cgi_lookup: ANCHOR_LDFLAGS = -static
$(BUILD)/bench/cgi_lookup: ANCHOR_LIBS = -lsqlite3 -lcrypto -lm
# The same objects as the dynamic one, stripped as a copy for a host would be.
$(BUILD)/bench/introspect_static: $(BUILD)/cgi-bin/introspect.o $(LIB)
	@mkdir -p $(@D)
	$(call SAY,LD )$(CXX) -static-pie -s -Wl,-z,relro,-z,now -Wl,--gc-sections $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) -lm

# The same with many tokens in the database: SIZES of it, the smallest first.
bench-growth:
	scripts/packages build run bench
	+$(MAKE) --no-print-directory all bench-programs
	POSTERN_BUILD=$(BUILD) SECONDS='$(SECONDS)' ROUNDS='$(ROUNDS)' SIZES='$(SIZES)' node bench/growth.mjs

# The same with 1, 2, 4 and 8 PROCESSES of each program, on one core and on two, and behind nginx and Apache where they are installed.
bench-scaling:
	scripts/packages build run bench
	+$(MAKE) --no-print-directory all bench-programs
	POSTERN_BUILD=$(BUILD) SECONDS='$(SECONDS)' ROUNDS='$(ROUNDS)' PROCESSES='$(PROCESSES)' node bench/scaling.mjs

# What each endpoint costs in instructions, allocations and system calls, compared with bench/instructions.json; UPDATE=1 writes it.
bench-instructions:
	scripts/packages build run test
	+$(MAKE) --no-print-directory all $(PRELOADED)
	POSTERN_BUILD=$(BUILD) node bench/instructions.mjs $(if $(UPDATE),--update)

run:
	scripts/packages build run
	+$(MAKE) --no-print-directory all
	@exec scripts/run-demo $(BUILD)

# Takes the screenshots in docs/screenshots again, after the pages have changed.
screenshots:
	scripts/packages build run test screenshots
	+$(MAKE) --no-print-directory all $(NODE_MODULES)
	POSTERN_BUILD=$(BUILD) node tests/browser/screenshots.mjs docs/screenshots

format:
	clang-format -i $(SOURCES) $(HEADERS)
cppcheck:
	cppcheck --quiet --error-exitcode=1 -j$(JOBS) --std=c++20 --enable=warning,performance,portability -Ilib -I. lib cgi-bin cli
tidy:
	@printf '%s\n' $(SOURCES) | xargs -P$(JOBS) -n1 -I{} clang-tidy --quiet {} -- -std=c++20 -Ilib -Itests -I.
layers:
	@scripts/layers
# The columns of docs/*-COVERAGE.md that come from the titles of tests.
coverage:
	@node tests/coverage/coverage.mjs --write

install: all
	@$(INSTALLED) scripts/install-files install
uninstall:
	@$(INSTALLED) scripts/install-files uninstall

# Debian packages in $(BUILD)/deb, and what they are tried with: scripts/test-deb says how to try more.
deb:
	scripts/packages build deb
	scripts/build-deb $(BUILD)/deb
test-deb: deb
	scripts/test-deb $(BUILD)/deb

clean:
	rm -rf $(BUILD)

.PHONY: all check check-unit suites asan valgrind fuzz fuzz-driver test endure bench bench-growth bench-scaling bench-programs bench-instructions run screenshots format tidy cppcheck layers coverage install uninstall deb test-deb clean FORCE
.DELETE_ON_ERROR:
-include $(patsubst %.o,%.d,$(BUILD)/bench/fill.o $(LIB_OBJ) $(CGI_OBJ) $(CLI_OBJ) $(SUPPORT_OBJ) $(foreach s,$(SUITES),$($(s)_OBJ)) $(BUILD)/tests/security/sandbox_probe.o)
