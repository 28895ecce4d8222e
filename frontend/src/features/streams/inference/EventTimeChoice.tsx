import { useId } from "react";
import { Panel } from "../../../components/page/Panel";
import { Instant } from "../../../components/values/Instant";
import type { AdapterKind, StreamProposal, TimeCandidate } from "../../../model/api";
import { givesAll, takenTime } from "../../../model/stream/proposal";
import type { StreamForm } from "../../../model/stream/streamForm";
import { TimeFields } from "../timeParts";
import { Records } from "./Records";

interface EventTimeChoiceProps {
  form: StreamForm;
  change: (part: Partial<StreamForm>) => void;
  kind: AdapterKind | undefined;
  proposal: StreamProposal | null;
  onTime: (time: TimeCandidate | undefined) => void;
}

const SHAPES = { point: "Points", interval: "Intervals", edge: "Edges", table: "Table" } as const;

function columnsOf({ column, time_column: clock }: TimeCandidate["start"]): string {
  return clock ? `${column} and ${clock}` : column;
}

function Candidate({ time, taken, onTake }: { time: TimeCandidate; taken: boolean; onTake: () => void }) {
  const group = useId();
  return (
    <div>
      <label className="row choice">
        <input type="radio" name={`time ${group}`} checked={taken} onChange={onTake} />
        <span>
          <strong>{columnsOf(time.start)}</strong>
          {time.end ? (
            <>
              {" to "}
              <strong>{columnsOf(time.end)}</strong>
            </>
          ) : null}{" "}
          <span className="quiet small">
            <Instant ticks={time.first} /> to <Instant ticks={time.last} />
          </span>
        </span>
      </label>
      {time.means == null || time.start.unit === "iso" ? null : (
        <p className="small">
          <q>{time.example}</q> is read as <Instant ticks={time.means} />
        </p>
      )}
      <p className="quiet small">
        {time.reason}. {SHAPES[time.shape]}: {time.shape_reason}.
      </p>
    </div>
  );
}

function Candidates({
  form,
  proposal,
  onTime,
}: Pick<EventTimeChoiceProps, "form" | "onTime"> & { proposal: StreamProposal }) {
  const taken = takenTime(form, proposal);
  if (proposal.times.length === 0) {
    return (
      <p>No column of the sample could be read as a time (see the notes above). If there is one, enter it below.</p>
    );
  }
  return (
    <fieldset className="group stack">
      <legend>The time of an event</legend>
      {taken === undefined && proposal.times[0]?.asks === true ? (
        <p role="status">
          <strong>Day or month first?</strong> Both readings fit every row. Choose one.
        </p>
      ) : null}
      {proposal.times.map((time) => (
        <Candidate key={JSON.stringify(time.start)} time={time} taken={time === taken} onTake={() => onTime(time)} />
      ))}
    </fieldset>
  );
}

/** The column with the event time: candidates with their reasons, or a typed name. */
export function EventTimeChoice({ form, change, kind, proposal, onTime }: EventTimeChoiceProps) {
  const times = [form.startColumn, form.clockColumn, form.endColumn, form.endClockColumn, form.edgeColumn].filter(
    (column) => column !== "",
  );
  return (
    <Panel title="2. When did it happen?">
      <div className="stack">
        {givesAll(kind) ? <p className="quiet">The adapter sets the time of each event.</p> : null}
        {proposal === null || givesAll(kind) ? null : <Candidates form={form} proposal={proposal} onTime={onTime} />}
        {proposal === null && form.adapter === "file" ? (
          <p className="quiet">Upload or choose a file above to get suggestions here.</p>
        ) : null}
        <details className="folded" open={proposal === null && !givesAll(kind) && form.adapter !== "file"}>
          <summary>Another column, unit or zone</summary>
          <TimeFields form={form} change={change} />
        </details>
        {proposal === null ? null : <Records proposal={proposal} times={times} />}
      </div>
    </Panel>
  );
}
