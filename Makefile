# Postern: see README.md. Targets: all check test test-all test-postgresql test-failover endure bench bench-growth bench-scaling bench-instructions run screenshots asan valgrind fuzz
# format format-check tidy cppcheck shellcheck layers coverage ci install uninstall deb test-deb sbom clean. The rules of tests, benches,
# checks of the source and packages are in mk/.
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
# -g1: line numbers for backtraces. Full debug information (-g) takes a fifth longer to compile; a debugger's user asks for it.
CXXFLAGS ?= -O2 -g1
LDFLAGS ?=
WERROR ?=
JOBS ?= $(shell nproc)
# Use all processors unless the caller sets another number.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif
# Precompiled standard headers save about a third of the time. With ccache they are off, because they would make its entries specific to one directory.
PRECOMPILED ?= $(if $(findstring ccache,$(CXX)),,yes)

# Narrow MODULES to build and test a part: make check-unit MODULES="util json".
MODULES ?= util refusal os http json crypto text jose model db keys store factor audit fetch mail oauth oidc login gate pages web gateway config server

# WERROR=1: a warning ends the build, as in continuous integration.
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual $(if $(WERROR),-Werror)
HARDENING := -fstack-protector-strong -D_GLIBCXX_ASSERTIONS -fPIE -fstack-clash-protection -fcf-protection
# The compiler options of one object: CXXFLAGS, but for tests (mk/test.mk).
OBJECT_CXXFLAGS = $(CXXFLAGS)
# _FORTIFY_SOURCE needs optimization; the sanitizers bring their own checks.
FORTIFY   = $(if $(filter -fsanitize%,$(OBJECT_CXXFLAGS)),,$(if $(filter -O -O1 -O2 -O3 -Os,$(OBJECT_CXXFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
PROJECT_CXXFLAGS = -std=c++20 -Ilib -ffunction-sections -fdata-sections -MMD -MP $(WARNINGS) $(HARDENING) $(FORTIFY)
PROJECT_LDFLAGS  = $(if $(STATIC),-static-pie,-pie) -Wl,-z,relro,-z,now -Wl,--as-needed
# OpenSSL's static library may need others, such as zlib and zstd in Debian 13.
STATIC_CRYPTO    = $(or $(shell pkg-config --static --libs libcrypto),-lcrypto)
PROJECT_LDLIBS   = -lfcgi $(if $(STATIC),$(STATIC_CRYPTO),-lcrypto) -lsqlite3 -lcrypt
# Of the library and of the C++ library the endpoints take what they use: to find all of its symbols by name is a fifth of what a CGI process does.
ENDPOINT_LDFLAGS = $(if $(STATIC)$(findstring -fsanitize,$(CXXFLAGS)),,-static-libstdc++ -static-libgcc) -Wl,--gc-sections
ifneq ($(STATIC),)
PROJECT_CXXFLAGS += -DPOSTERN_STATIC
endif
# One short line a step; V=1 shows the commands.
SAY      = $(if $(filter 1,$(V)),,@echo '  $(1) $@';)
COMPILE = $(call SAY,CXX)$(CXX) $(PROJECT_CXXFLAGS) $(CPPFLAGS) $(OBJECT_CXXFLAGS) $(INCLUDED) -c -o $@ $<
LINK    = $(call SAY,LD )$(CXX) $(PROJECT_LDFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) $(LDLIBS)

# $(call optional,NAME,HEADER,LIB,FILES): NAME is "yes" where HEADER is, and "no" with STATIC=1 or when the caller says so. NAME_LDLIBS then
# names LIB, and FILES, without .cpp, are compiled with -DPOSTERN_NAME: again when that changes.
INCLUDED_FROM := /usr/include /usr/include/postgresql /usr/include/$(shell $(CXX) -dumpmachine) /usr/local/include
define optional
$(1) ?= $(if $(STATIC),no,$(if $(wildcard $(addsuffix /$(2),$(INCLUDED_FROM))),yes,no))
$(1)_LDLIBS = $$(if $$(filter yes,$$($(1))),$(3))
$(if $(4),$(4:%=$(BUILD)/%.o): private PROJECT_CXXFLAGS += $$(if $$(filter yes,$$($(1))),-DPOSTERN_$(1))
$(4:%=$(BUILD)/%.o): $(BUILD)/with/$(1)
$(BUILD)/with/$(1): FORCE
	@mkdir -p $$(@D)
	@[ "$$$$(cat $$@ 2>/dev/null)" = "$$($(1))" ] || echo "$$($(1))" > $$@)
endef
# No database but a file without it. The driver is compiled with libpq's header, and loads the library when it is used.
$(eval $(call optional,POSTGRESQL,libpq-fe.h,,lib/db/without_postgres tests/support/database))
# No program that fetches over HTTPS without it. It alone is linked with libcurl, from 7.85 on, and an endpoint starts it.
$(eval $(call optional,FETCH,curl/header.h,-lcurl))
# The account shows the key of an authenticator app in words alone without it. Debian has no static library of it.
$(eval $(call optional,QRENCODE,qrencode.h,-lqrencode,lib/text/qr_svg tests/unit/text/qr_svg_test))
# No strength of new passwords is estimated without it. Debian's static library is not position independent.
$(eval $(call optional,ZXCVBN,zxcvbn.h,-lzxcvbn,lib/factor/password_strength))
# No second opinion on passkeys without it, in the tests. No program is linked with it.
$(eval $(call optional,FIDO2,fido.h,-lfido2))

SCHEMA_OBJ := $(addprefix $(BUILD)/lib/db/,schema.sql.o grants-postgresql.sql.o $(if $(filter yes,$(POSTGRESQL)),schema-postgresql.sql.o))
objects  = $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard $(1)))
LIB_OBJ := $(filter-out $(if $(filter yes,$(POSTGRESQL)),,$(BUILD)/lib/db/postgres/%),$(foreach m,$(MODULES),$(call objects,lib/$(m)/*.cpp lib/$(m)/*/*.cpp))) $(if $(filter db,$(MODULES)),$(SCHEMA_OBJ))
LIB     := $(BUILD)/lib/libpostern.a
CGI_OBJ := $(call objects,cgi-bin/*.cpp)
CGI     := $(CGI_OBJ:.o=)
CLI_OBJ := $(call objects,cli/*.cpp cli/*/*.cpp cli/*/*/*.cpp)
CLI     := $(if $(CLI_OBJ),$(BUILD)/bin/postern)
FETCH_OBJ := $(if $(filter yes,$(FETCH)),$(call objects,libexec/fetch/*.cpp))
FETCHER := $(if $(FETCH_OBJ),$(BUILD)/libexec/fetch/fetch)
INSTALLED = $(foreach v,FETCH BUILD DESTDIR PREFIX SYSCONFDIR LIBDIR SYSTEMD UNITDIR SYSUSERSDIR TMPFILESDIR,$(v)='$($(v))') NEEDED='$(PROJECT_LDLIBS)'

# GETTEXT=no: pages are in English alone.
GETTEXT ?= $(if $(shell command -v msgfmt),yes,no)
TEMPLATES := $(if $(filter yes,$(GETTEXT)),$(BUILD)/templates/languages.mo)

EXAMPLES := $(BUILD)/examples/postern.json

all: $(LIB) $(CGI) $(CLI) $(FETCHER) $(TEMPLATES) $(EXAMPLES)

# The examples with what is known of endpoints filled in, as they are installed.
$(EXAMPLES): scripts/fill-examples lib/oauth/endpoints.h $(shell find examples -type f ! -path examples/userinfo/userinfo)
	$(call SAY,GEN)scripts/fill-examples $(@D)
	@touch $@

# The templates with the translations of their words, as they are installed.
$(BUILD)/templates/languages.mo: scripts/join-catalogues scripts/digest-messages $(wildcard po/*.po po/*.pot templates/*)
	@mkdir -p $(@D)
	@cp templates/* $(@D)/
	$(call SAY,MSG)scripts/join-catalogues $@ $(wildcard po/*.po)

# A copy of mk/NAME.h in $(BUILD)/precompiled: the compiler uses NAME.h.gch if it is next to the header.
precompiled = $(if $(PRECOMPILED),$(BUILD)/precompiled/$(1).h.gch)
# $(call precompile,NAME,DIRECTORY)
define precompile
$(BUILD)/precompiled/$(1).h.gch: $(2)/$(1).h
	@mkdir -p $$(@D)
	@cp $$< $$(@:.gch=)
	$$(call SAY,PCH)$$(CXX) $$(PROJECT_CXXFLAGS) $$(CPPFLAGS) $$(OBJECT_CXXFLAGS) -x c++-header -o $$@ $$(@:.gch=)
endef
$(eval $(call precompile,standard,mk))

INCLUDED = $(if $(PRECOMPILED),-include $(BUILD)/precompiled/standard.h)
$(BUILD)/cli/%.o: private PROJECT_CXXFLAGS += -I.
$(BUILD)/%.o: %.cpp $(call precompiled,standard)
	@mkdir -p $(@D)
	$(COMPILE)

# The schemas travel inside the programs, so that program and schema cannot disagree.
# $(call embed,FILE,HEADER,CONSTANT)
define embed
$(BUILD)/lib/db/$(notdir $(1)).cpp: $(1) Makefile
	@mkdir -p $$(@D)
	@{ printf '#include "$(2)"\nconst char* const postern::db::$(3) = R"SCHEMA('; cat $$<; printf ')SCHEMA";\n'; } > $$@
$(BUILD)/lib/db/$(notdir $(1)).o: $(BUILD)/lib/db/$(notdir $(1)).cpp $$(call precompiled,standard)
	$$(COMPILE)
endef
$(eval $(call embed,schema.sql,db/database.h,kSchemaSql))
$(eval $(call embed,schema-postgresql.sql,db/engine.h,kPostgresSchemaSql))
$(eval $(call embed,grants-postgresql.sql,db/maintenance.h,kPostgresGrantsSql))

# The defaults of "templates" and "outbound.program" are where install puts them: another PREFIX compiles that one file again.
$(BUILD)/lib/config/config.o: private PROJECT_CXXFLAGS += -DPOSTERN_TEMPLATES='"$(PREFIX)/share/postern/templates"'
$(BUILD)/lib/config/config.o: private PROJECT_CXXFLAGS += -DPOSTERN_FETCH='"$(PREFIX)/libexec/postern/fetch"'
$(BUILD)/lib/config/config.o: $(BUILD)/prefix
$(BUILD)/prefix: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = "$(PREFIX)" ] || echo "$(PREFIX)" > $@

# The doctor knows for which texts a catalogue must have been made.
$(BUILD)/cli/doctor/contents.o: private PROJECT_CXXFLAGS += -DPOSTERN_MESSAGES='"$(shell scripts/digest-messages)"'
$(BUILD)/cli/doctor/contents.o: scripts/digest-messages po/postern.pot

$(BUILD)/lib/util/version.o: private PROJECT_CXXFLAGS += -DPOSTERN_VERSION='"$(file < VERSION)"'
$(BUILD)/lib/util/version.o: VERSION

$(LIB): $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call SAY,AR )$(AR) rcs $@ $^

$(CGI): PROJECT_LDFLAGS += $(ENDPOINT_LDFLAGS)
$(BUILD)/cgi-bin/account: PROJECT_LDLIBS += $(QRENCODE_LDLIBS)
$(BUILD)/cgi-bin/account $(BUILD)/cgi-bin/recover $(BUILD)/bin/postern: PROJECT_LDLIBS += $(ZXCVBN_LDLIBS)
$(CGI): $(BUILD)/cgi-bin/%: $(BUILD)/cgi-bin/%.o $(LIB)
	$(LINK)
$(BUILD)/bin/postern: $(CLI_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK)

$(FETCHER): PROJECT_LDLIBS += $(FETCH_LDLIBS)
$(FETCHER): $(FETCH_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(LINK)

# Here, because prerequisites in mk/test.mk are expanded before mk/bench.mk is read: tests/servers runs a short bench.
BENCH_PROGRAMS := $(addprefix $(BUILD)/bench/,hello lookup token commit cgi_lookup fill)
include mk/test.mk mk/bench.mk mk/source.mk mk/deb.mk mk/po.mk

run:
	scripts/packages build run
	+$(MAKE) --no-print-directory all
	@exec scripts/run-demo $(BUILD)

install: all
	@$(INSTALLED) scripts/install-files install
uninstall:
	@$(INSTALLED) scripts/install-files uninstall

clean:
	rm -rf $(BUILD)

.PHONY: all run install uninstall clean FORCE
.DELETE_ON_ERROR:
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(CGI_OBJ) $(CLI_OBJ) $(FETCH_OBJ) $(TEST_OBJ) $(BUILD)/bench/fill.o)
