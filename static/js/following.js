// Following an answer: the page keeps to its end only while the reader is there, and says when nothing comes.

const NEAR = 120; // pixels from the end that count as being there
const STALLED = 20000; // milliseconds without a word

let following = true;
const atEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR;

for (const name of ["wheel", "touchmove", "keydown"]) {
  addEventListener(name, () => requestAnimationFrame(() => { following = atEnd(); }), { passive: true });
}

document.addEventListener("htmx:sse:after:message", ({ target }) => {
  const turn = target.closest?.(".turn");
  if (!turn) return;
  turn.classList.remove("stalled");
  clearTimeout(turn.stall);
  turn.stall = setTimeout(() => turn.isConnected && turn.classList.add("stalled"), STALLED);
  if (following) scrollTo({ top: document.documentElement.scrollHeight });
});
