// Copying: a code block as it is; an answer with its numbers and addresses, and with the word at what has no source.

customElements.define("copy-button", class extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    const { copy = "Copy", copied = "Copied", copyFailed = "Press Ctrl C" } = document.body.dataset;
    this.words = { copy, copied, copyFailed };
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "quiet";
    this.button.textContent = copy;
    this.button.addEventListener("click", () => this.copy());
    this.append(this.button);
  }

  async copy() {
    const figure = this.closest("figure");
    const text = figure ? figure.querySelector("pre").textContent : answerText(this.closest(".turn"));
    this.say((await put(text)) ? this.words.copied : this.words.copyFailed);
  }

  say(word) {
    this.button.textContent = word;
    const says = document.getElementById("says");
    if (says) says.textContent = word;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.button.textContent = this.words.copy; }, 2000);
  }
});

// Over plain http, and in many frames, there is no clipboard to write to: a selection and the old command do.
async function put(text) {
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

// --- an answer as Markdown --------------------------------------------------------------------------------------------

function answerText(turn) {
  const prose = turn.querySelector(".prose");
  const parts = prose ? blocks(prose) : [];
  const notes = [...turn.querySelectorAll(".notes > .note, .result:has(.cite)")].map(footnote);
  return [...parts, notes.join("\n")].filter(Boolean).join("\n\n") + "\n";
}

function footnote(note, index) {
  const title = note.querySelector(".title");
  const number = note.querySelector("h4 .cite, h3 .cite")?.textContent.trim() ?? note.value ?? index + 1;
  return `[${number || index + 1}] ${line(title)}: ${title.href ?? ""}`;
}

const blocks = (element) => [...element.children].map(block).filter(Boolean);

function block(element) {
  const heading = /^h([1-6])$/.exec(element.localName);
  if (heading) return `${"#".repeat(heading[1])} ${line(element)}`;
  switch (element.localName) {
    case "figure":
      return fenced(element.querySelector("pre")?.textContent ?? "");
    case "ul":
    case "ol":
      return [...element.children].map((item, index) => listItem(item, element, index)).join("\n");
    case "blockquote":
      return blocks(element).join("\n\n").replace(/^/gm, "> ");
    case "table":
      return [...element.rows].map(row).join("\n");
    case "hr":
      return "---";
    case "div":
    case "section":
      return blocks(element).join("\n\n");
    case "citation-card":
    case "copy-button":
      return "";
    default:
      return line(element);
  }
}

function listItem(item, list, index) {
  const mark = list.localName === "ol" ? `${(list.start || 1) + index}. ` : "- ";
  const inner = [...item.children].some((child) => child.matches("p, ul, ol, figure, table, blockquote, .scroll"));
  const text = inner ? mixed(item) : line(item);
  return mark + text.replaceAll("\n", `\n${" ".repeat(mark.length)}`);
}

// An item's own words, then what stands in it as blocks.
function mixed(item) {
  const parts = [];
  let words = "";
  for (const node of item.childNodes) {
    if (node.nodeType === Node.ELEMENT_NODE && /^(p|ul|ol|figure|table|blockquote|div)$/.test(node.localName)) {
      parts.push(words.trim(), block(node));
      words = "";
    } else {
      words += inline(node);
    }
  }
  return [...parts, words.trim()].filter(Boolean).join("\n");
}

function row(cells, index) {
  const written = `| ${[...cells.cells].map((cell) => line(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return index ? written : `${written}\n|${" --- |".repeat(cells.cells.length)}`;
}

function fenced(code) {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${code.replace(/\n$/, "")}\n${fence}`;
}

const line = (element) => [...element.childNodes].map(inline).join("").trim();

function inline(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return node.data?.replace(/\s+/g, " ") ?? "";
  if (node.matches(".cite")) return `[${node.textContent.trim()}]`;
  if (node.matches(".refs > .unsourced")) return `(${node.textContent.trim()})`;
  switch (node.localName) {
    case "citation-card":
    case "copy-button":
      return "";
    case "br":
      return "\n";
    case "code":
      return `\`${node.textContent}\``;
    case "strong":
      return `**${line(node)}**`;
    case "em":
      return `*${line(node)}*`;
    case "a":
      return `[${line(node)}](${node.href})`;
    default:
      return [...node.childNodes].map(inline).join("");
  }
}
