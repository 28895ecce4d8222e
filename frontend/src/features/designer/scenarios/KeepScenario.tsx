import { useState } from "react";
import { ActionButton } from "../../../components/ActionButton";
import { Ask } from "../../../components/Ask";
import { ReasonedButton } from "../../../components/Reasoned";
import { counted } from "../../../lib/numbers";
import type { Expect, ScenarioBody } from "../../../model/api";
import { itemsOf, type Sample } from "../../../model/simulation/sample";
import { useTried } from "../simulator/triedStore";
import { useScenarioActions } from "./requests";

interface KeepScenarioProps {
  query: string;
  /** The query as it stands; null while it cannot be read. */
  sql: string | null;
  sample: Sample | null;
  reason: string | null;
}

const PARTS = [
  ["late", "the late rows, and what became of each"],
  ["ctis", "the CTIs of the output"],
] as const;
type Part = (typeof PARTS)[number][0];

/** The parts of what came out that are kept; net results always are, for a scenario that expects nothing shows nothing. */
function keptParts(observed: Expect, parts: readonly Part[]): Expect {
  const { events, late, ctis } = observed;
  return { events, ...(parts.includes("late") ? { late } : {}), ...(parts.includes("ctis") ? { ctis } : {}) } as Expect;
}

interface WithTriedProps {
  /** The inputs whose settings are tried. */
  inputs: readonly string[];
  chosen: boolean;
  onChange: (chosen: boolean) => void;
}

function WithTried({ inputs, chosen, onChange }: WithTriedProps) {
  if (inputs.length === 0) return null;
  return (
    <label className="row choice">
      <input type="checkbox" checked={chosen} onChange={() => onChange(!chosen)} />
      {`Run it with the settings of time that are tried for ${inputs.join(" and ")}, whatever the query says`}
    </label>
  );
}

function KeepForm({ query, sql, sample, onDone }: { query: string; sql: string; sample: Sample; onDone: () => void }) {
  const { observe, create } = useScenarioActions(query);
  const [name, setName] = useState("");
  const [parts, setParts] = useState<readonly Part[]>(["late"]);
  const tried = useTried();
  const [withTried, setWithTried] = useState(true);
  const keep = async () => {
    const body = { rows: itemsOf(sample), end: sample.end } as ScenarioBody["sample"];
    const advance = withTried ? tried : {};
    const observed = await observe({ text: sql, sample: body, advance });
    await create({ name: name.trim(), sample: body, advance, expect: keptParts(observed, parts) });
  };
  const toggle = (part: Part) =>
    setParts(parts.includes(part) ? parts.filter((each) => each !== part) : [...parts, part]);
  return (
    <div className="stack">
      <p>
        {`The ${counted(sample.rows.length, "row")} that the simulator shows are kept with the query, and what comes of them now is what must come of them in each new version.`}
      </p>
      <div className="field">
        <label htmlFor="scenario-name">Name</label>
        <input
          id="scenario-name"
          className="input"
          maxLength={200}
          value={name}
          placeholder="What it shows, such as: a car that is late"
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <fieldset className="stack">
        <legend>Beside the net results, expect</legend>
        {PARTS.map(([part, words]) => (
          <label key={part} className="row choice">
            <input type="checkbox" checked={parts.includes(part)} onChange={() => toggle(part)} />
            {words}
          </label>
        ))}
      </fieldset>
      <WithTried inputs={Object.keys(tried)} chosen={withTried} onChange={setWithTried} />
      <div className="row">
        {name.trim() === "" ? (
          <ReasonedButton reason="Give it a name first." kind="primary">
            Keep it
          </ReasonedButton>
        ) : (
          <ActionButton words={["Keep it", "Running it…"]} act={keep} onDone={onDone} kind="primary" />
        )}
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </div>
  );
}

function keepingReason({ sql, sample, reason }: KeepScenarioProps): string | null {
  if (reason !== null) return reason;
  if (sample === null || sample.rows.length === 0) return "The simulator shows no rows yet. Give it a sample first.";
  return sql === null ? "The text cannot be read. Mend it first." : null;
}

/** Keeps what the simulator shows now as a scenario of the query. */
export function KeepScenario(props: KeepScenarioProps) {
  const [open, setOpen] = useState(false);
  const { query, sql, sample } = props;
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={keepingReason(props)} onClick={() => setOpen(true)}>
        Keep the simulator's sample…
      </ReasonedButton>
      <Ask title="Keep this as a scenario" open={open} onClose={close}>
        {sql === null || sample === null ? null : <KeepForm query={query} sql={sql} sample={sample} onDone={close} />}
      </Ask>
    </>
  );
}
