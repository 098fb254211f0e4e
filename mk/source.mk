# Checks of the source that need no build.

# $(call files,PATTERN): of the folders that hold code.
files = $(sort $(shell find lib cgi-bin libexec cli mk bench examples tests -name '$(1)' -not -path '*/node_modules/*'))
SOURCES = $(call files,*.cpp)
HEADERS = $(call files,*.h)
# By their first line, wherever they are.
SHELL_SCRIPTS = $(shell grep -rlE --exclude-dir=node_modules '^#!/bin/(ba)?sh' .ci debian examples scripts tests)

# The format is what clang-format 14 of Debian 12 makes of it; other releases differ in details.
CLANG_FORMAT ?= clang-format-14
# JavaScript is formatted by the prettier of tests/package.json; it leaves long strings alone, so lines are measured as well.
SCRIPTS = $(call files,*.mjs) $(call files,*.js)
PRETTIER = tests/node_modules/.bin/prettier --log-level warn
format: tests/node_modules/.package-lock.json
	$(CLANG_FORMAT) -i $(SOURCES) $(HEADERS)
	$(PRETTIER) --write $(SCRIPTS)
format-check: tests/node_modules/.package-lock.json
	$(PRETTIER) --check $(SCRIPTS)
	@! LC_ALL=C.UTF-8 grep -nE '^.{121,}$$' $(SCRIPTS) /dev/null
	@if command -v $(CLANG_FORMAT) >/dev/null; then $(CLANG_FORMAT) --dry-run -Werror $(SOURCES) $(HEADERS); \
	else echo '$(CLANG_FORMAT) is not here: the format is not checked'; fi
cppcheck:
	cppcheck --quiet --inline-suppr --error-exitcode=1 -j$(JOBS) --std=c++20 --enable=warning,performance,portability -Ilib -I. lib cgi-bin libexec cli
shellcheck:
	shellcheck --external-sources --source-path=SCRIPTDIR --severity=warning $(SHELL_SCRIPTS)
tidy:
	@printf '%s\n' $(SOURCES) | xargs -P$(JOBS) -n1 -I{} clang-tidy --quiet {} -- -std=c++20 -Ilib -Itests -I.
layers:
	@scripts/layers
# A comment in a header can be read without the one above it: it begins with a verb, or with the thing that it names. The
# heading of a file may be the question that the file answers.
NO_BEGINNING := What|Of|Those|Likewise|That|Behind|None|The same
NO_DECLARATION := $(NO_BEGINNING)|In|It|Its|And|With|Without|For|Not|No|So|Until|They|Them|If|When|Where|As|By|Also|On|At|To|Only|Empty|True|False|Whether|Nothing|Neither|Nor|Else|But|Or|Than|Then|There|Is|Because|Before|After|From|Inside|Outside|Under|Beside|Which|Who|Whose|Why|How|This|These|Like|Once|Per
header-comments:
	@awk 'FNR == 1 { inside = 0 } { is_comment = /^ *\/\/\/? / } \
	    is_comment && !inside && (/^ *\/\/ ($(NO_BEGINNING))[^A-Za-z]/ || /^ *\/\/\/ ($(NO_DECLARATION))[^A-Za-z]/) \
	    { print FILENAME ":" FNR ": " $$0; bad = 1 } { inside = is_comment } END { exit bad }' $(HEADERS)
# The commands of the compiler, for editors and clang's tools.
compile_commands.json:
	@$(MAKE) --no-print-directory -Bn V=1 PRECOMPILED= all $(TEST_BIN) | sed -n 's/["\\]/\\&/g; s#^.* -c -o \([^ ]*\) \([^ ]*\)$$#{"directory": "$(CURDIR)", "command": "&", "output": "\1", "file": "\2"}#p' \
	    | sed -e '1s/^/[/' -e '$$!s/$$/,/' -e '$$s/$$/]/' > $@
# Copies docs/*-COVERAGE.md to the build, with the tests of each requirement.
coverage:
	@node tests/coverage/coverage.mjs --write $(BUILD)/coverage

# What continuous integration runs. It compiles as a first build does, so that both see the same warnings; that each file includes what it
# uses is read from the source (tests/coverage/includes.test.mjs).
ci:
	scripts/packages build run test ci
	+$(MAKE) --no-print-directory layers header-comments format-check cppcheck shellcheck
	+$(MAKE) --no-print-directory suites WERROR=1

.PHONY: format format-check cppcheck shellcheck tidy layers header-comments coverage compile_commands.json ci
