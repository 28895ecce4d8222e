import { Instant } from "../../components/Instant";
import { Sentences, WhyCard } from "../../components/WhyCard";
import { counted } from "../../lib/numbers";
import type { WhyShown } from "../../model/api";
import { valuesWords } from "../../model/simulation/words";
import { WhyRows } from "./WhyRows";
import { Answer, MadeIn } from "./why";

function Shown({ shown: { row, made, trace } }: { shown: WhyShown }) {
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
        {made === null ? <p>Of its batch nothing is kept but the row.</p> : <MadeIn made={made} />}
        <Sentences why={trace?.why ?? []} />
      </WhyCard>
      {trace === null ? null : (
        <>
          <WhyRows
            title={`Made of ${counted(trace.made_of.rows.length + trace.made_of.left_out, "row")}`}
            of={trace.made_of}
          />
          <WhyRows
            title={`Missed ${counted(trace.missed.rows.length + trace.missed.left_out, "row")}, which would have counted`}
            of={trace.missed}
          />
        </>
      )}
    </>
  );
}

/** What made a row of the results: its batch, the CTI that let it go, its rows, and those that came too late for it. */
export function WhyResult({ binding, row }: { binding: string; row: string }) {
  return (
    <Answer binding={binding} asked={{ kind: "row", id: row }}>
      {(shown) => <Shown shown={shown} />}
    </Answer>
  );
}
