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
# make po-review LANGUAGE=de: the pages with their texts, and the messages beside their translations, in one file.
po-review: $(CLI) $(BUILD)/templates/languages.mo
	@scripts/review-pages $(BUILD) '$(LANGUAGE)'
.PHONY: po po-status po-review
