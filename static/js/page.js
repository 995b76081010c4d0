// What htmx leaves to the page: whose replies are swapped, and how often a stream is asked again.

// A reply without X-App is not ours (a proxy's sign-in page, say): neither swapped nor followed. An extension, because
// a stream's reply never reaches the page as an event; named before "sse" in the page's htmx-config.
htmx.registerExtension("x-app", {
  htmx_before_response: (element, { ctx }) => {
    if (ctx.response.headers.has("X-App")) return;
    ctx.response.raw.body?.cancel();
    return false;
  },
});

const patience = (tries) => Math.min(30000, 500 * 2 ** tries);

// A first request that failed is never asked again by hx-sse itself.
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  const turn = ctx.sourceElement;
  if (!turn.hasAttribute?.("hx-sse:connect") || ctx.extensionPromise) return;
  const tries = Number(turn.dataset.tries ?? 0);
  turn.dataset.tries = tries + 1;
  setTimeout(() => turn.isConnected && htmx.trigger(turn, "reopen"), patience(tries));
});

// hx-sse forgets its patience with every reply that is "ok", even an empty one.
document.addEventListener("htmx:sse:after:connection", ({ detail: { connection } }) => {
  connection.silent = (connection.silent ?? -1) + 1;
  connection.config.reconnectDelay = patience(connection.silent);
});
document.addEventListener("htmx:sse:before:message", ({ detail: { connection } }) => {
  connection.silent = -1;
  connection.config.reconnectDelay = patience(0);
});
