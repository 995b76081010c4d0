// A time as the reader's own clock has it, and as one says it; the server's words stay where the browser knows no better.
// Its form: a time that was ("12 minutes ago"), a clock's ("09:00"), or one that is waited for ("in 40 seconds").

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
const MOST = 1.5; // of the next larger unit is still told in the smaller one, as the server does it

customElements.define("local-time", class extends HTMLElement {
  connectedCallback() {
    this.time = this.querySelector("time");
    this.moment = new Date(this.time?.dateTime ?? "");
    if (Number.isNaN(this.moment.getTime())) return;
    this.language = document.documentElement.lang || undefined;
    this.time.title = new Intl.DateTimeFormat(this.language, { dateStyle: "long", timeStyle: "short" }).format(this.moment);
    this.tell();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }

  tell() {
    const wait = this.dataset.form === "wait";
    const words = wait ? this.left() : this.dataset.form === "clock" ? this.clock() : this.ago();
    if (words) this.time.textContent = words;
    if (!wait || this.moment > Date.now()) this.timer = setTimeout(() => this.tell(), wait ? 1_000 : 60_000);
  }

  ago() {
    const seconds = Math.max(0, (Date.now() - this.moment) / 1000);
    const [unit, length] = STEPS.find(([, size]) => seconds >= size) ?? STEPS.at(-1);
    return seconds >= 60 ? this.relative(-Math.floor(seconds / length), unit) : "";
  }

  left() {
    const seconds = Math.max(0, Math.ceil((this.moment - Date.now()) / 1000));
    const [unit, length] = STEPS.findLast(([, size], index) => Math.ceil(seconds / size) * size < MOST * (STEPS[index - 1]?.[1] ?? Infinity));
    return this.relative(Math.ceil(seconds / length), unit);
  }

  clock() {
    const day = this.moment.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "long" };
    const options = { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    return new Intl.DateTimeFormat(this.language, options).format(this.moment);
  }

  relative(number, unit) {
    return new Intl.RelativeTimeFormat(this.language, { numeric: "auto" }).format(number, unit);
  }
});
