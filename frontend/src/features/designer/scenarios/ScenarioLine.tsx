import { useState } from "react";
import { ActionButton } from "../../../components/ActionButton";
import { AskedAction } from "../../../components/AskedAction";
import { Rename } from "../../../components/Rename";
import { counted } from "../../../lib/numbers";
import type { ScenarioFindings, ScenarioSummary } from "../../../model/api";
import { itemsOf, type Sample, type SampleRow } from "../../../model/simulation/sample";
import { openSample, useSampleNow } from "../simulator/sampleStore";
import { tryAll, useTried } from "../simulator/triedStore";
import { Findings } from "./Findings";
import { useScenarioActions, useTranscriptAddress } from "./requests";
import { VerdictMark } from "./VerdictMark";

const NO_ROWS = "The simulator shows no rows. Open the scenario there first.";

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

/** What can be done with a scenario on the page. */
function useScenario({ query, scenario, sql }: ScenarioLineProps) {
  const { read, replace, remove, observe } = useScenarioActions(query);
  const tried = useTried();
  const stored = async () => {
    const { id: _, query: __, ...body } = await read(scenario.id);
    return body;
  };
  return {
    open: async () => {
      const { sample, advance } = await stored();
      openSample(sample.rows as SampleRow[], `the scenario ${scenario.name}`, sample.end);
      tryAll(advance ?? {});
    },
    /** Expect what comes of it now, of the parts that it expects; with `shown`, of the rows of the simulator. */
    expectNow: async (shown: Sample | null) => {
      const before = await stored();
      const rows = shown === null ? before.sample : { rows: itemsOf(shown), end: shown.end };
      const sample = rows as typeof before.sample;
      const advance = shown === null ? (before.advance ?? {}) : tried;
      const observed = await observe({ text: sql ?? "", sample, advance });
      const kept = Object.fromEntries(Object.entries(observed).filter(([part]) => part in before.expect));
      await replace(scenario.id, { ...before, sample, advance, expect: kept as typeof before.expect });
    },
    rename: async (name: string) => replace(scenario.id, { ...(await stored()), name }),
    remove: () => remove(scenario.id),
  };
}

interface ExpectingProps extends ScenarioLineProps {
  expectNow: (shown: Sample | null) => Promise<void>;
}

/** Other expectations, and other rows: both run the query as it stands in the editor. */
function Expecting({ scenario, sql, reason, expectNow }: ExpectingProps) {
  const rows = useSampleNow();
  const refused = reason ?? (sql === null ? "The text cannot be read. Mend it first." : null);
  return (
    <>
      <AskedAction
        reason={refused}
        opener="Expect what comes now…"
        label={`Let ${scenario.name} expect what comes now`}
        title={`Expect what comes of ${scenario.name} now?`}
        words={["Expect it", "Running it…"]}
        keep="Leave it"
        act={() => expectNow(null)}
      >
        <p>What it expects is replaced by what the query gives as it stands in the editor.</p>
      </AskedAction>
      <AskedAction
        reason={refused ?? (rows === null || rows.rows.length === 0 ? NO_ROWS : null)}
        opener="Take the simulator's rows…"
        label={`Take the simulator's rows for ${scenario.name}`}
        title={`Replace the rows of ${scenario.name}?`}
        words={["Take them", "Running them…"]}
        keep="Leave it"
        act={() => expectNow(rows)}
      >
        <p>
          {`Its rows become the ${counted(rows?.rows.length ?? 0, "row")} that the simulator shows, its settings of time those that are tried there, and it expects what the query in the editor gives for them.`}
        </p>
        <p>To edit a scenario: open it, change its rows or try other settings, then take them.</p>
      </AskedAction>
    </>
  );
}

function Actions(props: ScenarioLineProps) {
  const { query, scenario, reason } = props;
  const { open, expectNow, rename, remove } = useScenario(props);
  const address = useTranscriptAddress(query);
  return (
    <span className="row">
      <ActionButton words={["Open", "Opening…"]} act={open} label={`Open ${scenario.name} in the simulator`} />
      <a className="button" href={address(scenario.id)} download aria-label={`Download ${scenario.name}`}>
        Download
      </a>
      <Expecting {...props} expectNow={expectNow} />
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
        act={remove}
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
