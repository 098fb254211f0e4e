// How a page is laid out for a finger and for an eye: functions that run in the page, each without anything around it.

/// Runs in the page: what can be pressed is at least 44 pixels high and wide (A11Y-1), and no two of it overlap.
export function smallTargets() {
  const shown = (element) => element.checkVisibility() && getComputedStyle(element).clipPath === "none";
  const isBox = ({ type }) => ["checkbox", "hidden"].includes(type); // its label can be pressed, too
  const targets = [...document.querySelectorAll("a, button, summary, input, .box label")]
    .filter((element) => shown(element) && !isBox(element))
    .map((element) => ({ name: element.id || element.textContent.trim(), box: element.getBoundingClientRect() }));
  const small = targets.filter(({ box }) => box.width < 43.5 || box.height < 43.5);
  const overlaps = ([one, other]) =>
    one.box.bottom > other.box.top + 0.5 &&
    one.box.right > other.box.left + 0.5 &&
    other.box.right > one.box.left + 0.5;
  const pairs = targets.slice(1).map((target, index) => [targets[index], target]);
  return [
    ...small.map(({ name, box }) => `${name} is ${box.width} by ${box.height}`),
    ...pairs.filter(overlaps).map(([one, other]) => `${one.name} overlaps ${other.name}`),
  ];
}

/// Runs in the page: text beside the margin of 20 pixels that a narrow page has.
export function besideMargin() {
  const width = document.documentElement.clientWidth;
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode } = walker;
    if (!currentNode.data.trim() || currentNode.parentElement.closest("script, style, svg, .skip")) continue;
    const range = document.createRange();
    range.selectNodeContents(currentNode);
    for (const { left, right, width: own } of range.getClientRects())
      if (own > 1 && (left < 19 || right > width - 19)) found.push(`"${currentNode.data.trim()}": ${left} to ${right}`);
  }
  return found;
}

/// Runs in the page: labels in lists of facts that are not nearer to their own value than to the one above, and values
/// below the link of their row that are not nearer to it than to the next row.
export function strayLabels() {
  const textOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const strayValues = [...document.querySelectorAll(".rows .value")]
    .filter((value) => {
      const above = textOf(value).top - textOf(value.previousElementSibling).bottom;
      return above > 0 && above >= value.parentElement.getBoundingClientRect().bottom - textOf(value).bottom;
    })
    .map(({ textContent }) => textContent);
  const strayOnes = [...document.querySelectorAll("dl dd + dt")]
    .filter((label) => {
      const { top, bottom } = label.getBoundingClientRect();
      const above = top - label.previousElementSibling.getBoundingClientRect().bottom;
      const below = label.nextElementSibling.getBoundingClientRect().top - bottom;
      return above < below + 8;
    })
    .map(({ textContent }) => textContent);
  return [...strayOnes, ...strayValues];
}

/// Runs in the page: between an error and the field that it is about stands something else than labels.
export function farErrors() {
  const error = document.querySelector("#problem");
  const field = document.querySelector('[aria-invalid="true"]');
  if (!error || !field) return error || !field ? [] : ["a field is wrong, and no error says so"];
  const isBetween = (element) =>
    error.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING &&
    field.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
  const between = [...document.querySelectorAll("input:not([type=hidden]), button, summary, svg, code, .hint")];
  const found = between.filter(isBetween).map(({ id, localName }) => `${id || localName} stands before the field`);
  return field.getAttribute("aria-describedby")?.split(" ").includes("problem") ? found : [...found, "not described"];
}

/// Runs in the page: words that go on in the next line without a hyphen. Data may: it is not read as words. What
/// browsers with a dictionary do by themselves is left out.
export function brokenWords() {
  const style = new CSSStyleSheet();
  style.replaceSync("* { hyphens: manual !important; }");
  document.adoptedStyleSheets = [style];
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const topOf = (node, at) => {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    // a character behind a soft hyphen has the box of the hyphen first, at the end of the line before
    return [...range.getClientRects()].at(-1)?.top;
  };
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest('script, style, svg, code, bdi, [dir="ltr"]:not(html), [lang]:not(html)')) continue;
    const addresses = [...node.data.matchAll(/\S*(?::\/\/|@)\S*/g)];
    const isInAddress = (at) => addresses.some(({ 0: address, index }) => at >= index && at < index + address.length);
    for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{M}\u00ad]{2,}/gu)) {
      if (isInAddress(index)) continue;
      if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word)) continue; // these break anywhere
      for (let at = index + 1; at < index + word.length; ++at) {
        const [before, here] = [topOf(node, at - 1), topOf(node, at)];
        const breaks = before !== undefined && here !== undefined && Math.abs(here - before) > 8;
        if (breaks && node.data[at - 1] !== "\u00ad" && node.data[at] !== "\u00ad") found.push(`${word} is broken`);
      }
    }
  }
  document.adoptedStyleSheets = [];
  return found;
}

/// Runs in the page: what is written from left to right and drawn otherwise, and all that was measured. In a sentence
/// from right to left its own stops and brackets are no part of what they follow, and a time goes with its date.
export function disorder() {
  const found = [];
  const measured = [];
  for (const details of document.querySelectorAll("details")) details.open = true;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("script, style, svg, [hidden]")) continue;
    const inSentence = /\p{sc=Arabic}/u.test(node.data);
    for (const { 0: run, index } of node.data.matchAll(/[!-~]+(?: +[!-~]+)*/g)) {
      const lead = inSentence ? run.match(/^[.,:;!?()" ]*/)[0].length : 0;
      const prose = inSentence ? run.slice(lead).replace(/[.,:;!?()" ]+$/, "") : run;
      if (/^\d\d:\d\d UTC$/.test(prose)) continue;
      measured.push(prose);
      let last;
      for (let at = index + lead; at < index + lead + prose.length; ++at) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const box = range.getClientRects()[0];
        if (!box || box.width === 0) continue;
        if (last && Math.abs(box.top - last.top) < 2 && box.left <= last.left)
          found.push(`${prose}: "${node.data[at]}"`);
        last = box;
      }
    }
  }
  for (const field of document.querySelectorAll("input:not([type=hidden], [type=checkbox], [type=password])")) {
    const isData =
      ["email", "url"].includes(field.type) || field.inputMode === "numeric" || /^[!-~ ]+$/.test(field.value);
    if (field.value) measured.push(field.value);
    if (isData && getComputedStyle(field).direction !== "ltr") found.push(`the field ${field.id}`);
  }
  return { found, measured };
}

/// Runs in the page: where each of `words` is drawn first.
export function placesOf(words) {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const places = [];
  const range = document.createRange();
  while (walker.nextNode())
    for (const word of words) {
      const at = walker.currentNode.data.indexOf(word);
      if (at < 0) continue;
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + word.length);
      places.push([word, range.getBoundingClientRect().left]);
    }
  return places;
}
