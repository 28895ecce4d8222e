import { type ReactNode, useId, useState } from "react";
import { ChartChoices, Choice, FilterChoices } from "../../../components/resultChart/ChartChoices";
import { useStoredRowsByRun } from "../../../lib/resources/storedRows";
import { versionWords } from "../../../messages/run/versions";
import type { ChartResponse } from "../../../model/api";
import type { ChartDefinition } from "../../../model/results/chart";

interface ControlsProps {
  binding: string;
  definition: ChartDefinition;
  /** Null until the columns are known. */
  chart: ChartResponse | null;
  onChange: (change: Partial<ChartDefinition>) => void;
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
  const part = { definition, chart, onChange };
  return (
    <section className="chart-controls" aria-label="Definition of the chart">
      <ChartChoices {...part} />
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
