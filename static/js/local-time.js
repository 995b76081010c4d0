// A time as the reader's own clock has it, and as one says it; the server's words stay where the browser knows no better.

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

customElements.define("local-time", class extends HTMLElement {
  connectedCallback() {
    this.time = this.querySelector("time");
    this.moment = new Date(this.time?.dateTime ?? "");
    if (Number.isNaN(this.moment.getTime())) return;
    this.language = document.documentElement.lang || undefined;
    this.time.title = new Intl.DateTimeFormat(this.language, { dateStyle: "long", timeStyle: "short" }).format(this.moment);
    this.tell();
    this.timer = setInterval(() => this.tell(), 60_000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  tell() {
    const seconds = Math.max(0, (Date.now() - this.moment) / 1000);
    const [unit, length] = STEPS.find(([, size]) => seconds >= size) ?? ["minute", 60];
    const ago = new Intl.RelativeTimeFormat(this.language, { numeric: "auto" });
    if (seconds >= 60) this.time.textContent = ago.format(-Math.floor(seconds / length), unit);
  }
});
