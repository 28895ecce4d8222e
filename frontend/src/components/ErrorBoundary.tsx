import { isRouteErrorResponse, Link, useRouteError } from "react-router";
import { messageOf } from "../lib/api";

/** Says that a page broke instead of a blank screen, and leaves the way out open. */
export function PageBroken() {
  const error = useRouteError();
  const absent = isRouteErrorResponse(error) && error.status === 404;
  const message = absent ? "There is no page at this address." : `This page could not be drawn: ${messageOf(error)}`;
  return (
    <main className="page">
      <h1>{absent ? "Nothing here" : "Something broke"}</h1>
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
    </main>
  );
}
