import { Link } from "react-router";
import { Panel } from "../../../components/page/Panel";
import { OutcomeMark } from "../../../components/values/Glyph";
import { useSlug } from "../../../lib/account/session";
import { counted, formatCount } from "../../../lib/numbers";
import type { IncidentFigures } from "../../../model/api";
import { isOutcome } from "../../../model/run/outcomes";
import { BudgetLine } from "../dashboard/BudgetLine";
import { spanWords } from "../dashboard/Readout";

const MOST_LANES = 8;

interface WorkProps {
  figures: IncidentFigures;
  binding: string;
}

/** The steps of the work, in their order: stop the loss, give the rows back, remove the cause. */
export function StepsPanel({ figures, binding }: WorkProps) {
  const slug = useSlug();
  const { run, lost } = figures;
  const at = `/t/${slug}`;
  return (
    <Panel title="What can be done">
      <ol className="incident-steps">
        {lost > 0 && run !== null ? (
          <>
            <li>
              <strong>Stop the loss.</strong>{" "}
              <Link to={`${at}/runs/${run}#what-if`}>Find a delay that keeps these rows</Link>, then{" "}
              <Link to={`${at}/bindings/${binding}`}>change the settings</Link>.
            </li>
            <li>
              <strong>Give the rows back.</strong>{" "}
              <Link to={`${at}/runs/${run}#quarantine`}>See and repair the rows</Link>. You see each changed result
              before anything is sent.
            </li>
          </>
        ) : null}
        <li>
          <strong>Remove the cause.</strong>{" "}
          {run === null ? null : (
            <>
              <Link to={`${at}/runs/${run}/logs`}>Read the log</Link>, or{" "}
            </>
          )}
          <Link to={`${at}/queries/${figures.query}`}>edit the query</Link>.
        </li>
      </ol>
    </Panel>
  );
}

function Lanes({ figures: { by_lane } }: { figures: IncidentFigures }) {
  if (by_lane.lanes.length === 0) return null;
  return (
    <>
      <p className="quiet small">Dropped by lane, {spanWords(by_lane)}</p>
      <ul className="incident-counts">
        {by_lane.lanes.slice(0, MOST_LANES).map(({ input, lane, dropped }) => (
          <li key={`${input} ${lane}`}>
            <span>
              {lane === null ? "Other lanes" : `Lane ${lane}`} of {input}
            </span>
            <span className="figures">{formatCount(dropped)}</span>
          </li>
        ))}
      </ul>
      {by_lane.lanes.length > MOST_LANES ? (
        <p className="quiet small">and {counted(by_lane.lanes.length - MOST_LANES, "lane")} with fewer rows</p>
      ) : null}
    </>
  );
}

/** The rows of the span by outcome and lane, and the loss budget. */
export function LostPanel({ figures, binding }: WorkProps) {
  const slug = useSlug();
  return (
    <Panel title="What was lost" note={`Of ${counted(figures.received, "row")}, ${spanWords(figures)}`}>
      <ul className="incident-counts">
        {Object.entries(figures.outcomes).map(([outcome, rows]) => (
          <li key={outcome}>
            {isOutcome(outcome) ? <OutcomeMark outcome={outcome} /> : <span>{outcome}</span>}
            <span className="figures">{formatCount(rows)}</span>
          </li>
        ))}
      </ul>
      <Lanes figures={figures} />
      <BudgetLine binding={binding} />
      <p>
        <Link to={`/t/${slug}/live/${binding}?begin=${figures.begin}&end=${figures.end}`}>
          Open the query in this range
        </Link>
      </p>
    </Panel>
  );
}
