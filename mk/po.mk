# The texts that people read, and their translations.

# What programs and templates have now, in the template and in each catalogue. New messages are empty there.
po:
	scripts/collect-messages > po/postern.pot
	for catalogue in po/*.po; do msgmerge --quiet --update --backup=none --no-fuzzy-matching --no-wrap $$catalogue po/postern.pot; done
# What each catalogue lacks, and who has read it.
po-status:
	@for catalogue in po/*.po; do \
	    printf '%s: ' "$$catalogue"; msgfmt --statistics -o /dev/null "$$catalogue" 2>&1; \
	    grep '^"X-Reviewed-By' "$$catalogue" || true; \
	    msgattrib --no-obsolete --untranslated --no-wrap "$$catalogue" | grep '^msgid "..*"' || true; done
# make po-review LANGUAGE=de: the messages beside their translations, for a reader who has no build.
po-review: $(BUILD)/templates/languages.mo
	@mkdir -p $(BUILD)/po
	@msgattrib --no-obsolete --no-wrap po/$(LANGUAGE).po | awk '/^msgid "..*"/ { print substr($$0, 8, length($$0) - 8) } \
	    /^msgstr "..*"/ { print "    " substr($$0, 9, length($$0) - 9) "\n" }' > $(BUILD)/po/$(LANGUAGE).txt
	@echo $(BUILD)/po/$(LANGUAGE).txt
.PHONY: po po-status po-review
