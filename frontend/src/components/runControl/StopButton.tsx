import { lazy, Suspense, useState } from "react";
import { ReasonedButton } from "../actions/Reasoned";

// Rarely used, so it loads on demand.
const StopDialog = lazy(async () => ({ default: (await import("./StopDialog")).StopDialog }));

interface StopButtonProps {
  binding: string;
  name: string;
  /** The reason why it can't be stopped; null if it can. */
  reason: string | null;
}

/** Stop a binding's run, after asking how. */
export function StopButton({ binding, name, reason }: StopButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setAsking(true)} aria-label={`Stop ${name}`}>
        Stop…
      </ReasonedButton>
      {asking ? (
        <Suspense fallback={null}>
          <StopDialog binding={binding} name={name} onClose={() => setAsking(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
