import { useId } from "react";
import { Scroll } from "../../../components/page/Scroll";
import { RawText } from "../../../components/values/RawText";
import type { LateResponse } from "../../../model/api";
import type { CorrectedText } from "../../../model/results/replay";

interface RowProps {
  row: LateResponse;
  text: CorrectedText;
  types: Readonly<Record<string, string>>;
  onChange: (text: CorrectedText) => void;
}

interface CellProps {
  name: string;
  note: string;
  /** The row that the cell belongs to. */
  of: string;
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
}

function Cell({ name, note, of, value, placeholder, onChange }: CellProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {name} <span className="quiet">{note}</span>
        <span className="visually-hidden">, of {of}</span>
      </label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function CorrectionRow({ row, text, types, onChange }: RowProps) {
  const name = `${row.lane} · ${row.position}`;
  const put = (field: string) => (value: string) => onChange({ ...text, fields: { ...text.fields, [field]: value } });
  return (
    <tr>
      <th scope="row">
        <div className="mend-raw">
          <RawText text={row.raw} />
        </div>
        <p className="quiet nowrap">
          {row.input}, {name}
        </p>
      </th>
      <td>
        <div className="mend-fields">
          <Cell
            name="Start"
            note="UTC"
            of={name}
            value={text.start}
            placeholder="2026-01-01T00:00:00Z"
            onChange={(start) => onChange({ ...text, start })}
          />
          <Cell
            name="End"
            note="of intervals"
            of={name}
            value={text.end}
            onChange={(end) => onChange({ ...text, end })}
          />
          {Object.entries(types).map(([field, type]) => (
            <Cell
              key={field}
              name={field}
              note={type}
              of={name}
              value={text.fields[field] ?? ""}
              onChange={put(field)}
            />
          ))}
        </div>
      </td>
    </tr>
  );
}

interface Props {
  rows: readonly LateResponse[];
  texts: ReadonlyMap<string, CorrectedText>;
  typesOf: (row: LateResponse) => Readonly<Record<string, string>>;
  onChange: (id: string, text: CorrectedText) => void;
}

/** Malformed rows with fields for their correct values. A row without a start is replayed as received, so it doesn't count. */
export function CorrectionTable({ rows, texts, typesOf, onChange }: Props) {
  return (
    <>
      <p>Malformed rows count only after you fix them. Enter a start and the fields of each.</p>
      <Scroll label="Malformed rows to fix" tall>
        <table>
          <thead>
            <tr>
              <th>Row as received</th>
              <th>Corrected values</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const text = texts.get(row.id);
              return text === undefined ? null : (
                <CorrectionRow
                  key={row.id}
                  row={row}
                  text={text}
                  types={typesOf(row)}
                  onChange={(changed) => onChange(row.id, changed)}
                />
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
