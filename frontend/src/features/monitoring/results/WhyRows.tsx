import { Scroll } from "../../../components/page/Scroll";
import { OutcomeMark } from "../../../components/values/Glyph";
import { Instant } from "../../../components/values/Instant";
import { Sentences } from "../../../components/why/WhyCard";
import { valuesWords } from "../../../messages/simulation";
import type { TracedRow, TracedRows } from "../../../model/api";
import { leftOutWords, placeWords } from "../../../model/results/why";
import { isOutcome } from "../../../model/run/outcomes";

function Row({ row }: { row: TracedRow }) {
  return (
    <li>
      <div>
        <strong>
          <bdi>{valuesWords(row.payload)}</bdi>
        </strong>
        <p className="quiet">
          <Instant ticks={row.start} />
          {row.edge ? `, edge ${row.edge}` : ""}
        </p>
        <p className="quiet">{placeWords(row)}</p>
      </div>
      <div>
        {isOutcome(row.outcome) ? <OutcomeMark outcome={row.outcome} /> : row.outcome}
        <Sentences why={row.why} />
      </div>
    </li>
  );
}

/** Input rows with their start and position (input, lane · position), their outcome and the reason. */
export function WhyRows({ title, of }: { title: string; of: TracedRows }) {
  if (of.rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Scroll label={title} tall>
        <ul className="why-rows">
          {of.rows.map((row) => (
            <Row key={placeWords(row)} row={row} />
          ))}
        </ul>
      </Scroll>
      {of.left_out > 0 ? <p>{leftOutWords(of.left_out)}</p> : null}
    </>
  );
}
