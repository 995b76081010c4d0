// The page's connection to its answers: whose replies are swapped, and how often a stream is asked again.

// A reply without X-App is not ours (a proxy's sign-in page, say): neither swapped nor followed. It is an extension, and
// registered before hx-sse, because the page never hears of a stream's first reply as an event.
globalThis.htmx?.registerExtension("x-app", {
  htmx_before_response: (element, { ctx }) => {
    if (ctx.response.headers.has("X-App")) return;
    ctx.response.raw.body?.cancel();
    return false;
  },
});

const SILENT = 45_000; // milliseconds without a message after which a connection may be dead; pings are not seen here
const patience = (tries) => Math.min(30_000, 500 * 2 ** tries);
const connections = new Map(); // of a turn, while it is followed

// What htmx asks once only is asked again here: a stream whose first request failed, and an answer's final form that
// could not be had (the server is just starting again).
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  const source = ctx.sourceElement;
  const turn = source?.closest?.(".turn");
  if (!turn) return;
  const status = ctx.response?.status ?? 503;
  if (source === turn && !ctx.extensionPromise) again(turn, "reopen");
  else if (source.getAttribute("hx-trigger")?.startsWith("done") && status >= 500) again(turn, "done");
});

function again(turn, event) {
  const tries = Number(turn.dataset.tries ?? 0);
  turn.dataset.tries = tries + 1;
  setTimeout(() => turn.isConnected && htmx.trigger(turn, event), patience(tries));
}

// hx-sse forgets its patience with every reply that is "ok", even an empty one.
document.addEventListener("htmx:sse:after:connection", ({ target, detail: { connection } }) => {
  connections.set(target, connection);
  connection.silent = (connection.silent ?? -1) + 1;
  connection.config.reconnectDelay = patience(connection.silent);
  listen(connection);
});
document.addEventListener("htmx:sse:before:message", ({ detail: { connection } }) => {
  connection.silent = -1;
  connection.config.reconnectDelay = patience(0);
  listen(connection);
});
document.addEventListener("htmx:sse:close", ({ target, detail: { connection } }) => {
  clearTimeout(connection.watch);
  connections.delete(target);
});

// Letting go makes hx-sse ask again with the last number it has seen, so nothing is lost where the connection lived.
const letGo = (connection) => connection.reader?.cancel();

function listen(connection) {
  clearTimeout(connection.watch);
  connection.watch = setTimeout(() => letGo(connection), SILENT);
}

addEventListener("online", () => connections.forEach(letGo));
