# Debian packages.

# Debian packages in $(BUILD)/deb, and what they are tried with: scripts/test-deb says how to try more.
deb:
	scripts/packages build deb
	scripts/build-deb $(BUILD)/deb
test-deb: deb
	scripts/test-deb $(BUILD)/deb

# What a release is made of, as SPDX: the packages whose code is in the programs, or that they are linked to.
sbom: all
	scripts/sbom $(BUILD) > $(BUILD)/postern.spdx.json

.PHONY: deb test-deb sbom
