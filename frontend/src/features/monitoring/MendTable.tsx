import { useId } from "react";
import { RawText } from "../../components/RawText";
import { Scroll } from "../../components/Scroll";
import type { LateShown } from "../../model/api";
import type { MendedText } from "../../model/replay";

interface RowProps {
  row: LateShown;
  text: MendedText;
  types: Readonly<Record<string, string>>;
  onChange: (text: MendedText) => void;
}

interface CellProps {
  name: string;
  note: string;
  /** The row that it belongs to. */
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

function MendRow({ row, text, types, onChange }: RowProps) {
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
  rows: readonly LateShown[];
  texts: ReadonlyMap<string, MendedText>;
  typesOf: (row: LateShown) => Readonly<Record<string, string>>;
  onChange: (id: string, text: MendedText) => void;
}

/** Malformed rows, each with what it should have been; one without a start counts as it came, that is not at all. */
export function MendTable({ rows, texts, typesOf, onChange }: Props) {
  return (
    <>
      <p>Malformed rows count only once they are mended: give each a start, and its fields.</p>
      <Scroll label="Malformed rows to mend" tall>
        <table>
          <thead>
            <tr>
              <th>Row as it came</th>
              <th>As it should have been</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const text = texts.get(row.id);
              return text === undefined ? null : (
                <MendRow
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
