// The card at a citation: what its footnote says, beside the sentence and never over it. Made from the page, not fetched.

const HOVER = 150; // milliseconds until a pointer that rests on a numeral opens the card
const GRACE = 250; // milliseconds to reach the card before it closes
const GAP = 8; // pixels between sentence and card, and between card and window
const LEAST = 120; // pixels of height below which the other side is taken

customElements.define("citation-card", class extends HTMLElement {
  connectedCallback() {
    if (this.id) return; // it moves from citation to citation
    this.popover = "manual";
    this.id = "citation-card";
    this.className = "card";
    this.setAttribute("role", "group");
    this.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.addEventListener("pointerleave", () => this.closeSoon());
    this.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && relatedTarget !== this.cite && !this.contains(relatedTarget)) this.close();
    });
  }

  openFor(cite) {
    clearTimeout(this.timer);
    if (this.cite === cite && this.matches(":popover-open")) return;
    const note = noteOf(cite);
    if (!note) return;
    if (this.cite) this.close();
    this.cite = cite;
    this.replaceChildren(...contents(note));
    this.ariaLabel = cite.ariaLabel;
    cite.after(this); // so that Tab enters it next
    this.showPopover();
    cite.ariaExpanded = "true";
    cite.setAttribute("aria-controls", this.id);
    this.sentence = sentenceOf(cite);
    globalThis.CSS?.highlights?.set("sentence", new Highlight(this.sentence));
    this.place();
  }

  openSoon(cite) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.openFor(cite), HOVER);
  }

  closeSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.contains(document.activeElement) || this.close(), GRACE);
  }

  close() {
    clearTimeout(this.timer);
    if (this.matches(":popover-open")) this.hidePopover();
    globalThis.CSS?.highlights?.delete("sentence");
    if (this.cite) this.cite.ariaExpanded = "false";
    this.cite = null;
  }

  // Below the sentence, or above it where there is more room; within its column.
  place() {
    const sentence = this.sentence.getBoundingClientRect();
    const column = (this.cite.closest(".prose, .turn, main") ?? document.body).getBoundingClientRect();
    this.style.maxBlockSize = "none";
    const below = innerHeight - sentence.bottom - 2 * GAP;
    const above = sentence.top - 2 * GAP;
    const up = this.offsetHeight > below && above > below;
    const room = Math.max(LEAST, up ? above : below);
    this.style.maxBlockSize = `${room}px`;
    const right = getComputedStyle(this).direction === "rtl";
    const start = right ? column.right - this.offsetWidth : column.left;
    const left = Math.min(Math.max(GAP, start), document.documentElement.clientWidth - this.offsetWidth - GAP);
    const top = up ? sentence.top - GAP - this.offsetHeight : sentence.bottom + GAP;
    this.style.left = `${left + scrollX}px`;
    this.style.top = `${top + scrollY}px`;
  }
});

// A citation and its footnote have their number in common, within their turn.
function noteOf(cite) {
  const number = cite.textContent.trim();
  return cite.closest(".turn")?.querySelector(`.notes > .n${CSS.escape(number)}`);
}

// From the mark before (a numeral, or that there is no source), or from the beginning of its block, to this one.
function sentenceOf(cite) {
  const block = cite.closest("p, li, td, th, h2, h3, h4") ?? cite.parentElement;
  const mark = cite.closest(".ref") ?? cite;
  const range = document.createRange();
  range.selectNodeContents(block);
  const before = [...block.querySelectorAll(".ref, .unseen")].filter((other) => precedes(other, mark)).at(-1);
  if (before) range.setStartAfter(before);
  range.setEndBefore(mark);
  return range;
}

const precedes = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

function contents(note) {
  const title = note.querySelector(".title");
  const passages = note.querySelectorAll(".passage");
  const parts = [title, ...note.querySelectorAll(":scope > .meta"), passages[0]].filter(Boolean).map(copied);
  const row = document.createElement("div");
  row.className = "row";
  const here = note.querySelector(".acts a");
  if (here) row.append(copied(here));
  if (title.href && title.target) {
    const open = copied(title);
    open.className = "quiet";
    open.textContent = document.body.dataset.open ?? "Open";
    row.append(open);
  }
  return row.childElementCount ? [...parts, row] : parts;
}

function copied(element) {
  const copy = element.cloneNode(true);
  for (const each of [copy, ...copy.querySelectorAll("[id]")]) each.removeAttribute("id");
  return copy;
}

// --- what opens and closes it -----------------------------------------------------------------------------------------

const card = document.createElement("citation-card");
// In the open tail numerals are replaced all the time; a span is a numeral that leads nowhere.
const citeOf = (target) => target?.closest?.('a.cite:not([id^="tail-"] *)');

let returning = false; // the focus comes back from a card that was closed

if ("popover" in HTMLElement.prototype) {
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    const cite = pointerType === "touch" ? null : citeOf(target);
    if (cite) card.openSoon(cite);
  });
  document.addEventListener("pointerout", ({ target }) => { if (citeOf(target)) card.closeSoon(); });
  document.addEventListener("focusin", ({ target }) => {
    const cite = citeOf(target);
    if (!returning && cite?.matches(":focus-visible")) card.openFor(cite);
  });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (citeOf(target) === card.cite && !card.contains(relatedTarget)) card.closeSoon();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !card.cite) return;
    event.preventDefault(); // it closes the card, it does not stop the answer
    const { cite } = card;
    const within = card.contains(document.activeElement);
    card.close();
    if (!within) return;
    returning = true;
    cite.focus();
    returning = false;
  }, true);
  addEventListener("resize", () => card.cite && card.place());
}
