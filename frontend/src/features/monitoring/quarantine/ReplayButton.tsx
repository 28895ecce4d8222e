import { lazy, Suspense, useState } from "react";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { Waiting } from "../../../components/notices/Notices";
import { counted } from "../../../lib/numbers";
import type { ReplayProps } from "./ReplayForm";

const ReplayForm = lazy(async () => ({ default: (await import("./ReplayForm")).ReplayForm }));

/** A button that opens a preview: the results if quarantined rows had been on time. Renders nothing without such rows. */
export function ReplayButton({ onNone, ...props }: ReplayProps & { onNone: (() => void) | null }) {
  const [open, setOpen] = useState(false);
  const { ticked } = props;
  if (onNone === null) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {ticked.size > 0 ? `Preview changes of ${counted(ticked.size, "row")}` : "Preview changes"}
      </button>
      {ticked.size > 0 ? (
        <button type="button" className="link" onClick={onNone}>
          Clear selection
        </button>
      ) : null}
      <ModalDialog title="Results if these rows had been on time" open={open} onClose={() => setOpen(false)} wide>
        <Suspense fallback={<Waiting>Loading…</Waiting>}>
          <ReplayForm {...props} />
        </Suspense>
        <p>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Close
          </button>
        </p>
      </ModalDialog>
    </>
  );
}
