import { isRouteErrorResponse, Link, useRouteError } from "react-router";
import { messageOf } from "../../lib/api/client";

/** Browser errors for a script that an update has replaced. */
const REPLACED = /dynamically imported module|module script failed|Unable to preload/i;
const UPDATED = "Punctual was updated after you opened this tab. Reload to continue. Your unsaved changes are kept.";

function brokenWords(error: unknown): readonly [string, string] {
  if (isRouteErrorResponse(error) && error.status === 404)
    return ["Page not found", "There is no page at this address."];
  const words = messageOf(error);
  return REPLACED.test(words)
    ? ["Reload this page", UPDATED]
    : ["This page failed", `This page could not be displayed: ${words}`];
}

interface Props {
  /** True within a page frame, which already has the main part. */
  framed?: boolean;
}

/** Explain a failed page instead of leaving a blank screen, and offer ways out. */
export function PageBroken({ framed = false }: Props) {
  const error = useRouteError();
  const [title, message] = brokenWords(error);
  const Part = framed ? "div" : "main";
  return (
    <Part className={framed ? "stack" : "page"}>
      <h1>{title}</h1>
      <div className="notice" data-tone="bad" role="alert">
        <p>{message}</p>
      </div>
      <p className="row">
        <Link className="button" to="/">
          Go to the start page
        </Link>
        <button type="button" className="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </p>
    </Part>
  );
}
