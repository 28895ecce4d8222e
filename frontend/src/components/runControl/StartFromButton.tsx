import { lazy, Suspense, useState } from "react";
import type { RunResponse } from "../../model/api";
import { ReasonedButton } from "../actions/Reasoned";
import { draftsOf, useSaveFirst } from "./SaveFirst";

const StartFrom = lazy(async () => ({ default: (await import("./StartFrom")).StartFrom }));

interface StartFromButtonProps {
  binding: string;
  name: string;
  /** The reason why it can't be started; null if it can. */
  reason: string | null;
  onStarted: (run: RunResponse) => void;
}

/** Start a binding from a chosen position instead of its default one. */
export function StartFromButton({ binding, name, reason, onStarted }: StartFromButtonProps) {
  const [asking, setAsking] = useState(false);
  const { guard, question } = useSaveFirst(name, draftsOf(binding));
  return (
    <>
      {question}
      <ReasonedButton reason={reason} aria-label={`Start from…: ${name}`} onClick={() => guard(() => setAsking(true))}>
        Start from…
      </ReasonedButton>
      {asking ? (
        <Suspense fallback={null}>
          <StartFrom binding={binding} name={name} onStarted={onStarted} onClose={() => setAsking(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
