import { lazy, Suspense, useState } from "react";
import { ReasonedButton } from "./Reasoned";

// Asked seldom: it is loaded when it is.
const StopDialog = lazy(async () => ({ default: (await import("./StopDialog")).StopDialog }));

interface StopButtonProps {
  binding: string;
  name: string;
  /** Why it may not be stopped; null if it may. */
  reason: string | null;
}

/** Stops a binding's run, after asking how. */
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
