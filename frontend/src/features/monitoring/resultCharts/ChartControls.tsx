import { type ReactNode, useId, useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import { useStoredRowsByRun } from "../../../lib/resources/storedRows";
import { BUCKETS, KIND_WORDS, MEASURE_OPTIONS } from "../../../messages/results/chartWords";
import { versionWords } from "../../../messages/run/versions";
import type { ChartResponse } from "../../../model/api";
import { type ChartDefinition, columnChoices } from "../../../model/results/chart";

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

/** A select with its label in one line. */
function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
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

interface ControlsProps {
  binding: string;
  definition: ChartDefinition;
  /** Null until the columns are known. */
  chart: ChartResponse | null;
  onChange: (change: Partial<ChartDefinition>) => void;
}

type Part = Omit<ControlsProps, "binding">;

function names(columns: readonly { name: string }[]): [string, string][] {
  return columns.map(({ name }) => [name, name]);
}

function MeasureChoices({ definition, chart, onChange }: Part) {
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

function PositionChoices({ definition, chart, onChange }: Part) {
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
function FilterChoices({ definition, chart, onChange }: Part) {
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

/** A text that applies when its form is submitted or left, because each change computes the chart again. */
function Bound({ label, value, onChange }: { label: ReactNode; value: string; onChange: (value: string) => void }) {
  const id = useId();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  const apply = () => (text === value ? undefined : onChange(text));
  return (
    <form
      className="chart-choice"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input bound"
        value={text}
        placeholder="2026-11-26T10:00Z"
        autoComplete="off"
        spellCheck={false}
        onBlur={apply}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

/** Everything that defines the chart; each choice is a parameter of the address. */
export function ChartControls({ binding, definition, chart, onChange }: ControlsProps) {
  const runs = useStoredRowsByRun(binding, true);
  const outputs = chart?.outputs ?? [];
  const { positions } = columnChoices(chart?.columns ?? [], definition.run);
  const firstGroup = positions.find(({ name, type }) => name !== definition.x && type !== "timestamp")?.name ?? "";
  const part = { definition, chart, onChange };
  return (
    <section className="chart-controls" aria-label="Definition of the chart">
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
      <div className="chart-line">
        <FilterChoices {...part} />
        <Bound label="from" value={definition.from} onChange={(from) => onChange({ from })} />
        <Bound label="to" value={definition.to} onChange={(to) => onChange({ to })} />
        <Choice
          label="Runs"
          value={definition.run}
          options={[
            ["", "all runs"],
            ...runs.flatMap(({ run, started_at, query_version }) =>
              run === null
                ? []
                : [
                    [
                      run,
                      `run of ${started_at?.slice(0, 16).replace("T", " ") ?? "?"} ${versionWords(query_version)}`,
                    ] as const,
                  ],
            ),
          ]}
          onChange={(run) => onChange({ run })}
        />
      </div>
    </section>
  );
}
