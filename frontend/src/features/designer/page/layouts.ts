/** Node positions on the server, stored with the query: loaded once, and sent when a node is moved. */

import { useEffect, useRef } from "react";
import type { Position, Positions } from "../../../model/graph/edit/design";
import type { DesignActions } from "../draft";
import { useLayout, useMoving } from "../requests";

const PAUSE_MS = 400;

/** Return the changes that turn `before` into `now` on the server. */
export function movedBetween(before: Positions, now: Positions): Record<string, Position | null> {
  const moved: Record<string, Position | null> = {};
  for (const [id, at] of Object.entries(now)) {
    if (before[id]?.x !== at.x || before[id].y !== at.y) moved[id] = at;
  }
  for (const id of Object.keys(before)) if (now[id] === undefined) moved[id] = null;
  return moved;
}

/** Keep the positions of a stored query on the server; after a failed request they are sent with the next move. */
export function useStoredLayout(query: string | null, positions: Positions, place: DesignActions["place"]): void {
  const stored = useLayout(query).data?.positions;
  const send = useMoving();
  const known = useRef<Positions | null>(null);
  useEffect(() => {
    if (stored === undefined || known.current !== null) return;
    known.current = stored;
    place(stored);
  }, [stored, place]);
  useEffect(() => {
    const before = known.current;
    if (query === null || before === null) return undefined;
    const moved = movedBetween(before, positions);
    if (Object.keys(moved).length === 0) return undefined;
    const timer = setTimeout(() => {
      void send(query, moved).then(
        () => {
          known.current = positions;
        },
        () => undefined,
      );
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query, positions, send]);
}
