import { type ReactNode, useRef, useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { saveFile } from "../../../lib/api/download";
import { pngOf } from "../../../lib/browser/picture";
import { formatCount } from "../../../lib/numbers";
import { csvOf, type FigureTable } from "../../../model/live/dashboard";
import { isOutcome, OUTCOME_WORDS } from "../../../model/run/outcomes";

const FORMS = [
  ["chart", "Chart"],
  ["table", "Table"],
] as const;
type Form = (typeof FORMS)[number][0];

function headWords(name: string): string {
  return isOutcome(name) ? OUTCOME_WORDS[name].label : name;
}

function Cell({ value }: { value: string | number | null }) {
  if (typeof value === "number") return <td className="num">{formatCount(value)}</td>;
  return <td className="nowrap">{value ?? "no data"}</td>;
}

function FiguresTable({ table, title }: { table: FigureTable; title: string }) {
  return (
    <Scroll label={`Table of ${title}`} tall>
      <table className="dense">
        <thead>
          <tr>
            {table.head.map((name) => (
              <th key={name}>{headWords(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row[0]}>
              {row.map((value, index) => (
                <Cell key={table.head[index]} value={value} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface ChartPanelProps {
  title: string;
  note: string;
  /** The name of the file, without its ending. */
  file: string;
  table: FigureTable;
  children: ReactNode;
}

/** A chart that is also a table, and a file of the same figures. */
export function ChartPanel({ title, note, file, table, children }: ChartPanelProps) {
  const [form, setForm] = useState<Form>("chart");
  const save = () =>
    saveFile({
      name: `${file}.csv`,
      rows: table.rows.length,
      content: new Blob([csvOf(table)], { type: "text/csv;charset=utf-8" }),
    });
  const box = useRef<HTMLDivElement>(null);
  const drawn = form === "chart" && table.rows.length > 0;
  const picture = async () => {
    const svg = box.current?.querySelector("svg");
    if (svg === null || svg === undefined) return;
    saveFile({ name: `${file}.png`, rows: 0, content: await pngOf(svg, title) });
  };
  return (
    <Panel
      title={title}
      note={note}
      actions={
        <>
          <Choices label={`Form of ${title}`} options={FORMS} value={form} onChange={setForm} />
          <button type="button" className="link" onClick={save} aria-label={`CSV of ${title}`}>
            CSV
          </button>
          {drawn ? (
            <button type="button" className="link" onClick={() => void picture()} aria-label={`PNG of ${title}`}>
              PNG
            </button>
          ) : null}
        </>
      }
    >
      {table.rows.length === 0 ? (
        <p className="quiet">No data in this range.</p>
      ) : form === "table" ? (
        <FiguresTable table={table} title={title} />
      ) : (
        <div ref={box}>{children}</div>
      )}
    </Panel>
  );
}
