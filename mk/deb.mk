# Debian packages.

# Debian packages in $(BUILD)/deb, and what they are tried with: scripts/test-deb says how to try more.
deb:
	scripts/packages build deb
	scripts/build-deb $(BUILD)/deb
test-deb: deb
	scripts/test-deb $(BUILD)/deb

.PHONY: deb test-deb
