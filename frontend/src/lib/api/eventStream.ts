/** Server-sent events of one address while the page is open. */

import { useEffect, useRef, useState } from "react";
import { parseExactly } from "../../model/text/exactJson";

/**
 * `waiting`: not connected yet, or briefly disconnected; `broken`: disconnected for several seconds; `full`: refused
 * because too many are open, so the page polls every LOOKS_EVERY_S.
 */
export type Connection = "waiting" | "live" | "broken" | "full";

export const LOOKS_EVERY_S = 10;
const TOO_MANY = 429;

const PATIENCE_MS = 6_000;
const AGAIN_MS = 5_000;

type Handlers = Record<string, (data: unknown) => void>;

/**
 * Called when a broken connection is restored, or when the page must poll because too many are open; and each time that
 * the server refuses the connection for another reason.
 */
export interface Turns {
  onReturn: () => void;
  onRefused: () => void;
}

/** Find out whether a stream was refused because too many are open; the browser does not expose the status. */
async function isFull(url: string): Promise<boolean> {
  const asked = new AbortController();
  try {
    const answer = await fetch(url, { headers: { Accept: "text/event-stream" }, signal: asked.signal });
    return answer.status === TOO_MANY;
  } catch {
    return false; // the server can't be reached
  } finally {
    asked.abort();
  }
}

/** Open one connection; returns a function that closes it. The browser reconnects unless the server refused; then we do. */
function follow(url: string, handlers: Handlers, tell: (connection: Connection) => void, turns: Turns): () => void {
  let source: EventSource | null = null;
  let giveUp: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let wasAway = false;
  let over = false;

  const refused = async () => {
    const full = await isFull(url);
    if (over) return;
    if (full) {
      clearTimeout(giveUp);
      wasAway = true;
      tell("full");
      turns.onReturn();
    } else turns.onRefused();
    again = setTimeout(connect, full ? LOOKS_EVERY_S * 1_000 : AGAIN_MS);
  };

  const connect = () => {
    source = new EventSource(url);
    source.onopen = () => {
      clearTimeout(giveUp);
      giveUp = undefined;
      tell("live");
      if (wasAway) turns.onReturn();
      wasAway = false;
    };
    source.onerror = () => {
      giveUp ??= setTimeout(() => {
        wasAway = true;
        tell("broken");
      }, PATIENCE_MS);
      if (source?.readyState === EventSource.CLOSED) void refused();
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(parseExactly((event as MessageEvent<string>).data)));
    }
  };

  connect();
  return () => {
    over = true;
    clearTimeout(giveUp);
    clearTimeout(again);
    source?.close();
  };
}

/**
 * Follow `url` while mounted; null: not yet. `handlers` may change at every render, but not their names.
 * The stream can't give a reason for a refusal: its `turns` must request the object itself.
 */
export function useEventStream(url: string | null, handlers: Handlers, turns: Turns): Connection {
  const [connection, setConnection] = useState<Connection>("waiting");
  const current = useRef(handlers);
  const turning = useRef(turns);
  useEffect(() => {
    current.current = handlers;
    turning.current = turns;
  });
  useEffect(() => {
    setConnection("waiting");
    if (url === null) return undefined;
    const names = Object.keys(current.current);
    const stable = Object.fromEntries(names.map((name) => [name, (data: unknown) => current.current[name]?.(data)]));
    return follow(url, stable, setConnection, {
      onReturn: () => turning.current.onReturn(),
      onRefused: () => turning.current.onRefused(),
    });
  }, [url]);
  return connection;
}
