import { lazy, Suspense, useState } from "react";
import { Ask } from "../../components/Ask";
import { Waiting } from "../../components/Notices";
import { counted } from "../../lib/numbers";
import type { ReplayProps } from "./ReplayQuestion";

const Replay = lazy(async () => ({ default: (await import("./ReplayQuestion")).Replay }));

/** Opens the question what results would be, had rows of the quarantine come in time; where there are some. */
export function ReplayAsked({ onNone, ...props }: ReplayProps & { onNone: (() => void) | null }) {
  const [open, setOpen] = useState(false);
  const { ticked } = props;
  if (onNone === null) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {ticked.size > 0 ? `What ${counted(ticked.size, "row")} would change` : "What would change"}
      </button>
      {ticked.size > 0 ? (
        <button type="button" className="link" onClick={onNone}>
          Choose none
        </button>
      ) : null}
      <Ask title="What would change, had these rows come in time" open={open} onClose={() => setOpen(false)} wide>
        <Suspense fallback={<Waiting>Loading…</Waiting>}>
          <Replay {...props} />
        </Suspense>
        <p>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Close
          </button>
        </p>
      </Ask>
    </>
  );
}
