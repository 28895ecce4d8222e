import { type KeyboardEvent, memo } from "react";
import { outcomeWords, rowSentence, type TimesColumn } from "../../../../messages/simulation";
import type { RowBand } from "../../../../model/simulation/drawing/geometry";
import type { TimeScale } from "../../../../model/simulation/drawing/scale";
import type { SimulatedRow } from "../../../../model/simulation/types";
import type { Selected } from "../view";
import { useSimulator } from "../view";
import { shapeOfRow, toneOf } from "./RowShape";
import { onRowKey } from "./useRowKeys";

interface RowLineProps {
  row: SimulatedRow;
  rowKey: string;
  rowHeight: number;
  selected: boolean;
  linked: boolean;
  changed: boolean;
  times: string;
  onSelect: (selected: Selected) => void;
  onEdit: (key: string) => void;
}

const RowLine = memo(function RowLine(props: RowLineProps) {
  const { row, rowKey, rowHeight, selected } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for its options
    <div
      id={`sim-row-${rowKey}`}
      className="sim-line"
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      aria-posinset={row.number}
      data-linked={props.linked || undefined}
      data-changed={props.changed || undefined}
      data-late={(row.lateness ?? 0) > 0 || undefined}
      title={rowSentence(row)}
      style={{ top: (row.number - 1) * rowHeight, height: rowHeight }}
      onClick={() => props.onSelect({ kind: "row", key: rowKey })}
      onDoubleClick={() => props.onEdit(rowKey)}
    >
      <span className="visually-hidden">{`${rowSentence(row)}${props.changed ? ", changed" : ""}`}</span>
      <span className="sim-number" aria-hidden>
        {row.number}
      </span>
      <span className="sim-times" aria-hidden>
        {props.times}
      </span>
      <span className="sim-outcome" aria-hidden style={{ color: toneOf(row) }}>
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <path d={shapeOfRow(row)} fill="currentColor" fillRule="evenodd" />
        </svg>
        <span className="sim-word">{outcomeWords(row)}</span>
      </span>
    </div>
  );
});

interface RowListProps {
  band: RowBand;
  rowHeight: number;
  scale: TimeScale;
  linked: ReadonlySet<number>;
  changed: ReadonlySet<string>;
  column: TimesColumn;
}

export const ROW_KEYS =
  "Use the arrow keys to select a row. Alt with left or right changes its time, Alt with up or down its arrival, Alt, " +
  "Shift and left or right its end. Enter opens it, Delete removes it, Control D duplicates it, Control Z undoes.";

/** The rows next to their drawing: the list with the keyboard focus. */
export function RowList({ band, rowHeight, scale, linked, changed, column }: RowListProps) {
  const view = useSimulator();
  const { simulation, keys, selected } = view;
  const active = selected?.kind === "row" ? selected.key : undefined;
  return (
    <div
      className="sim-list"
      role="listbox"
      tabIndex={0}
      aria-label="Rows of the sample in order of arrival"
      aria-describedby="sim-row-keys"
      aria-activedescendant={active === undefined ? undefined : `sim-row-${active}`}
      onKeyDown={(event: KeyboardEvent) => onRowKey(event, view, scale)}
    >
      {simulation.rows.slice(band.from, band.to).map((row) => {
        const key = keys[row.number - 1] ?? "";
        return (
          <RowLine
            key={key}
            row={row}
            rowKey={key}
            rowHeight={rowHeight}
            selected={active === key}
            linked={linked.has(row.number)}
            changed={changed.has(key)}
            times={column.of(row)}
            onSelect={view.select}
            onEdit={view.editRow}
          />
        );
      })}
    </div>
  );
}
