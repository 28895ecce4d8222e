import { lazy, Suspense, useState } from "react";
import type { RunShown } from "../model/api";
import { ReasonedButton } from "./Reasoned";

const StartFrom = lazy(async () => ({ default: (await import("./StartFrom")).StartFrom }));

interface StartFromButtonProps {
  binding: string;
  name: string;
  /** Why it may not be started; null if it may. */
  reason: string | null;
  onStarted: (run: RunShown) => void;
}

/** Starts a binding elsewhere than where it would begin by itself, after asking where. */
export function StartFromButton({ binding, name, reason, onStarted }: StartFromButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <ReasonedButton reason={reason} aria-label={`Begin elsewhere: ${name}`} onClick={() => setAsking(true)}>
        Begin elsewhere…
      </ReasonedButton>
      {asking ? (
        <Suspense fallback={null}>
          <StartFrom binding={binding} name={name} onStarted={onStarted} onClose={() => setAsking(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
