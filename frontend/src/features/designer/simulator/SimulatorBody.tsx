import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { differenceWords } from "../../../model/simulation/differences";
import { Legend } from "./Legend";
import { AddRow } from "./sample/AddRow";
import { RowForm } from "./sample/RowForm";
import { Transport } from "./Transport";
import { CompareTab } from "./tabs/CompareTab";
import { SequencesTab } from "./tabs/SequencesTab";
import { TablesTab } from "./tabs/TablesTab";
import { WhatIfCard, WhatIfTab } from "./tabs/WhatIfTab";
import { WhyPanel } from "./tabs/WhyPanel";
import { Timeline } from "./timeline/Timeline";
import { SIMULATOR_TABS, type SimulatorTab, useSimulator } from "./view";

const TAB_WORDS: Record<SimulatorTab, string> = {
  timeline: "Timeline",
  sequences: "Sequences",
  table: "Table",
  policies: "Compare policies",
  what_if: "What if",
};

function Changes() {
  const { differences, edits, readOnly } = useSimulator();
  return (
    <div className="sim-changes">
      <p role="status">{differences === null ? "" : `Last change: ${differenceWords(differences)}`}</p>
      {readOnly ? null : (
        <span className="row">
          <button type="button" className="button" disabled={edits.undo === null} onClick={() => edits.undo?.()}>
            Undo
          </button>
          <button type="button" className="button" disabled={edits.redo === null} onClick={() => edits.redo?.()}>
            Redo
          </button>
        </span>
      )}
    </div>
  );
}

function Gone() {
  const { differences } = useSimulator();
  const gone = differences?.results.gone ?? [];
  if (gone.length === 0) return null;
  return (
    <section className="why-card" aria-label="Removed results">
      <h3>Removed by the last change</h3>
      <ul className="small">
        {gone.slice(0, 20).map((row) => (
          <li key={row.id}>
            {row.node}: {JSON.stringify(row.payload)}
          </li>
        ))}
      </ul>
      {gone.length > 20 ? <p className="small quiet">and {gone.length - 20} more</p> : null}
    </section>
  );
}

function Holding() {
  const { simulation } = useSimulator();
  const sentences = [...simulation.holding, ...simulation.failures];
  if (sentences.length === 0) return null;
  return (
    <section className="why-card" aria-label="Pending results">
      <h3>At the end of the sample</h3>
      {sentences.map((sentence) => (
        <p key={sentence} className="small">
          {sentence}
        </p>
      ))}
    </section>
  );
}

interface BodyProps {
  tab: SimulatorTab;
  onTab: (tab: SimulatorTab) => void;
  editing: string | null;
  onEditing: (key: string | null) => void;
}

/** The simulation in several views, next to the explanation of the selected item. */
export function SimulatorBody({ tab, onTab, editing, onEditing }: BodyProps) {
  const { simulation, readOnly } = useSimulator();
  const rows = simulation.rows.length;
  const sequences = simulation.tracks.some(({ kind }) => kind === "match_recognize");
  const shown = tab === "sequences" && !sequences ? "timeline" : tab;
  const played = shown !== "policies" && shown !== "what_if";
  return (
    <>
      <Tabs selectedKey={shown} onSelectionChange={(key) => onTab(key as SimulatorTab)} className="sim-body">
        <div className="sim-bar">
          <Changes />
          <TabList aria-label="Views of the simulation" className="sim-tabs">
            {SIMULATOR_TABS.filter((each) => sequences || each !== "sequences").map((each) => (
              <Tab key={each} id={each} className="sim-tab">
                {TAB_WORDS[each]}
              </Tab>
            ))}
          </TabList>
        </div>
        <div className="sim-columns" data-tab={shown}>
          <div className="sim-main">
            <TabPanel id="timeline">
              <Timeline />
            </TabPanel>
            {sequences ? (
              <TabPanel id="sequences">
                <SequencesTab />
              </TabPanel>
            ) : null}
            <TabPanel id="table">
              <TablesTab />
            </TabPanel>
            <TabPanel id="policies">
              <CompareTab />
            </TabPanel>
            <TabPanel id="what_if">
              <WhatIfTab />
            </TabPanel>
            {played ? <Transport rows={rows} readOnly={readOnly} /> : null}
            {readOnly || !played ? null : <AddRow />}
          </div>
          <div className="sim-side">
            <WhyPanel />
            {shown === "what_if" ? null : <WhatIfCard onOpen={() => onTab("what_if")} />}
            <Legend />
            <Gone />
            <Holding />
          </div>
        </div>
      </Tabs>
      <RowForm rowKey={editing} onClose={() => onEditing(null)} />
    </>
  );
}
