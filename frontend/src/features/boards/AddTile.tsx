import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { SelectField, TextField } from "../../components/forms/Field";
import { ChartChoices, FilterChoices } from "../../components/resultChart/ChartChoices";
import { useBindingChoices } from "../../lib/resources/bindings";
import { chartTitle } from "../../messages/results/chartWords";
import { type BoardTile, chartTile } from "../../model/boards/tiles";
import { type ChartDefinition, chartOf } from "../../model/results/chart";
import { useMemberFigures } from "./requests";

const KINDS = [
  ["chart", "Chart of results"],
  ["trust", "Can the results be trusted?"],
  ["outcomes", "Rows by outcome"],
  ["lag", "Lag"],
  ["lateness", "Late rows"],
  ["text", "Note"],
] as const;
type Kind = (typeof KINDS)[number][0];
const FIRST_CHART = chartOf(new URLSearchParams());

interface ChartFieldsProps {
  binding: string;
  definition: ChartDefinition;
  onChange: (definition: ChartDefinition) => void;
}

/** The definition of a chart, with the outputs and columns of the query's results. */
function ChartFields({ binding, definition, onChange }: ChartFieldsProps) {
  const { key, read } = useMemberFigures(null, []);
  const tile = chartTile("Tile", binding, { ...FIRST_CHART, output: definition.output });
  const { data } = useQuery({
    queryKey: [...key, "columns", tile],
    queryFn: ({ signal }) => read(tile, 0, signal),
    enabled: binding !== "",
    placeholderData: keepPreviousData,
    retry: false,
  });
  const change = (part: Partial<ChartDefinition>) => onChange({ ...definition, ...part });
  const part = { definition, chart: data?.chart ?? null, onChange: change };
  return (
    <div className="chart-controls">
      <ChartChoices {...part} />
      <div className="chart-line">
        <FilterChoices {...part} />
      </div>
      {data?.problem ? <p className="quiet">{data.problem}</p> : null}
    </div>
  );
}

function usualTitle(kind: Kind, definition: ChartDefinition): string {
  return kind === "chart" ? chartTitle(definition) : (KINDS.find(([name]) => name === kind)?.[1] ?? "");
}

interface TileFormProps {
  onAdd: (tile: BoardTile) => void;
  onClose: () => void;
}

function TileForm({ onAdd, onClose }: TileFormProps) {
  const bindings = useBindingChoices();
  const [kind, setKind] = useState<Kind>("chart");
  const [chosen, setChosen] = useState("");
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const [definition, setDefinition] = useState(FIRST_CHART);
  const options = (bindings.data ?? []).map(({ id, name }) => [id, name] as const);
  const binding = chosen || (options[0]?.[0] ?? "");
  const usual = usualTitle(kind, definition);
  const tile = (): BoardTile => {
    const name = title.trim() || usual;
    if (kind === "text") return { kind, title: name, text, width: 4, height: 2 };
    if (kind === "chart") return chartTile(name, binding, definition);
    return { kind, title: name, binding, binding_name: "", width: 3, height: 2 };
  };
  const ready = kind === "text" ? text.trim() !== "" : binding !== "";
  return (
    <div className="stack">
      <SelectField label="Tile" value={kind} options={KINDS} onChange={setKind} />
      {kind === "text" ? (
        <TextField label="Text" value={text} onChange={setText} required />
      ) : (
        <SelectField
          label="Query"
          value={binding}
          options={options}
          onChange={(id) => {
            setChosen(id);
            setDefinition(FIRST_CHART);
          }}
        />
      )}
      {options.length === 0 && bindings.isSuccess ? (
        <p className="quiet">No query has a binding yet. Start a query first.</p>
      ) : null}
      {kind === "chart" ? <ChartFields binding={binding} definition={definition} onChange={setDefinition} /> : null}
      <TextField label="Title" value={title} onChange={setTitle} help={`Default: ${usual}`} />
      <p className="row">
        <button
          type="button"
          className="button"
          data-kind="primary"
          disabled={!ready}
          onClick={() => {
            onAdd(tile());
            onClose();
          }}
        >
          Add tile
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </div>
  );
}

/** A button that adds a tile to a board. */
export function AddTile({ onAdd }: { onAdd: (tile: BoardTile) => void }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Add tile
      </button>
      <ModalDialog title="Add a tile" wide open={open} onClose={close}>
        <TileForm onAdd={onAdd} onClose={close} />
      </ModalDialog>
    </>
  );
}
