// Copying: a code block as it is, an answer with its numbers and addresses.

customElements.define("copy-button", class extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", () => this.copy());
  }

  async copy() {
    const button = this.querySelector("button");
    const text = this.dataset.text ?? this.closest("figure")?.querySelector("pre")?.textContent ?? "";
    if (await written(text)) this.say(button, this.dataset.done ?? "Copied");
  }

  say(button, word) {
    this.word ??= button.textContent;
    button.textContent = word;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { button.textContent = this.word; }, 2000);
  }
});

// Over plain http there is no clipboard interface: a selection and the old command do.
async function written(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
