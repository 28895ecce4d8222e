import { useEffect, useRef, useState } from "react";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { useReason } from "../../../lib/account/session";
import { counted, formatCount } from "../../../lib/numbers";
import { changedWords } from "../../../messages/results/repairs";
import type { RepairMade, ReplayBody, ReplayResponse } from "../../../model/api";
import { NotCounted } from "./NotCounted";
import { useRepair } from "./repairRequests";

function Made({ made }: { made: RepairMade }) {
  const status = useRef<HTMLDivElement>(null);
  useEffect(() => status.current?.focus(), []); // the button with the focus is gone
  return (
    <div ref={status} tabIndex={-1} className="stack">
      <Notice tone="good">
        <p>
          <strong>{counted(made.rows, "row")} restored.</strong> Result rows: {changedWords(made)}. They are emitted
          with the next batch, here and to every output. The run's page shows when.
        </p>
      </Notice>
      <NotCounted rows={made.not_taken} title="Selected rows that stay in quarantine" />
    </div>
  );
}

interface Props {
  body: ReplayBody;
  shown: ReplayResponse;
}

/** Apply the repair after a preview of its changes. */
export function RepairStep({ body, shown }: Props) {
  const reason = useReason("operate");
  const repairing = useRepair(body.binding);
  const [asked, setAsked] = useState(false);
  if (repairing.data !== undefined) return <Made made={repairing.data} />;
  if (shown.rows.length === 0) return null;
  return (
    <section className="stack" aria-label="Repair the results">
      <h3>Repair the results</h3>
      <p>
        Restores rows if all results that they change are final. The old results are retracted and the corrected ones
        sent to every output, in order and exactly once. The repair is recorded with your name. The run continues.
      </p>
      {asked ? (
        <p className="row">
          <button
            type="button"
            className="button"
            data-kind="primary"
            disabled={repairing.isPending}
            onClick={() => repairing.mutate(body)}
          >
            {repairing.isPending ? "Repairing…" : `Restore ${formatCount(shown.counted)} now`}
          </button>
          <button type="button" className="button" disabled={repairing.isPending} onClick={() => setAsked(false)}>
            Cancel
          </button>
        </p>
      ) : (
        <p>
          <ReasonedButton reason={reason} onClick={() => setAsked(true)}>
            Repair the results…
          </ReasonedButton>
        </p>
      )}
      <ErrorNote error={repairing.error} />
      {repairing.isPending ? <Waiting>Computing the corrected rows…</Waiting> : null}
    </section>
  );
}
