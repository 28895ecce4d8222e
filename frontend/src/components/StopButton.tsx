import { useState } from "react";
import { useStop } from "../lib/runControl";
import { Ask } from "./Ask";
import { CheckField } from "./Field";
import { NextStartWords, OpenNow } from "./NextStartWords";
import { ErrorNote } from "./Notices";
import { ReasonedButton } from "./Reasoned";

interface StopButtonProps {
  binding: string;
  name: string;
  /** Why it may not be stopped; null if it may. */
  reason: string | null;
}

/** Asks how to stop a binding's run, then asks for it. */
export function StopButton({ binding, name, reason }: StopButtonProps) {
  const [asking, setAsking] = useState(false);
  const [flush, setFlush] = useState(false);
  const stopping = useStop();
  const stop = () => stopping.mutate({ binding, flush }, { onSuccess: () => setAsking(false) });
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setAsking(true)} aria-label={`Stop ${name}`}>
        Stop…
      </ReasonedButton>
      <Ask title={`Stop ${name}?`} open={asking} onClose={() => setAsking(false)}>
        <p>The batch under way is finished.</p>
        {flush ? (
          <>
            <p>
              Windows are closed before they are whole: their results are marked as incomplete, and the next start reads
              again what was open, where the inputs still have it.
            </p>
            <OpenNow binding={binding} />
          </>
        ) : (
          <NextStartWords binding={binding} />
        )}
        <CheckField
          label="Flush: release the results of open windows before stopping, for inputs that close everything when they are flushed"
          checked={flush}
          onChange={setFlush}
        />
        <ErrorNote error={stopping.error} />
        <p className="row">
          <button type="button" className="button" data-kind="primary" onClick={stop} disabled={stopping.isPending}>
            {stopping.isPending ? "Asking…" : flush ? "Flush and stop" : "Stop"}
          </button>
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Let it run
          </button>
        </p>
      </Ask>
    </>
  );
}
