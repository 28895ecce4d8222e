import { useState } from "react";
import { SelectField, TextField } from "../../../components/forms/Field";
import { Instant } from "../../../components/values/Instant";
import { Sentences, WhyCard } from "../../../components/why/WhyCard";
import { counted } from "../../../lib/numbers";
import { valuesWords } from "../../../messages/simulation";
import type { ResultResponse, RunResponse, StandingRow, WhyResponse } from "../../../model/api";
import { columnsOf } from "../../../model/results/columns";
import type { PlaceRequest } from "../../../model/results/why";
import { useDefinition } from "../requests";
import { WhyRows } from "./WhyRows";
import { Answer, MadeIn } from "./why";

const EXAMPLE = "2026-11-25T14:02:00Z";

function Standing({ row }: { row: StandingRow }) {
  return (
    <WhyCard
      label={row.given ? "Emitted row" : "Pending row"}
      title={
        <>
          {row.given ? "Emitted" : "Pending"}: <Instant ticks={row.start} /> – <Instant ticks={row.end} />
        </>
      }
    >
      <p>
        <bdi>{valuesWords(row.payload)}</bdi> {row.given ? "" : "so far"}
      </p>
      <Sentences why={row.why} />
    </WhyCard>
  );
}

function Shown({ shown: { place, made }, asked }: { shown: WhyResponse; asked: PlaceRequest }) {
  return (
    <>
      <WhyCard title={`${asked.output} at ${asked.at}`}>
        <Sentences why={place?.why ?? []} />
        {made === null ? null : <MadeIn made={made} upTo />}
      </WhyCard>
      {place === null ? null : (
        <>
          {place.standing.map((row) => (
            <Standing key={`${row.start} ${valuesWords(row.payload)}`} row={row} />
          ))}
          <WhyRows
            title={`Too late for this result: ${counted(place.missed.rows.length + place.missed.left_out, "row")}`}
            of={place.missed}
          />
          <WhyRows
            title={`In no result: ${counted(place.ended.rows.length + place.ended.left_out, "row")}`}
            of={place.ended}
          />
        </>
      )}
    </>
  );
}

interface WhyPlaceProps {
  run: RunResponse;
  rows: readonly ResultResponse[];
  asked: PlaceRequest;
  onAsk: (asked: PlaceRequest) => void;
}

/** Ask why an output has no row at a time, optionally for one group, and show what delays or dropped it. */
export function WhyPlace({ run, rows, asked, onAsk }: WhyPlaceProps) {
  const [typed, setTyped] = useState(asked);
  const ran = useDefinition(run.id, true).data;
  const nodes = ran?.graph.nodes ?? [];
  const outputs = nodes.filter((node) => node.kind === "output").map((node) => [node.id, node.id] as const);
  const output = typed.output === "" ? (outputs[0]?.[0] ?? "") : typed.output;
  const fields = columnsOf(rows.filter((row) => row.output === output).map((row) => row.payload));
  const names = [...new Set([...fields.map(({ name }) => name), ...(typed.field === "" ? [] : [typed.field])])];
  const change = (part: Partial<PlaceRequest>) => setTyped({ ...typed, ...part });
  return (
    <>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onAsk({ ...typed, output });
        }}
      >
        <div className="row why-question">
          {outputs.length > 1 ? (
            <SelectField
              label="Output"
              value={typed.output}
              options={outputs}
              onChange={(name) => change({ output: name })}
            />
          ) : null}
          <TextField
            label="Time within the row (UTC)"
            value={typed.at}
            required
            onChange={(at) => change({ at })}
            help={`For example ${EXAMPLE}; any time within the window works.`}
          />
          <SelectField
            label="Rows with"
            value={typed.field}
            options={[["", "any values"], ...names.map((name) => [name, name] as const)]}
            onChange={(field) => change({ field })}
          />
          {typed.field === "" ? null : (
            <TextField label={`${typed.field} is`} value={typed.value} onChange={(value) => change({ value })} />
          )}
        </div>
        <p>
          <button type="submit" className="button" data-kind="primary">
            Explain
          </button>
        </p>
      </form>
      {asked.at === "" ? null : (
        <Answer key={JSON.stringify(asked)} binding={run.binding} asked={asked}>
          {(shown) => <Shown shown={shown} asked={asked} />}
        </Answer>
      )}
    </>
  );
}
