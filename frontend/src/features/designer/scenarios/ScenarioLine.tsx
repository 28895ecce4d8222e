import { useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { Rename } from "../../../components/forms/Rename";
import { counted } from "../../../lib/numbers";
import type { ScenarioFindings, ScenarioSummary } from "../../../model/api";
import { itemsOf, type Sample, type SampleRow } from "../../../model/simulation/sample/sample";
import { openSample, useSampleNow } from "../simulator/sample/sampleStore";
import { tryAll, useTrialSettings } from "../simulator/settings/trialStore";
import { Findings } from "./Findings";
import { useScenarioActions, useTranscriptAddress } from "./requests";
import { VerdictMark } from "./VerdictMark";

const NO_ROWS = "The simulator has no rows. Open the scenario there first.";

interface ScenarioLineProps {
  query: string;
  scenario: ScenarioSummary;
  /** The verdict on the current version. */
  stored: ScenarioFindings | "running" | null;
  /** The verdict on the unsaved text; undefined without changes. */
  draft: ScenarioFindings | "running" | null | undefined;
  sql: string | null;
  reason: string | null;
}

type Known = ScenarioFindings | "running" | null | undefined;

function differing(found: Known): ScenarioFindings | null {
  return found === null || found === undefined || found === "running" || found.holds ? null : found;
}

/** Return the actions on a scenario. */
function useScenario({ query, scenario, sql }: ScenarioLineProps) {
  const { read, replace, remove, observe } = useScenarioActions(query);
  const tried = useTrialSettings();
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
    /** Replace the expectations by the current results; with `shown`, use the simulator's rows. */
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

/** Replace the expectations or the rows; both run the query in the editor. */
function Expecting({ scenario, sql, reason, expectNow }: ExpectingProps) {
  const rows = useSampleNow();
  const refused = reason ?? (sql === null ? "The text has errors. Fix them first." : null);
  return (
    <>
      <ConfirmedAction
        reason={refused}
        opener="Expect current results…"
        label={`Expect current results of ${scenario.name}`}
        title={`Expect the current results of ${scenario.name}?`}
        words={["Replace expectations", "Running…"]}
        keep="Keep them"
        act={() => expectNow(null)}
      >
        <p>Replaces its expectations by the results of the query in the editor.</p>
      </ConfirmedAction>
      <ConfirmedAction
        reason={refused ?? (rows === null || rows.rows.length === 0 ? NO_ROWS : null)}
        opener="Use the simulator's rows…"
        label={`Use the simulator's rows for ${scenario.name}`}
        title={`Replace the rows of ${scenario.name}?`}
        words={["Replace rows", "Running…"]}
        keep="Keep them"
        act={() => expectNow(rows)}
      >
        <p>
          {`Replaces its rows by the ${counted(rows?.rows.length ?? 0, "row")} in the simulator, and its time settings by those on trial there. Its new expectations are the results of the query in the editor.`}
        </p>
        <p>To edit a scenario, open it, change its rows or settings in the simulator, then use them here.</p>
      </ConfirmedAction>
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
        Its rows and expectations stay the same.
      </Rename>
      <ConfirmedAction
        reason={reason}
        opener="Delete…"
        label={`Delete ${scenario.name}`}
        kind="danger"
        title={`Delete the scenario ${scenario.name}?`}
        words={["Delete", "Deleting…"]}
        keep="Keep it"
        act={remove}
      >
        <p>Its rows and expectations are deleted permanently.</p>
      </ConfirmedAction>
    </span>
  );
}

/** One scenario: its content, its verdicts, the differences and its actions. */
export function ScenarioLine(props: ScenarioLineProps) {
  const { scenario, stored, draft } = props;
  const [shown, setResponse] = useState(false);
  const found = differing(draft) ?? differing(stored);
  return (
    <li className="scenario stack">
      <div className="row">
        <strong>{scenario.name}</strong>
        <span className="quiet">{`${counted(scenario.rows, "row")}, ${counted(scenario.expected, "result")}`}</span>
        <VerdictMark verdict={stored} />
        {draft === undefined ? null : (
          <>
            <span className="quiet">with your changes:</span> <VerdictMark verdict={draft} />
          </>
        )}
        {found === null ? null : (
          <button
            type="button"
            className="button"
            aria-expanded={shown}
            aria-label={`${shown ? "Hide" : "Show"} differences in ${scenario.name}`}
            onClick={() => setResponse(!shown)}
          >
            {shown ? "Hide differences" : "Show differences"}
          </button>
        )}
      </div>
      {found !== null && shown ? <Findings findings={found} title={`Differences in ${scenario.name}`} /> : null}
      <Actions {...props} />
    </li>
  );
}
