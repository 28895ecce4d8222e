import { useState } from "react";
import { ActionButton } from "../../../components/ActionButton";
import { AskedAction } from "../../../components/AskedAction";
import { Rename } from "../../../components/Rename";
import { counted } from "../../../lib/numbers";
import type { ScenarioFindings, ScenarioSummary } from "../../../model/api";
import type { SampleRow } from "../../../model/simulation/sample";
import { openSample } from "../simulator/sampleStore";
import { Findings } from "./Findings";
import { useScenarioActions, useTranscriptAddress } from "./requests";
import { VerdictMark } from "./VerdictMark";

interface ScenarioLineProps {
  query: string;
  scenario: ScenarioSummary;
  /** On the current version. */
  stored: ScenarioFindings | "running" | null;
  /** On the text that is not saved yet; undefined where nothing is changed. */
  draft: ScenarioFindings | "running" | null | undefined;
  sql: string | null;
  reason: string | null;
}

type Known = ScenarioFindings | "running" | null | undefined;

function differing(found: Known): ScenarioFindings | null {
  return found === null || found === undefined || found === "running" || found.holds ? null : found;
}

function Actions({ query, scenario, sql, reason }: ScenarioLineProps) {
  const { read, replace, remove, observe } = useScenarioActions(query);
  const address = useTranscriptAddress(query);
  const open = async () => {
    const { sample } = await read(scenario.id);
    openSample(sample.rows as SampleRow[], `the scenario ${scenario.name}`, sample.end);
  };
  const accept = async () => {
    const { id: _, query: __, ...body } = await read(scenario.id);
    const observed = await observe({ text: sql ?? "", sample: body.sample });
    const kept = Object.fromEntries(Object.entries(observed).filter(([part]) => part in body.expect));
    await replace(scenario.id, { ...body, expect: kept as typeof body.expect });
  };
  const rename = async (name: string) => {
    const { id: _, query: __, ...body } = await read(scenario.id);
    await replace(scenario.id, { ...body, name });
  };
  return (
    <span className="row">
      <ActionButton words={["Open", "Opening…"]} act={open} label={`Open ${scenario.name} in the simulator`} />
      <a className="button" href={address(scenario.id)} download aria-label={`Download ${scenario.name}`}>
        Download
      </a>
      <AskedAction
        reason={reason ?? (sql === null ? "The text cannot be read. Mend it first." : null)}
        opener="Expect what comes now…"
        label={`Let ${scenario.name} expect what comes now`}
        title={`Expect what comes of ${scenario.name} now?`}
        words={["Expect it", "Running it…"]}
        keep="Leave it"
        act={accept}
      >
        <p>What it expects is replaced by what the query gives as it stands in the editor.</p>
      </AskedAction>
      <Rename
        what="the scenario"
        name={scenario.name}
        object={`scenario ${scenario.id}`}
        reason={reason}
        listed
        rename={rename}
      >
        What it runs and expects stays as it is.
      </Rename>
      <AskedAction
        reason={reason}
        opener="Delete…"
        label={`Delete ${scenario.name}`}
        kind="danger"
        title={`Delete the scenario ${scenario.name}?`}
        words={["Delete", "Deleting…"]}
        keep="Keep it"
        act={() => remove(scenario.id)}
      >
        <p>Its rows and what it expects are gone then.</p>
      </AskedAction>
    </span>
  );
}

/** One scenario: what it runs, how it stands, what differs, and what can be done with it. */
export function ScenarioLine(props: ScenarioLineProps) {
  const { scenario, stored, draft } = props;
  const [shown, setShown] = useState(false);
  const found = differing(draft) ?? differing(stored);
  return (
    <li className="scenario stack">
      <div className="row">
        <strong>{scenario.name}</strong>
        <span className="quiet">{`${counted(scenario.rows, "row")}, ${counted(scenario.expected, "result")}`}</span>
        <VerdictMark verdict={stored} />
        {draft === undefined ? null : (
          <>
            <span className="quiet">as it stands:</span> <VerdictMark verdict={draft} />
          </>
        )}
        {found === null ? null : (
          <button
            type="button"
            className="button"
            aria-expanded={shown}
            aria-label={`${shown ? "Hide what" : "What"} differs in ${scenario.name}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? "Hide what differs" : "What differs?"}
          </button>
        )}
      </div>
      {found !== null && shown ? <Findings findings={found} title={`What differs in ${scenario.name}`} /> : null}
      <Actions {...props} />
    </li>
  );
}
