import { Link } from "react-router";
import { useReason, useSlug } from "../../lib/account/session";
import { isThere, TOUR, type TourPlace, type TourStep } from "../../model/organisation/tour";

/** Scroll to the subject of the step, and focus it if possible. */
function showAbout(selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  found?.scrollIntoView({ block: "center" });
  const first = found?.matches("button, a, input, select, [tabindex]")
    ? found
    : found?.querySelector<HTMLElement>("button, a, input, select, [tabindex]");
  first?.focus({ preventScroll: true });
}

/** End a title with a full stop, as a sentence. */
function ended(title: string): string {
  return /[?.!]$/.test(title) ? title : `${title}.`;
}

interface StepCardProps {
  step: TourStep;
  /** The task; null if the step only has to be read. */
  task: string | null;
  place: TourPlace;
  /** True if the page of the step is open and has everything that the step needs. */
  there: boolean;
  done: boolean;
  /** The title of the previous step, if it was just completed. */
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
        <p className="small">{reason} Press Next to continue reading, or ask for that role.</p>
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
            Show me
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
        <span>You are on this page.</span>
      ) : (
        <Link className="button" data-kind="primary" to={`/t/${slug}/${place.to}`}>
          {place.action}
        </Link>
      )}
      {or === undefined ? null : <Link to={`/t/${slug}/${or.to}`}>{or.action}</Link>}
    </>
  );
}

/** One step: its subject, its task, its page, and the way forward. */
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
            {last ? "Finish tour" : "Next"}
          </button>
        </div>
      </div>
    </>
  );
}
