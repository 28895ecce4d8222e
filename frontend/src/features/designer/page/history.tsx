/** Undo and redo on the designer's page: one history for all edits, by buttons and keys. */

import type { KeyboardEvent } from "react";
import { useDesigner } from "./designer";

/** Handle Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y, wherever the focus is in the editors. */
export function historyKeys(undo: () => void, redo: () => void) {
  return (event: KeyboardEvent) => {
    const held = (event.ctrlKey || event.metaKey) && !event.altKey;
    const keys = `${event.shiftKey ? "shift " : ""}${event.key.toLowerCase()}`;
    const act = held ? { z: undo, "shift z": redo, y: redo }[keys] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}

export function HistoryButtons({ past, future }: { past: number; future: number }) {
  const { act, readOnly } = useDesigner();
  if (readOnly) return null;
  return (
    <span className="row">
      <button type="button" className="button" onClick={act.undo} disabled={past === 0} title="Ctrl+Z">
        Undo
      </button>
      <button type="button" className="button" onClick={act.redo} disabled={future === 0} title="Ctrl+Shift+Z">
        Redo
      </button>
    </span>
  );
}
