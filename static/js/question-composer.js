// The composer: Enter asks, Shift Enter breaks the line, Escape stops, "/" begins to type. What was typed is never lost.

// Storage throws inside a foreign frame; then a draft lasts as long as its page.
const drafts = {
  typed: new Map(),
  read(key) {
    try {
      return this.typed.get(key) ?? sessionStorage.getItem(key) ?? "";
    } catch {
      return "";
    }
  },
  write(key, text) {
    this.typed.set(key, text);
    try {
      if (text) sessionStorage.setItem(key, text);
      else sessionStorage.removeItem(key);
    } catch {
      // kept in `typed`
    }
  },
};

customElements.define("question-composer", class extends HTMLElement {
  connectedCallback() {
    this.field = this.querySelector("textarea");
    this.form = this.closest("form");
    if (!this.field || !this.form) return;
    this.key = `draft:${this.form.getAttribute("action")}`;
    // What the server sent (a question that was refused, one to be asked another way) is newer than a draft.
    if (!this.field.value) this.field.value = drafts.read(this.key);
    this.grow();
    this.field.addEventListener("input", this);
    this.field.addEventListener("keydown", this);
    for (const name of ["submit", "htmx:before:request", "htmx:after:request", "htmx:finally:request"]) {
      this.form.addEventListener(name, this, true);
    }
  }

  handleEvent(event) {
    switch (event.type) {
      case "input":
        drafts.write(this.key, this.field.value);
        this.grow();
        break;
      case "keydown":
        this.pressed(event);
        break;
      case "submit":
        this.submitted(event);
        break;
      default:
        if (event.detail.ctx.sourceElement === this.form) this.sending(event.type, event.detail.ctx);
    }
  }

  // An input method's Enter takes its suggestion; Safari sends it after the composition has ended, with code 229.
  pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (this.field.value.trim() && !this.busy) this.form.requestSubmit();
  }

  submitted(event) {
    const stops = event.submitter?.hasAttribute("formaction");
    if (!stops && (this.busy || !this.field.value.trim())) {
      event.preventDefault(); // asked once, however often it is pressed
      event.stopImmediatePropagation();
      this.field.focus();
    } else if (!stops && !globalThis.htmx) {
      drafts.write(this.key, ""); // a plain form: the browser and the next page keep what was typed
    }
  }

  // The draft goes when the question was taken, before the reply brings a fresh composer.
  sending(moment, ctx) {
    const taken = ctx.response?.raw.ok;
    if (moment === "htmx:before:request") {
      this.busy = true;
      this.unsent(false);
    } else if (moment === "htmx:after:request") {
      if (taken) drafts.write(this.key, "");
    } else {
      this.busy = false;
      // Still here and nothing taken: no connection, or a reply that was not ours.
      this.unsent(this.isConnected && (!taken || (ctx.status === "issuing" && !ctx.hx?.redirect)));
    }
  }

  unsent(shown) {
    const told = this.form.querySelector("[data-unsent]");
    if (told) told.hidden = !shown;
  }

  // Where the style sheet cannot let the field grow.
  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.field.style.blockSize = "auto";
    this.field.style.blockSize = `${this.field.scrollHeight}px`;
  }
});

const typing = (element) => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    // Whatever lies above the page takes Escape for itself.
    if (!document.querySelector(":popover-open, dialog[open]")) document.querySelector("[data-stop]")?.click();
  } else if (event.key === "/" && !typing(event.target)) {
    const field = [...document.querySelectorAll("question-composer textarea")].findLast((each) => each.checkVisibility());
    if (field) event.preventDefault();
    field?.focus();
  }
});
