import { Link } from "react-router";
import { useReason, useSlug } from "../../lib/session";
import { isThere, TOUR, type TourPlace, type TourStep } from "../../model/tour";

/** Brings what the step speaks of into sight, and the focus to it where it can have it. */
function showAbout(selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  found?.scrollIntoView({ block: "center" });
  const first = found?.matches("button, a, input, select, [tabindex]")
    ? found
    : found?.querySelector<HTMLElement>("button, a, input, select, [tabindex]");
  first?.focus({ preventScroll: true });
}

/** A title as a sentence. */
function ended(title: string): string {
  return /[?.!]$/.test(title) ? title : `${title}.`;
}

interface StepCardProps {
  step: TourStep;
  /** What is to be done; null: it is to be read. */
  task: string | null;
  place: TourPlace;
  /** Whether the page is the one of the step, and all that it needs is there. */
  there: boolean;
  done: boolean;
  /** The title of the step before, if it was just done. */
  just: string | null;
  path: string;
  go: (by: number) => void;
  finish: () => void;
}

function Task({ step, task, done }: { step: TourStep; task: string | null; done: boolean }) {
  const reason = useReason(step.needs ?? "edit");
  if (task === null) return null;
  return (
    <div className="tour-task">
      <p>
        <strong>{done ? "✓ Done:" : "To do:"}</strong> {task}
      </p>
      {step.needs !== undefined && reason !== null ? (
        <p className="small">{reason} Read on with Next, or ask for that role.</p>
      ) : null}
    </div>
  );
}

function Way({ step, place, there, path }: Omit<StepCardProps, "task" | "done" | "just" | "go" | "finish">) {
  const slug = useSlug();
  const { about, or } = step;
  if (there) {
    return (
      <>
        {about === undefined ? null : (
          <button type="button" className="button" onClick={() => showAbout(about)}>
            Show me where
          </button>
        )}
        {or === undefined ? null : <Link to={`/t/${slug}/${or.to}`}>{or.action}</Link>}
      </>
    );
  }
  return (
    <>
      {place.missing === undefined ? null : <p>{place.missing}</p>}
      {place.missing !== undefined && isThere(path, place) ? (
        <span>You are on that page.</span>
      ) : (
        <Link className="button" data-kind="primary" to={`/t/${slug}/${place.to}`}>
          {place.action}
        </Link>
      )}
      {or === undefined ? null : <Link to={`/t/${slug}/${or.to}`}>{or.action}</Link>}
    </>
  );
}

/** One step: what it is about, what is to be done, where, and the way on. */
export function StepCard({ step, task, place, there, done, just, path, go, finish }: StepCardProps) {
  const number = TOUR.indexOf(step) + 1;
  const last = number === TOUR.length;
  return (
    <>
      <div>
        <div role="status">
          {just === null ? null : <p className="tour-just small">✓ Done: {ended(just)}</p>}
          <p className="quiet small">
            Step {number} of {TOUR.length}
          </p>
          <h3>{step.title}</h3>
        </div>
        {step.words.map((words) => (
          <p key={words}>{words}</p>
        ))}
      </div>
      <div>
        <Task {...{ step, task, done }} />
        <div className="row tour-end">
          <Way step={step} place={place} there={there} path={path} />
          <button type="button" className="button" aria-disabled={number === 1} onClick={() => go(-1)}>
            Back
          </button>
          <button
            type="button"
            className="button"
            data-kind={there && (done || task === null) ? "primary" : undefined}
            onClick={last ? finish : () => go(1)}
          >
            {last ? "Finish the tour" : "Next"}
          </button>
        </div>
      </div>
    </>
  );
}
