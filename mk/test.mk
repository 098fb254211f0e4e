# The suites, what they run on, and the longer searches: sanitizers, valgrind, fuzzing.

# Each suite is one binary: tests/unit/<module>/ mirrors lib/, the others are flat.
SUITES       := unit rfc cgi cli fuzz faults
SUPPORT_OBJ  := $(call objects,tests/support/*.cpp)
SUPPORT      := $(BUILD)/tests/libsupport.a
unit_OBJ     := $(filter-out $(if $(filter yes,$(POSTGRESQL)),,$(BUILD)/tests/unit/db/postgres/%) $(if $(filter yes,$(FIDO2)),,$(BUILD)/tests/unit/factor/second_opinion_test.o),$(foreach m,$(MODULES),$(call objects,tests/unit/$(m)/*.cpp tests/unit/$(m)/*/*.cpp)))
rfc_OBJ      := $(call objects,tests/rfc/*.cpp)
cgi_OBJ      := $(call objects,tests/cgi/*.cpp)
cli_OBJ      := $(call objects,tests/cli/*.cpp)
# The seeds are replayed by a test; `make fuzz` searches on from them.
fuzz_OBJ     := $(filter-out %/driver.o,$(call objects,tests/fuzz/*.cpp)) $(filter-out %/main.o,$(CLI_OBJ))
# The endpoints and the command run inside the test program, whose disk fails when it is told to; so does its clock.
faults_OBJ   := $(call objects,tests/faults/*.cpp) $(filter-out %/main.o,$(CLI_OBJ)) $(BUILD)/tests/faults/fake_clock_preload.o
TEST_BIN     := $(SUITES:%=$(BUILD)/tests/%_tests)
# No suite of its own, because it needs a server: tests/postgresql/races.test.mjs starts both.
postgresql_OBJ := $(if $(filter yes,$(POSTGRESQL)),$(call objects,tests/postgresql/*.cpp))
POSTGRESQL_BIN := $(if $(postgresql_OBJ),$(BUILD)/tests/postgresql_tests)
# Every other folder with tests runs servers, clients and browsers from Node.js. What runs everything a second time, or another's server,
# has targets of its own.
NODE_SUITES  := $(filter-out coverage conformance both_engines failover applications,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard tests/*/*.test.mjs))))))
NODE_MODULES := tests/node_modules/.package-lock.json
TEST_OBJ     := $(SUPPORT_OBJ) $(foreach s,$(SUITES),$($(s)_OBJ)) $(postgresql_OBJ) $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard tests/security/*.cpp))

# Tests are compiled more often than they run: not optimized, but with a sanitizer as the programs are.
TEST_CXXFLAGS ?= $(if $(filter -fsanitize%,$(CXXFLAGS)),$(CXXFLAGS),-O0 -g1)
$(BUILD)/tests/%.o $(BUILD)/precompiled/standard_tests.h.gch: OBJECT_CXXFLAGS = $(TEST_CXXFLAGS)
$(BUILD)/tests/%.o: INCLUDED = $(if $(PRECOMPILED),-include $(BUILD)/precompiled/standard_tests.h)
$(BUILD)/tests/%.o: private PROJECT_CXXFLAGS += -Itests
$(BUILD)/tests/fuzz/%.o $(BUILD)/tests/faults/%.o: private PROJECT_CXXFLAGS += -I.
$(eval $(call precompile,standard_tests,mk))
$(BUILD)/tests/%.o: tests/%.cpp $(call precompiled,standard_tests)
	@mkdir -p $(@D)
	$(COMPILE)

$(SUPPORT): $(SUPPORT_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call SAY,AR )$(AR) rcs $@ $^
$(foreach s,$(SUITES) postgresql,$(eval $(BUILD)/tests/$(s)_tests: $($(s)_OBJ) $(SUPPORT) $(LIB)))
$(TEST_BIN) $(POSTGRESQL_BIN):
	$(LINK)

$(BUILD)/tests/unit_tests: PROJECT_LDLIBS += $(FIDO2_LDLIBS)

# They run the pages of the account inside the test program.
$(BUILD)/tests/unit_tests $(BUILD)/tests/faults_tests $(BUILD)/tests/postgresql_tests: PROJECT_LDLIBS += $(QRENCODE_LDLIBS) $(ZXCVBN_LDLIBS)

# They ask whether the build estimates the strength of passwords.
$(BUILD)/tests/cgi_tests $(BUILD)/tests/cli_tests $(BUILD)/tests/fuzz_tests $(BUILD)/tests/fuzz_driver: PROJECT_LDLIBS += $(ZXCVBN_LDLIBS)

# In front of the C library's, for tests that let them fail (tests/faults/system.h).
$(BUILD)/tests/faults_tests: PROJECT_LDFLAGS += $(foreach f,open write fsync fchmod rename link ftruncate flock pread pwrite,-Wl,--wrap=$(f))

# Preloaded into programs whose clock or disk a test describes; no sanitizer, since its runtime comes with the program.
PRELOADED := $(BUILD)/tests/fake_clock_preload.so $(BUILD)/tests/fake_statvfs_preload.so $(BUILD)/tests/fixed_random_preload.so $(BUILD)/tests/stop_preload.so $(BUILD)/tests/names_preload.so $(BUILD)/tests/address_preload.so
$(PRELOADED): $(BUILD)/tests/%.so: tests/support/%.c
	@mkdir -p $(@D)
	$(call SAY,CC )$(CC) -Wall -Wextra -O1 -fPIC -shared -o $@ $<
all: $(wildcard $(PRELOADED))  # those that are there: a suite of Node may run them after this alone
$(BUILD)/tests/rfc_tests $(BUILD)/tests/cgi_tests $(BUILD)/tests/cli_tests $(BUILD)/tests/faults_tests: | $(PRELOADED)
$(BUILD)/tests/faults/fake_clock_preload.o: tests/support/fake_clock_preload.c
	@mkdir -p $(@D)
	$(call SAY,CC )$(CC) -Wall -Wextra -O1 -fPIC -c -o $@ $<

# Endpoints that try what their sandbox should forbid, and that fetch: tests/security starts them.
PROBES := $(BUILD)/tests/sandbox_probe $(BUILD)/tests/fetch_probe
PROBE_OBJ := $(PROBES:$(BUILD)/tests/%=$(BUILD)/tests/security/%.o)
# Without doctest, which the header of the tests brings: a probe is not a test program.
$(PROBE_OBJ): INCLUDED =
$(PROBES): $(BUILD)/tests/%: $(BUILD)/tests/security/%.o $(LIB)
	$(LINK)
$(BUILD)/tests/cgi_tests: | $(PROBES)

# One program for all targets, built again with clang's libFuzzer; SECONDS for each, inputs found are kept in $(BUILD)/fuzz/found.
FUZZ_DRIVER := $(BUILD)/tests/fuzz_driver
FUZZ_FLAGS  := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
    -fsanitize-ignorelist=tests/fuzz/sanitizer-ignore.txt
$(FUZZ_DRIVER): LDFLAGS += -fsanitize=fuzzer
$(FUZZ_DRIVER): $(filter-out %/replay_test.o,$(fuzz_OBJ)) $(BUILD)/tests/fuzz/driver.o $(addprefix $(BUILD)/tests/support/,rules_fixture.o database.o) $(LIB)
	$(LINK)
fuzz-driver: $(FUZZ_DRIVER)
fuzz:
	+$(MAKE) --no-print-directory fuzz-driver BUILD=$(BUILD)/fuzz CXX=$(CLANG) CXXFLAGS="$(FUZZ_FLAGS)"
	scripts/run-fuzzers $(BUILD)/fuzz "$(SECONDS)"

check-unit: $(BUILD)/tests/unit_tests
	$(BUILD)/tests/unit_tests
check: all $(TEST_BIN)
	scripts/run-suites $(BUILD) $(SUITES) coverage
# Everything again, servers, clients and browser included; an hour or more. libfcgi asks for as much memory as a record
# claims, and handles the refusal.
asan: export ASAN_OPTIONS = allocator_may_return_null=1
asan: export LSAN_OPTIONS = suppressions=$(CURDIR)/tests/support/lsan.supp:print_suppressions=0
asan: export POSTERN_TEST_PATIENCE ?= 3
asan:
	+$(MAKE) --no-print-directory suites BUILD=$(BUILD)/asan CXXFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"

valgrind: all $(NODE_MODULES)
	scripts/run-valgrind $(BUILD)

# Every requirement once, from a machine that has nothing but make.
test:
	scripts/packages build run test
	+$(MAKE) --no-print-directory suites
suites: all $(TEST_BIN) $(POSTGRESQL_BIN) $(NODE_MODULES) $(BENCH_PROGRAMS)
	scripts/run-suites $(BUILD) $(SUITES) coverage $(NODE_SUITES)
# Everything that needs no cluster: also the suites of a file on PostgreSQL, our versions of the certification modules, and the
# applications that come from registries.
test-all: export POSTERN_TEST_PATIENCE ?= 3
test-all: test
	scripts/run-suites $(BUILD) conformance both_engines
	+$(MAKE) --no-print-directory test-applications
test-postgresql: export POSTERN_TEST_PATIENCE ?= 3
test-postgresql: all $(TEST_BIN) $(POSTGRESQL_BIN) $(NODE_MODULES)
	scripts/run-suites $(BUILD) postgresql both_engines
# The long runs: full figures where `make test` takes less. Hours.
endure: all $(TEST_BIN) $(POSTGRESQL_BIN) $(NODE_MODULES) $(BENCH_PROGRAMS)
	POSTERN_LONG=1 scripts/run-suites $(BUILD) $(filter faults,$(SUITES)) security servers postgresql
# A cluster of three PostgreSQL servers whose primary is killed, stopped and moved; 20 minutes. One file after the
# other, because each has a cluster.
test-failover:
	scripts/packages build run test failover
	+$(MAKE) --no-print-directory all $(NODE_MODULES)
	POSTERN_LONG=1 POSTERN_TEST_JOBS=1 scripts/run-suites $(BUILD) failover
# Applications that are not from npm or Debian, each in a directory of its own.
APPLICATIONS := $(patsubst tests/applications/%.txt,$(BUILD)/applications/%/installed,$(wildcard tests/applications/*.txt))
$(BUILD)/applications/%/installed: tests/applications/%.txt
	/usr/bin/python3 -m venv --clear $(@D)
	$(@D)/bin/pip install --quiet --require-hashes --only-binary :all: --requirement $<
	@touch $@
# Of Maven, built from the files of their directories.
MAVEN_APPLICATIONS := $(patsubst tests/applications/%/pom.xml,$(BUILD)/applications/%/installed,$(wildcard tests/applications/*/pom.xml))
$(MAVEN_APPLICATIONS):
	cd $(<D) && mvn -q -B -C -DbuildDirectory=$(abspath $(@D)) package
	@touch $@
