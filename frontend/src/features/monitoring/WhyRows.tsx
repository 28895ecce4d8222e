import { OutcomeMark } from "../../components/Glyph";
import { Instant } from "../../components/Instant";
import { Scroll } from "../../components/Scroll";
import { Sentences } from "../../components/WhyCard";
import type { TracedRow, TracedRows } from "../../model/api";
import { isOutcome } from "../../model/outcomes";
import { valuesWords } from "../../model/simulation/words";
import { leftOutWords, placeWords } from "../../model/why";

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

/** Rows of inputs with their start and place (input, lane · position), what became of each, and why. */
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
