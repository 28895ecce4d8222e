import { KIND_LABELS } from "../../../../messages/definition/summary";
import { valuesWords } from "../../../../messages/simulation";
import { panned, type TimeScale, zoomed } from "../../../../model/simulation/drawing/scale";
import { useSimulator } from "../view";
import { groupKey } from "./Panes";
import { inputsOfSimulation } from "./Staircases";
import type { TimelineSelection } from "./selection";

interface ChoiceProps {
  label: string;
  value: string | null;
  all: string | null;
  options: readonly (readonly [string, string])[];
  onChange: (value: string | null) => void;
}

function Choice({ label, value, all, options, onChange }: ChoiceProps) {
  return (
    <label className="sim-choice">
      <span className="small quiet">{label}</span>
      <select
        className="compact"
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}
      >
        {all === null ? null : <option value="">{all}</option>}
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ToolsProps {
  shown: TimelineSelection;
  setResponse: (shown: TimelineSelection) => void;
  setScale: (change: (scale: TimeScale) => TimeScale) => void;
  fit: () => void;
  fitted: boolean;
}

function GroupChoice({ shown, setResponse }: Pick<ToolsProps, "shown" | "setResponse">) {
  const { simulation } = useSimulator();
  const groups = new Map(
    simulation.panes.filter((pane) => pane.node === shown.node).map((pane) => [groupKey(pane), pane.group] as const),
  );
  if (groups.size < 2) return null;
  return (
    <Choice
      label="Group"
      value={shown.group}
      all="all groups"
      options={[...groups].map(([key, group]) => [key, valuesWords(group)] as const)}
      onChange={(group) => setResponse({ ...shown, group })}
    />
  );
}

/** Select the parts of the query drawn over the rows, and the range of event time. */
export function TimelineTools({ shown, setResponse, setScale, fit, fitted }: ToolsProps) {
  const { simulation } = useSimulator();
  const inputs = inputsOfSimulation(simulation);
  const windows = [...new Set(simulation.panes.map((pane) => pane.node))];
  const kinds = new Map(simulation.tracks.map((track) => [track.node, track.kind]));
  const kindOf = (node: string) => KIND_LABELS[kinds.get(node) as keyof typeof KIND_LABELS] ?? "";
  return (
    <div className="sim-tools">
      {inputs.length < 2 ? null : (
        <Choice
          label="CTI of"
          value={shown.input}
          all="all inputs"
          options={inputs.map((input) => [input, input] as const)}
          onChange={(input) => setResponse({ ...shown, input })}
        />
      )}
      {windows.length < 2 ? null : (
        <Choice
          label="Panes of"
          value={shown.node}
          all="none"
          options={windows.map((node) => [node, `${node} (${kindOf(node)})`] as const)}
          onChange={(node) => setResponse({ ...shown, node, group: null })}
        />
      )}
      <GroupChoice shown={shown} setResponse={setResponse} />
      <fieldset className="choices sim-zoom" aria-label="Visible range of event time">
        <button type="button" aria-label="Earlier" onClick={() => setScale((scale) => panned(scale, -scale.width / 4))}>
          ◀
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => setScale((scale) => zoomed(scale, 1 / 1.5))}>
          −
        </button>
        <button type="button" aria-pressed={fitted} onClick={fit}>
          all
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => setScale((scale) => zoomed(scale, 1.5))}>
          +
        </button>
        <button type="button" aria-label="Later" onClick={() => setScale((scale) => panned(scale, scale.width / 4))}>
          ▶
        </button>
      </fieldset>
    </div>
  );
}
