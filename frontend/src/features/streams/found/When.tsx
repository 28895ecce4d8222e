import { useId } from "react";
import { Instant } from "../../../components/Instant";
import { Panel } from "../../../components/Panel";
import type { AdapterKind, StreamProposal, TimeCandidate } from "../../../model/api";
import { givesAll, takenTime } from "../../../model/proposal";
import type { StreamForm } from "../../../model/streamForm";
import { TimeFields } from "../timeParts";
import { Records } from "./Records";

interface WhenProps {
  form: StreamForm;
  change: (part: Partial<StreamForm>) => void;
  kind: AdapterKind | undefined;
  proposal: StreamProposal | null;
  onTime: (time: TimeCandidate | undefined) => void;
}

const SHAPES = { point: "Points", interval: "Intervals", edge: "Edges" } as const;

function Candidate({ time, taken, onTake }: { time: TimeCandidate; taken: boolean; onTake: () => void }) {
  const group = useId();
  return (
    <div>
      <label className="row choice">
        <input type="radio" name={`time ${group}`} checked={taken} onChange={onTake} />
        <span>
          <strong>{time.start.column}</strong>
          {time.end ? (
            <>
              {" to "}
              <strong>{time.end.column}</strong>
            </>
          ) : null}{" "}
          <span className="quiet small">
            <Instant ticks={time.first} /> to <Instant ticks={time.last} />
          </span>
        </span>
      </label>
      <p className="quiet small">
        {time.reason}. {SHAPES[time.shape]}: {time.shape_reason}.
      </p>
    </div>
  );
}

function Candidates({ form, proposal, onTime }: Pick<WhenProps, "form" | "onTime"> & { proposal: StreamProposal }) {
  const taken = takenTime(form, proposal);
  if (proposal.times.length === 0) return <p>No column of the sample reads as a time. Name one below, if there is.</p>;
  return (
    <fieldset className="group stack">
      <legend>The time of an event</legend>
      {proposal.times.map((time) => (
        <Candidate key={time.start.column} time={time} taken={time === taken} onTake={() => onTime(time)} />
      ))}
    </fieldset>
  );
}

/** Which column says when an event happened: the candidates with their reasons, or one that is typed. */
export function When({ form, change, kind, proposal, onTime }: WhenProps) {
  const times = [form.startColumn, form.endColumn, form.edgeColumn].filter((column) => column !== "");
  return (
    <Panel title="2. What says when it happened?">
      <div className="stack">
        {givesAll(kind) ? <p className="quiet">The adapter gives each event its time.</p> : null}
        {proposal === null || givesAll(kind) ? null : <Candidates form={form} proposal={proposal} onTime={onTime} />}
        {proposal === null && form.adapter === "file" ? (
          <p className="quiet">Bring or choose a file above; what was found in it is then proposed here.</p>
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
