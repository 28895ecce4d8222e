import { type ReactNode, useEffect, useState } from "react";
import { faultsOf, messageOf } from "../../lib/api/client";
import type { Tone } from "../../model/run/states";
import { FaultList } from "./FaultList";

/** A highlighted message; screen readers announce errors at once. */
export function Notice({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** The server's error message with all of its details. Renders nothing without an error. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  const faults = faultsOf(error);
  return (
    <Notice tone="bad">
      <p>{messageOf(error)}</p>
      {faults.length > 0 ? <FaultList faults={faults} /> : null}
      {onRetry === undefined ? null : (
        <p>
          <button type="button" className="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </Notice>
  );
}

/** An empty state: what is missing, and the next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

const SHOWN_AFTER_MS = 250;

/** Text instead of a spinner; short waits show nothing. */
export function Waiting({ children }: { children: ReactNode }) {
  const [shown, setResponse] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setResponse(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="waiting" role="status">
      {shown ? children : ""}
    </p>
  );
}
