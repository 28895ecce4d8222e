import { useMemo } from "react";
import { OutcomeMark } from "../../../components/values/Glyph";
import { OUTCOME_WORDS, OUTCOMES } from "../../../model/run/outcomes";
import { outcomesAt } from "../../../model/simulation/currentState";
import { formatCount } from "../../../model/text/counts";
import { usePosition } from "./position";
import { useSimulator } from "./view";

/** The number of arrived rows with each outcome. */
export function Legend() {
  const { simulation } = useSimulator();
  const position = usePosition();
  const counts = outcomesAt(simulation, position);
  const all = useMemo(() => outcomesAt(simulation, simulation.rows.length), [simulation]);
  const present = OUTCOMES.filter((outcome) => all.has(outcome));
  return (
    <section className="why-card" aria-label="Outcomes">
      <h3>Outcomes</h3>
      {present.length === 0 ? <p className="quiet small">No rows have arrived.</p> : null}
      <dl className="sim-counts">
        {present.map((outcome) => (
          <div key={outcome}>
            <dt>
              <OutcomeMark outcome={outcome} />
              <span className="small quiet">{OUTCOME_WORDS[outcome].meaning}</span>
            </dt>
            <dd className="figures">{formatCount(counts.get(outcome) ?? 0)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
