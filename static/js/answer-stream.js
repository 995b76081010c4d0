// An answer while it arrives: the page keeps to its end only while the reader is there, and says when nothing comes.

const STALLED = 20_000; // milliseconds without a word
const BURST = 1_500; // milliseconds in which more than a screen is more than anybody reads
const NEAR = 48; // pixels from the end that still are the end, since it moves on
const LEAVING = 300; // milliseconds that a scroll upwards may need to begin
const UPWARDS = new Set(["ArrowUp", "PageUp", "Home"]);

const root = document.documentElement;
const atEnd = () => innerHeight + scrollY >= root.scrollHeight - NEAR;
const toEnd = () => scrollTo({ top: root.scrollHeight, behavior: "instant" });

customElements.define("answer-stream", class extends HTMLElement {
  connectedCallback() {
    this.turn = this.closest(".turn");
    this.newest = this.querySelector(".newest");
    this.stalled = this.querySelector(".stalled");
    this.away = new AbortController();
    this.following = true;
    this.left = 0;
    const options = { signal: this.away.signal, passive: true };
    for (const name of ["htmx:sse:before:message", "htmx:sse:after:message"]) {
      this.turn.addEventListener(name, this, options);
    }
    for (const name of ["wheel", "touchmove", "keydown", "scroll", "scrollend"]) addEventListener(name, this, options);
    this.newest?.addEventListener("click", () => this.follow(), options);
    if (document.readyState === "complete") this.turn.scrollIntoView({ block: "start" }); // it was just asked
    this.waiting();
  }

  disconnectedCallback() {
    this.away.abort();
    clearTimeout(this.timer);
  }

  handleEvent(event) {
    switch (event.type) {
      case "htmx:sse:before:message":
        this.began ??= { time: performance.now(), height: root.scrollHeight };
        break;
      case "htmx:sse:after:message":
        this.arrived();
        break;
      case "wheel":
        if (event.deltaY < 0) this.leave();
        break;
      case "touchmove":
        this.leave();
        break;
      case "keydown":
        if (UPWARDS.has(event.key) || (event.key === " " && event.shiftKey)) this.leave();
        else if (event.key === "End") this.following = true;
        break;
      default: // scroll, scrollend: of the reader's doing or of ours, so what they just did weighs more
        if (atEnd() && performance.now() - this.left > LEAVING) this.following = true;
        this.show();
    }
  }

  leave() {
    this.following = false;
    this.left = performance.now();
  }

  follow() {
    this.following = true;
    toEnd();
    this.show();
  }

  arrived() {
    if (this.following && this.outran()) {
      this.following = false;
      this.turn.scrollIntoView({ block: "start", behavior: "instant" });
    } else if (this.following) {
      toEnd();
    }
    this.show();
    this.waiting();
  }

  // A whole answer at once is read from its beginning.
  outran() {
    const { time, height } = this.began;
    return performance.now() - time < BURST && root.scrollHeight - height > innerHeight;
  }

  show() {
    if (this.newest) this.newest.hidden = this.following || atEnd();
  }

  waiting() {
    if (!this.stalled) return;
    this.stalled.hidden = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.stalled.hidden = false; }, STALLED);
  }
});
