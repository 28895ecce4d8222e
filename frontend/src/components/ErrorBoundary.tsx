import { isRouteErrorResponse, Link, useRouteError } from "react-router";
import { messageOf } from "../lib/api";

/** What browsers say when a part of the pages is asked for that an update has replaced. */
const REPLACED = /dynamically imported module|module script failed|Unable to preload/i;
const UPDATED =
  "Punctual was updated since this tab was opened, and this page belongs to the newer version. Reload to go on; what you typed is kept.";

function brokenWords(error: unknown): readonly [string, string] {
  if (isRouteErrorResponse(error) && error.status === 404) return ["Nothing here", "There is no page at this address."];
  const words = messageOf(error);
  return REPLACED.test(words)
    ? ["Reload this page", UPDATED]
    : ["Something broke", `This page could not be drawn: ${words}`];
}

interface Props {
  /** Whether it is drawn within the frame of a page, which has the main part. */
  framed?: boolean;
}

/** Says that a page broke instead of a blank screen, and leaves the way out open. */
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
          Go to the start
        </Link>
        <button type="button" className="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </p>
    </Part>
  );
}
