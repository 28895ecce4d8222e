import { useEffect, useRef, useState } from "react";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { counted, formatCount } from "../../lib/numbers";
import { useReason } from "../../lib/session";
import type { RepairMade, ReplayBody, ReplayShown } from "../../model/api";
import { changedWords } from "../../model/repairs";
import { NotCounted } from "./NotCounted";
import { useRepair } from "./repairRequests";

function Made({ made }: { made: RepairMade }) {
  const said = useRef<HTMLDivElement>(null);
  useEffect(() => said.current?.focus(), []); // the button that had the focus is gone
  return (
    <div ref={said} tabIndex={-1} className="stack">
      <Notice tone="good">
        <p>
          <strong>{counted(made.rows, "row")} taken back.</strong> Rows of the result: {changedWords(made)}. They are
          given with the next batch, here and to every output; the run's page says when they were.
        </p>
      </Notice>
      <NotCounted rows={made.not_taken} title="Chosen rows that stay in quarantine" />
    </div>
  );
}

interface Props {
  body: ReplayBody;
  shown: ReplayShown;
}

/** After a look at what would change: have it so. */
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
        Rows are taken back where all that they change is final. What stands is retracted and the corrected rows are
        given, to every output, in order and once; it is kept who did it. The run goes on meanwhile.
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
            {repairing.isPending ? "Repairing…" : `Take ${formatCount(shown.counted)} back now`}
          </button>
          <button type="button" className="button" disabled={repairing.isPending} onClick={() => setAsked(false)}>
            Leave it
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
