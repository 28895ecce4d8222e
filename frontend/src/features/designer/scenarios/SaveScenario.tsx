import { useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { counted } from "../../../lib/numbers";
import type { Expect, ScenarioBody } from "../../../model/api";
import { itemsOf, type Sample } from "../../../model/simulation/sample/sample";
import { useTrialSettings } from "../simulator/settings/trialStore";
import { useScenarioActions } from "./requests";

interface SaveScenarioProps {
  query: string;
  /** The current SQL of the query; null while the text has errors. */
  sql: string | null;
  sample: Sample | null;
  reason: string | null;
}

const PARTS = [
  ["late", "late rows and their outcomes"],
  ["ctis", "CTIs of the output"],
] as const;
type Part = (typeof PARTS)[number][0];

/** Return the parts of the results to save. Net results are always saved, because a scenario needs an expectation. */
function keptParts(observed: Expect, parts: readonly Part[]): Expect {
  const { events, late, ctis } = observed;
  return { events, ...(parts.includes("late") ? { late } : {}), ...(parts.includes("ctis") ? { ctis } : {}) } as Expect;
}

interface TrialSettingsProps {
  /** The inputs with settings on trial. */
  inputs: readonly string[];
  chosen: boolean;
  onChange: (chosen: boolean) => void;
}

function TrialSettings({ inputs, chosen, onChange }: TrialSettingsProps) {
  if (inputs.length === 0) return null;
  return (
    <label className="row choice">
      <input type="checkbox" checked={chosen} onChange={() => onChange(!chosen)} />
      {`Use the time settings on trial for ${inputs.join(" and ")} instead of the query's settings`}
    </label>
  );
}

function SaveForm({ query, sql, sample, onDone }: { query: string; sql: string; sample: Sample; onDone: () => void }) {
  const { observe, create } = useScenarioActions(query);
  const [name, setName] = useState("");
  const [parts, setParts] = useState<readonly Part[]>(["late"]);
  const tried = useTrialSettings();
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
        {`Saves the ${counted(sample.rows.length, "row")} in the simulator with the query. Each new version must then produce the same results as now.`}
      </p>
      <div className="field">
        <label htmlFor="scenario-name">Name</label>
        <input
          id="scenario-name"
          className="input"
          maxLength={200}
          value={name}
          placeholder="For example: a late car"
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <fieldset className="stack">
        <legend>In addition to net results, expect</legend>
        {PARTS.map(([part, words]) => (
          <label key={part} className="row choice">
            <input type="checkbox" checked={parts.includes(part)} onChange={() => toggle(part)} />
            {words}
          </label>
        ))}
      </fieldset>
      <TrialSettings inputs={Object.keys(tried)} chosen={withTried} onChange={setWithTried} />
      <div className="row">
        {name.trim() === "" ? (
          <ReasonedButton reason="Enter a name first." kind="primary">
            Save scenario
          </ReasonedButton>
        ) : (
          <ActionButton words={["Save scenario", "Running…"]} act={keep} onDone={onDone} kind="primary" />
        )}
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </div>
  );
}

function keepingReason({ sql, sample, reason }: SaveScenarioProps): string | null {
  if (reason !== null) return reason;
  if (sample === null || sample.rows.length === 0) return "The simulator has no rows yet. Add a sample first.";
  return sql === null ? "The text has errors. Fix them first." : null;
}

/** Save the simulator's current sample as a scenario of the query. */
export function SaveScenario(props: SaveScenarioProps) {
  const [open, setOpen] = useState(false);
  const { query, sql, sample } = props;
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={keepingReason(props)} onClick={() => setOpen(true)}>
        Save the simulator's sample…
      </ReasonedButton>
      <ModalDialog title="Save as scenario" open={open} onClose={close}>
        {sql === null || sample === null ? null : <SaveForm query={query} sql={sql} sample={sample} onDone={close} />}
      </ModalDialog>
    </>
  );
}
