import { Link } from "react-router";
import { Empty, ErrorNote } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { useSlug } from "../../lib/account/session";
import { useContents } from "../../lib/resources/contents";
import { useTour } from "../../lib/tour";
import { type NextStep, stepsOf } from "../../model/organisation/overview";
import { NOT_BEGUN } from "../../model/organisation/tour";

function Step({ step, isNext }: { step: NextStep; isNext: boolean }) {
  const slug = useSlug();
  return (
    <li {...(isNext ? { "aria-current": "step" as const } : {})}>
      <span className="step-mark" aria-hidden="true">
        {step.done ? "✓" : isNext ? "→" : ""}
      </span>
      <span>
        <strong>{step.title}</strong> {step.words} {step.done ? <span className="quiet">Done.</span> : null}
      </span>
      {isNext ? (
        <Link className="button" data-kind="primary" to={`/t/${slug}/${step.to}`}>
          {step.action}
        </Link>
      ) : null}
    </li>
  );
}

/** The steps to a first run; without an open one, the way to start a binding. */
export function Steps() {
  const slug = useSlug();
  const { streams, queries, bindings } = useContents();
  if (streams.data === undefined || queries.data === undefined || bindings.data === undefined) {
    return <ErrorNote error={streams.error ?? queries.error ?? bindings.error} />;
  }
  const steps = stepsOf({ streams: streams.data, queries: queries.data, bindings: bindings.data });
  const next = steps.find((step) => !step.done);
  if (next === undefined) {
    return (
      <Panel title="No live query">
        <Empty title="Nothing runs at present.">
          <p>
            <Link to={`/t/${slug}/runs`}>Start a binding</Link>. Its figures appear here with its first batch.
          </p>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="From events to results" note="Four steps; the next one is highlighted">
      <ol className="steps">
        {steps.map((step) => (
          <Step key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </Panel>
  );
}

/** The offer of the tour, unless somebody hid it. */
export function TourOffer() {
  const { state, begin, open, change } = useTour(useSlug());
  if (!state.offered || state.open) return null;
  const begun = state.step !== NOT_BEGUN.step;
  return (
    <Panel title={begun ? "Continue your tour" : "New to streams?"}>
      <div className="stack">
        <p>
          {begun
            ? "Continue where you left off."
            : "The tour leads from a stream with late rows to your own running query. It takes a few minutes, and you can leave it at any time."}
        </p>
        <p className="row">
          <button type="button" className="button" data-kind="primary" onClick={begun ? open : begin}>
            {begun ? "Continue the tour" : "Take the tour"}
          </button>
          <button type="button" className="button" onClick={() => change({ offered: false })}>
            Hide this
          </button>
          <span className="quiet small">You can find it in the “?” menu.</span>
        </p>
      </div>
    </Panel>
  );
}
