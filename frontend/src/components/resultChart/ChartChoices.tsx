import { useId, useState } from "react";
import { BUCKETS, KIND_WORDS, MEASURE_OPTIONS } from "../../messages/results/chartWords";
import type { ChartResponse } from "../../model/api";
import { type ChartDefinition, columnChoices } from "../../model/results/chart";
import { Choices } from "../actions/Choices";
import "./resultChart.css";

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

/** A select with its label in one line. */
export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  const known = options.some(([name]) => name === value) ? options : [...options, [value, value] as const];
  return (
    <span className="chart-choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {known.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </span>
  );
}

interface ChartChoicesProps {
  definition: ChartDefinition;
  /** Null until the columns are known. */
  chart: ChartResponse | null;
  onChange: (change: Partial<ChartDefinition>) => void;
}

function names(columns: readonly { name: string }[]): [string, string][] {
  return columns.map(({ name }) => [name, name]);
}

function MeasureChoices({ definition, chart, onChange }: ChartChoicesProps) {
  const { fields, numbers } = columnChoices(chart?.columns ?? [], definition.run);
  const { measure, of } = definition;
  const columns: [string, string][] = measure === "count" ? [["", "results"], ...names(fields)] : names(numbers);
  return (
    <>
      <Choice
        label="Show"
        value={measure}
        options={MEASURE_OPTIONS}
        onChange={(next) => {
          const usable = numbers.some(({ name }) => name === of);
          onChange({ measure: next, of: next === "count" ? "" : usable ? of : (numbers[0]?.name ?? "") });
        }}
      />
      <Choice label="of" value={of} options={columns} onChange={(next) => onChange({ of: next })} />
    </>
  );
}

function PositionChoices({ definition, chart, onChange }: ChartChoicesProps) {
  const { positions } = columnChoices(chart?.columns ?? [], definition.run);
  const { kind, x, bucket, group } = definition;
  if (kind === "value") return null;
  const isTime = positions.find(({ name }) => name === x)?.type === "timestamp";
  const others = positions.filter(({ name, type }) => name !== x && type !== "timestamp");
  return (
    <>
      <Choice
        label="over"
        value={x}
        options={names(positions)}
        onChange={(next) => onChange({ x: next, bucket: "" })}
      />
      {isTime ? (
        <Choice label="in" value={bucket} options={BUCKETS} onChange={(next) => onChange({ bucket: next })} />
      ) : null}
      <Choice
        label="by"
        value={group}
        options={[...(kind === "heat" ? [] : [["", "no group"] as [string, string]]), ...names(others)]}
        onChange={(next) => onChange({ group: next })}
      />
    </>
  );
}

/** The filter as removable entries, and a form for another one. */
export function FilterChoices({ definition, chart, onChange }: ChartChoicesProps) {
  const { fields } = columnChoices(chart?.columns ?? [], definition.run);
  const { where } = definition;
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  const free = fields.filter(({ name }) => !where.some((each) => each === name || each.startsWith(`${name}:`)));
  const chosen = free.some(({ name }) => name === field) ? field : (free[0]?.name ?? "");
  return (
    <>
      {where.map((each) => (
        <button
          key={each}
          type="button"
          className="button filter-entry"
          aria-label={`Remove the filter ${each}`}
          onClick={() => onChange({ where: where.filter((other) => other !== each) })}
        >
          {each.includes(":") ? each.replace(":", " = ") : `${each} is null`} ✕
        </button>
      ))}
      {free.length === 0 ? null : (
        <form
          className="chart-choice"
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ where: [...where, `${chosen}:${value}`] });
            setValue("");
          }}
        >
          <select
            className="input"
            aria-label="Field of the filter"
            value={chosen}
            onChange={(e) => setField(e.target.value)}
          >
            {free.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          =
          <input
            className="input filter-value"
            aria-label="Value of the filter"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
          <button type="submit" className="button">
            Filter
          </button>
        </form>
      )}
    </>
  );
}

/** The kind of a chart, its output, measure and positions. */
export function ChartChoices({ definition, chart, onChange }: ChartChoicesProps) {
  const outputs = chart?.outputs ?? [];
  const { positions } = columnChoices(chart?.columns ?? [], definition.run);
  const firstGroup = positions.find(({ name, type }) => name !== definition.x && type !== "timestamp")?.name ?? "";
  const part = { definition, chart, onChange };
  return (
    <div className="chart-line">
      <Choices
        label="Kind of chart"
        options={KIND_WORDS}
        value={definition.kind}
        onChange={(kind) =>
          onChange({ kind, ...(kind === "heat" && definition.group === "" && { group: firstGroup }) })
        }
      />
      {outputs.length > 1 ? (
        <Choice
          label="Output"
          value={definition.output || (chart?.output ?? "")}
          options={outputs.map((name) => [name, name] as const)}
          onChange={(output) =>
            onChange({ output, x: "start", bucket: "", measure: "count", of: "", group: "", where: [] })
          }
        />
      ) : null}
      <MeasureChoices {...part} />
      <PositionChoices {...part} />
    </div>
  );
}
