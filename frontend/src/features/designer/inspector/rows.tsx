/** Columns of a project and results of a window: lists with a small form in each row. */

import type { ComponentType } from "react";
import { AGGREGATE_FIELDS, AGGREGATE_FORMS, COLUMN_FIELDS } from "../../../model/graph/edit/forms";
import { aggregateOf } from "../../../model/graph/edit/kinds";
import { freeName } from "../../../model/text/freeName";
import { ChoiceField } from "./fields";
import { type NodeFieldProps, wrongAt } from "./formScope";

type Row = Readonly<Record<string, unknown>>;

/** The input of one field. Passed in, because the input of a field can itself be one of these lists. */
type FieldInput = ComponentType<NodeFieldProps>;

interface ListProps extends NodeFieldProps {
  Field: FieldInput;
}

interface RowsProps {
  legend: string;
  rows: readonly Row[];
  readOnly: boolean;
  onChange: (rows: Row[]) => void;
  /** The row's name for screen readers and in its buttons. */
  nameOf: (row: Row) => string;
  fresh: () => Row;
  add: string;
  /** The smallest number of rows. */
  least?: number;
  children: (row: Row, change: (row: Row) => void, index: number) => React.ReactNode;
}

function Rows({ legend, rows, readOnly, onChange, nameOf, fresh, add, least = 1, children }: RowsProps) {
  const put = (index: number, row: Row) => onChange(rows.map((each, at) => (at === index ? row : each)));
  const move = (index: number, by: number) => {
    const moved = [...rows];
    const [row] = moved.splice(index, 1);
    if (row !== undefined) moved.splice(index + by, 0, row);
    onChange(moved);
  };
  return (
    <fieldset className="stack group">
      <legend>{legend}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity other than their position
        <fieldset key={index} className="stack row-form" aria-label={`${legend}: ${nameOf(row)}`}>
          {children(row, (next) => put(index, next), index)}
          {readOnly ? null : (
            <span className="row">
              <button
                type="button"
                className="link"
                onClick={() => move(index, -1)}
                disabled={index === 0}
                aria-label={`Move ${nameOf(row)} up`}
              >
                Up
              </button>
              <button
                type="button"
                className="link"
                onClick={() => move(index, 1)}
                disabled={index === rows.length - 1}
                aria-label={`Move ${nameOf(row)} down`}
              >
                Down
              </button>
              <button
                type="button"
                className="link"
                disabled={rows.length <= least}
                onClick={() => onChange(rows.filter((_, at) => at !== index))}
                aria-label={`Remove ${nameOf(row)}`}
              >
                Remove
              </button>
            </span>
          )}
        </fieldset>
      ))}
      {readOnly ? null : (
        <button type="button" className="button" onClick={() => onChange([...rows, fresh()])}>
          {add}
        </button>
      )}
    </fieldset>
  );
}

const namesOf = (rows: readonly Row[]) => rows.map(({ name }) => String(name));

const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? (value as Row[]) : []);

/** The words of each list of columns: its legend, the name of a row, and the smallest number of rows. */
const LISTS: Readonly<Record<string, { legend: string; row: string; least: number }>> = {
  columns: { legend: "Columns", row: "column", least: 1 },
  define: { legend: "Conditions of variables", row: "condition", least: 0 },
  measures: { legend: "Measures", row: "measure", least: 0 },
};

export function Columns({ scope, field: list, path, value, onChange, Field }: ListProps) {
  const rows = rowsOf(value);
  const { legend, row: called, least } = LISTS[list.name] ?? { legend: list.name, row: "row", least: 0 };
  const [first = "1"] = Object.keys(scope.incoming).filter((name) => !rows.some((row) => row.name === name));
  return (
    <Rows
      legend={legend}
      least={least}
      rows={rows}
      readOnly={scope.readOnly}
      onChange={onChange}
      nameOf={({ name }) => `${called} ${String(name)}`}
      fresh={() => ({ name: freeName(first === "1" ? "value" : first, namesOf(rows)), of: first })}
      add={`Add ${called}`}
    >
      {(row, change, index) =>
        COLUMN_FIELDS.map((field) => (
          <Field
            key={field.name}
            scope={scope}
            field={field}
            path={`${path}[${index}].${field.name}`}
            value={row[field.name]}
            onChange={(next) => change({ ...row, [field.name]: next })}
          />
        ))
      }
    </Rows>
  );
}

const FUNCTIONS = AGGREGATE_FORMS.map(({ name }) => [name, name] as const);

/** Return the row with another function, without arguments that the function doesn't take. */
function called(row: Row, name: string, incoming: readonly string[]): Row {
  const form = AGGREGATE_FORMS.find((each) => each.name === name);
  const of = row.of ?? (form?.bare === true ? null : (incoming[0] ?? null));
  const k = form?.parameter === "k" ? (row.k ?? 3) : null;
  const fraction = form?.parameter === "fraction" ? (row.fraction ?? 0.95) : null;
  return { ...row, function: name, of, k, fraction };
}

export function Aggregates({ scope, path, value, onChange, Field }: ListProps) {
  const rows = rowsOf(value);
  return (
    <Rows
      legend="Results"
      rows={rows}
      readOnly={scope.readOnly}
      onChange={onChange}
      nameOf={({ name }) => `result ${String(name)}`}
      fresh={() => aggregateOf(freeName("n", namesOf(rows)), "count")}
      add="Add result"
    >
      {(row, change, index) => (
        <Aggregate scope={scope} path={`${path}[${index}]`} row={row} onChange={change} Field={Field} />
      )}
    </Rows>
  );
}

interface AggregateProps {
  scope: NodeFieldProps["scope"];
  path: string;
  row: Row;
  onChange: (row: Row) => void;
  Field: FieldInput;
}

function Aggregate({ scope, path, row, onChange, Field }: AggregateProps) {
  const form = AGGREGATE_FORMS.find(({ name }) => name === row.function);
  const shown = AGGREGATE_FIELDS.filter(
    ({ name, role }) =>
      role !== "function" &&
      ((name !== "k" && name !== "fraction") || name === form?.parameter || (row[name] ?? null) !== null),
  );
  const [named, ...rest] = shown;
  const drawn = (field: (typeof shown)[number]) => (
    <Field
      key={field.name}
      scope={scope}
      field={field}
      path={`${path}.${field.name}`}
      value={row[field.name] ?? null}
      onChange={(next) => onChange({ ...row, [field.name]: next })}
    />
  );
  return (
    <>
      {named === undefined ? null : drawn(named)}
      <ChoiceField
        label="Function"
        help={form === undefined ? undefined : `${form.signature}. ${form.help}`}
        wrong={wrongAt(scope, `${path}.function`)}
        readOnly={scope.readOnly}
        value={String(row.function)}
        options={FUNCTIONS}
        onChange={(next) => onChange(called(row, next, Object.keys(scope.incoming)))}
      />
      {rest.map(drawn)}
    </>
  );
}
