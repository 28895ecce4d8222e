import { Instant } from "../../../components/values/Instant";
import { Sentences, WhyCard } from "../../../components/why/WhyCard";
import { counted } from "../../../lib/numbers";
import { valuesWords } from "../../../messages/simulation";
import type { WhyResponse } from "../../../model/api";
import { WhyRows } from "./WhyRows";
import { Answer, MadeIn } from "./why";

function Shown({ shown: { row, made, trace } }: { shown: WhyResponse }) {
  if (row === null) return null;
  return (
    <>
      <WhyCard
        title={
          <>
            {row.output} <Instant ticks={row.start} /> – <Instant ticks={row.end} />
          </>
        }
      >
        <p className="why-value">
          <strong>
            <bdi>{valuesWords(row.payload)}</bdi>
          </strong>
        </p>
        {made === null ? <p>Its batch is no longer stored, only the row.</p> : <MadeIn made={made} />}
        <Sentences why={trace?.why ?? []} />
      </WhyCard>
      {trace === null ? null : (
        <>
          <WhyRows
            title={`From ${counted(trace.made_of.rows.length + trace.made_of.left_out, "row")}`}
            of={trace.made_of}
          />
          <WhyRows
            title={`Without ${counted(trace.missed.rows.length + trace.missed.left_out, "row")} that would have counted`}
            of={trace.missed}
          />
        </>
      )}
    </>
  );
}

/** The origin of a result row: its batch, the CTI that released it, its rows, and rows that were too late for it. */
export function WhyResult({ binding, row }: { binding: string; row: string }) {
  return (
    <Answer binding={binding} asked={{ kind: "row", id: row }}>
      {(shown) => <Shown shown={shown} />}
    </Answer>
  );
}
