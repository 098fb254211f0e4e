# What Postern costs: bench/ says how it is measured.

# What the machine measures, in $(BUILD)/bench: SECONDS for each of ROUNDS measurements; ONLY some scenarios; OTHER is described in bench/other.mjs.
# With STORE=postgresql: the endpoints on a PostgreSQL server, which it starts, beside the same on SQLite.
bench:
	scripts/packages build run bench
	+$(MAKE) --no-print-directory all bench-programs
	-+$(MAKE) --no-print-directory $(BUILD)/bench/introspect_static
	POSTERN_BUILD=$(BUILD) SECONDS='$(SECONDS)' ROUNDS='$(ROUNDS)' ONLY='$(ONLY)' OTHER='$(OTHER)' node bench/$(if $(STORE),stores,run).mjs
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
$(BUILD)/bench/cgi_lookup: ANCHOR_LIBS = -lsqlite3 $(STATIC_CRYPTO) -lm
# The same objects as the dynamic one, stripped as a copy for a host would be.
$(BUILD)/bench/introspect_static: $(BUILD)/cgi-bin/introspect.o $(LIB)
	@mkdir -p $(@D)
	$(call SAY,LD )$(CXX) -static-pie -s -Wl,-z,relro,-z,now -Wl,--gc-sections $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(PROJECT_LDLIBS) $(STATIC_CRYPTO) -lm

# The same with many tokens in the database: SIZES of it, the smallest first. With STORE=postgresql: TOKENS, and MINUTES of rotations.
bench-growth:
	scripts/packages build run bench
	+$(MAKE) --no-print-directory all bench-programs
	POSTERN_BUILD=$(BUILD) SECONDS='$(SECONDS)' ROUNDS='$(ROUNDS)' SIZES='$(SIZES)' TOKENS='$(TOKENS)' MINUTES='$(MINUTES)' node bench/$(if $(STORE),growth_postgresql,growth).mjs

# The same with 1, 2, 4 and 8 PROCESSES of each program, on one core and on two.
bench-scaling:
	scripts/packages build run bench
	+$(MAKE) --no-print-directory all bench-programs
	POSTERN_BUILD=$(BUILD) SECONDS='$(SECONDS)' ROUNDS='$(ROUNDS)' PROCESSES='$(PROCESSES)' node bench/scaling.mjs

# What each endpoint costs in instructions, allocations and system calls, compared with bench/instructions.json; UPDATE=1 writes it.
bench-instructions:
	scripts/packages build run test
	+$(MAKE) --no-print-directory all $(PRELOADED)
	POSTERN_BUILD=$(BUILD) node bench/instructions.mjs $(if $(UPDATE),--update)

.PHONY: bench bench-growth bench-scaling bench-programs bench-instructions
