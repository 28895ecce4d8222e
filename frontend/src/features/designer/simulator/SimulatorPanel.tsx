import { startTransition, useCallback, useEffect, useMemo, useState } from "react";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { shortTimes } from "../../../messages/simulation";
import type { StreamDefinition } from "../../../model/api";
import { useDesigner } from "../page/designer";
import { useDockTab } from "../page/dockTab";
import { useOwnStreams } from "../page/example";
import { usePageSample } from "../sampling/pageSample";
import { PositionContext, type PositionStore, positionStore } from "./position";
import { type Simulated, type SimulationState, useSimulation, useTrying } from "./requests";
import { SimulatorBody } from "./SimulatorBody";
import { SimulatorHead } from "./SimulatorHead";
import { SamplePanel } from "./sample/SamplePanel";
import { StripList } from "./settings/StripList";
import { useTrialOnThisPage } from "./settings/trialStore";
import { inputsOfGraph } from "./settings/useSettings";
import { useShownResult } from "./shownResult";
import { useLinkedState } from "./useLinkedState";
import { type Selected, SimulatorContext, type SimulatorTab, type SimulatorView } from "./view";
import "./simulator.css";
import "./timeline/rows.css";
import "./timeline/tracks.css";
import "./timeline/timeline.css";

function usePositions(rows: number): PositionStore {
  const [store] = useState(() => positionStore(rows + 1));
  useEffect(() => store.resize(rows + 1), [store, rows]);
  return store;
}

/** Return why nothing can be simulated; null if something can. */
function blockedBy({ sql, faults, current }: ReturnType<typeof useDesigner>): string | null {
  if (sql === null || !current) return "The query has errors. These results are from the last valid version.";
  const wrong = faults?.some((fault) => fault.severity === "error") ?? false;
  return wrong ? "The query has errors. These results are from the last valid version." : null;
}

/** Return the simulator's state and actions, from the query of the page. */
function useSimulatorState() {
  const designer = useDesigner();
  const { sql, readOnly } = designer;
  const own = useOwnStreams();
  const { sample, edits, streams, settings, loading, error } = usePageSample();
  useTrialOnThisPage();
  const blocked = blockedBy(designer);
  const imports = Object.values(settings.inForce).some((each) => each.import_from != null);
  const asked = useMemo(
    (): Simulated | null =>
      sql === null || blocked !== null || sample.rows.length === 0
        ? null
        : { text: sql, sample, advance: settings.tried, imports, ...own },
    [sql, blocked, sample, settings.tried, imports, own],
  );
  const isOpen = useDockTab() === "simulator";
  const state = useSimulation(isOpen ? asked : null);
  return { designer, streams, sample, edits, settings, loading, error, blocked, asked, state, readOnly };
}

type SimulatorState = ReturnType<typeof useSimulatorState>;

interface ViewState {
  selected: Selected | null;
  select: (selected: Selected | null) => void;
  editing: string | null;
  editRow: (key: string | null) => void;
  tab: SimulatorTab;
  showTab: (tab: SimulatorTab) => void;
}

function useView(state: SimulatorState, view: ViewState): SimulatorView | null {
  const { named, differences } = state.state;
  const { sample, edits, readOnly, streams, settings, designer } = state;
  const { selected, select, editRow, showTab } = view;
  const { inForce, tryOne, clocks } = settings;
  const lastAsked = useLast(state.asked);
  const tryEdit = useTrying(lastAsked, named);
  return useMemo(() => {
    if (named === null || lastAsked === null) return null;
    const { simulation, keys } = named;
    return {
      simulation,
      keys,
      numbers: new Map(keys.map((key, index) => [key, index + 1])),
      differences,
      sample,
      edits,
      readOnly,
      selected,
      select,
      tryEdit,
      editRow,
      times: shortTimes(simulation.rows.flatMap((row) => [row.start, row.end])),
      graph: designer.graph,
      streams,
      advance: inForce,
      tryAdvance: tryOne,
      showTab,
      asked: lastAsked,
      clocks,
    };
  }, [
    named,
    lastAsked,
    differences,
    sample,
    edits,
    readOnly,
    selected,
    select,
    tryEdit,
    editRow,
    designer.graph,
    streams,
    inForce,
    tryOne,
    clocks,
    showTab,
  ]);
}

function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}

function Status({ state, blocked }: { state: SimulationState; blocked: string | null }) {
  return (
    <>
      {blocked === null ? null : <p className="quiet small">{blocked}</p>}
      <ErrorNote error={state.error} onRetry={state.retry} />
      {state.named === null && state.pending ? <Waiting>Simulating the sample…</Waiting> : null}
    </>
  );
}

/** Return the streams that the query reads, with their definitions. */
function streamsRead(state: SimulatorState): readonly (readonly [string, StreamDefinition])[] {
  return inputsOfGraph(state.designer.graph).flatMap(({ stream }) => {
    const definition = state.streams.get(stream);
    return definition === undefined ? [] : [[stream, definition] as const];
  });
}

function SampleChoice({ state, onDone }: { state: SimulatorState; onDone: () => void }) {
  const { sample, edits } = state;
  return (
    <>
      {sample.rows.length > 0 ? null : (
        <p className="quiet">
          Add a few rows and see what happens to each: which window counts it, whether it is late, and why.
        </p>
      )}
      <SamplePanel sample={sample} streams={streamsRead(state)} onEdit={edits.edit} onDone={onDone} />
    </>
  );
}

/** The time simulator: the query of the page on a sample, drawn and explained row by row. */
export function SimulatorPanel() {
  const state = useSimulatorState();
  const { sample, edits, designer, settings, state: simulated } = state;
  const [selected, select] = useState<Selected | null>(null);
  const [editing, editRow] = useState<string | null>(null);
  const [tab, setTab] = useState<SimulatorTab>("timeline");
  const showTab = useCallback((next: SimulatorTab) => startTransition(() => setTab(next)), []);
  const [choosing, setChoosing] = useState(false);
  const view = useView(state, { selected, select, editing, editRow, tab, showTab });
  const positions = usePositions(view?.simulation.rows.length ?? 0);
  const linked = useLinkedState({ designer, sample, edits, positions, view, select, tab, showTab });
  const empty = sample.rows.length === 0;
  useShownResult(view, select);
  const note = (
    <SimulatorHead sample={sample} graph={designer.graph} advance={settings.inForce} pending={simulated.pending} />
  );
  const actions = empty ? null : (
    <>
      <button type="button" className="button" aria-expanded={choosing} onClick={() => setChoosing(!choosing)}>
        Sample…
      </button>
      {linked.button}
    </>
  );
  return (
    <div id="simulator">
      <Panel title="Simulator" note={note} actions={actions}>
        <PositionContext value={positions}>
          <div className="stack">
            {linked.message}
            {state.loading ? <Waiting>Loading a sample…</Waiting> : null}
            <ErrorNote error={state.error} />
            {choosing || (empty && !state.loading) ? (
              <SampleChoice state={state} onDone={() => setChoosing(false)} />
            ) : null}
            <Status state={simulated} blocked={state.blocked} />
            {view === null || empty ? null : (
              <SimulatorContext value={view}>
                <StripList settings={settings} designer={designer} />
                <SimulatorBody tab={tab} onTab={showTab} editing={editing} onEditing={editRow} />
              </SimulatorContext>
            )}
          </div>
        </PositionContext>
      </Panel>
    </div>
  );
}
