// The composer: Enter asks, Shift Enter breaks the line, Escape stops, "/" begins to type, and a draft survives.

const drafts = {
  // Storage throws inside a foreign frame; then a draft lasts as long as its page.
  read: (key) => { try { return sessionStorage.getItem(key) ?? ""; } catch { return ""; } },
  write: (key, text) => { try { text ? sessionStorage.setItem(key, text) : sessionStorage.removeItem(key); } catch {} },
};

const composerOf = (element) => element?.closest?.(".composer")?.closest("form");
const keyOf = (form) => `draft:${form.getAttribute("action")}`;

document.addEventListener("keydown", (event) => {
  const form = composerOf(event.target);
  // An input method's own Enter only takes its suggestion; Safari sends it after the composition with code 229.
  if (event.key === "Enter" && form && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
    event.preventDefault();
    if (event.target.value.trim()) form.requestSubmit();
  } else if (event.key === "Escape" && !event.isComposing) {
    const open = document.querySelector("[popover]:popover-open");
    if (!open) document.querySelector("[data-stop]")?.click();
  } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
    event.preventDefault();
    document.querySelector(".composer textarea")?.focus();
  }
});

const typing = (element) => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

document.addEventListener("input", ({ target }) => {
  const form = composerOf(target);
  if (form && target.name === "question") drafts.write(keyOf(form), target.value);
});

// What was asked is kept by the server; until then the draft stays.
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  const form = ctx.sourceElement;
  if (form?.matches?.("form") && form.querySelector(".composer") && ctx.response?.raw?.ok) drafts.write(keyOf(form), "");
});

const restore = () => {
  for (const field of document.querySelectorAll(".composer textarea[name=question]")) {
    if (!field.value) field.value = drafts.read(keyOf(field.form));
  }
};
document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", restore) : restore();