# The file with the checksum says the version, too.
KEYCLOAK := $(BUILD)/applications/keycloak/installed
$(KEYCLOAK): tests/applications/keycloak.sha256
	rm -rf $(@D) && mkdir -p $(@D)
	mvn -q -B -C org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy -DoutputDirectory=$(abspath $(@D)) \
		-Dartifact=org.keycloak:keycloak-quarkus-dist:$$(sed 's/.*-dist-//; s/\.zip$$//' $<):zip
	cd $(@D) && sha256sum --check --strict --quiet $(abspath $<) && jar xf *.zip && rm *.zip && mv keycloak-*/* . && rmdir keycloak-*
	bash $(@D)/bin/kc.sh build --db=dev-mem --health-enabled=true
	@touch $@
# Of npm, with the files of a test that run beside the modules; one with a script "build" is built.
NODE_APPLICATIONS := $(patsubst tests/applications/%/package.json,$(BUILD)/applications/%/installed,$(wildcard tests/applications/*/package.json))
$(NODE_APPLICATIONS): $(BUILD)/applications/%/installed:
	mkdir -p $(@D) && cp -r tests/applications/$*/. $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund && npm run --if-present build
	@touch $@
$(foreach a,$(NODE_APPLICATIONS),$(eval $(a): $(shell find $(a:$(BUILD)/%/installed=tests/%) -type f)))
$(foreach a,$(MAVEN_APPLICATIONS),$(eval $(a): $(a:$(BUILD)/%/installed=tests/%)/pom.xml $(shell find $(a:$(BUILD)/%/installed=tests/%) -type f)))
# Left out without a Go as new as go.mod says, and the tests say so; Debian's is older.
GO_IS_NEW_ENOUGH = $(shell cd tests/applications/go && GOTOOLCHAIN=local go list -m 2>/dev/null)
GO_PROGRAMS      := $(BUILD)/applications/go/installed
$(GO_PROGRAMS): $(shell find tests/applications/go -type f)
	cd tests/applications/go && GOTOOLCHAIN=local go build -mod=readonly -buildvcs=false -o $(abspath $(@D))/ ./...
	@touch $@
test-applications:
	scripts/packages build run test applications
	+$(MAKE) --no-print-directory all $(NODE_MODULES) $(APPLICATIONS) $(KEYCLOAK) $(NODE_APPLICATIONS) $(MAVEN_APPLICATIONS) $(if $(GO_IS_NEW_ENOUGH),$(GO_PROGRAMS))
	scripts/run-suites $(BUILD) applications
$(NODE_MODULES): tests/package.json tests/package-lock.json
	cd tests && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# Takes the screenshots in docs/screenshots again, after the pages have changed.
screenshots:
	scripts/packages build run test screenshots
	+$(MAKE) --no-print-directory all $(NODE_MODULES)
	POSTERN_BUILD=$(BUILD) node tests/browser/screenshots.mjs docs/screenshots

.PHONY: check check-unit suites asan valgrind fuzz fuzz-driver test test-all test-postgresql test-failover test-applications endure screenshots
