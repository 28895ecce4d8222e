import { type RefObject, useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import type { Drafted } from "../lib/drafts";
import { ticksOf } from "../model/ticks";
import { Ask } from "./Ask";
import { Instant } from "./Instant";
import { Notice } from "./Notices";

type Guarded = Pick<Drafted<unknown>, "dirty" | "discard" | "done" | "restored">;

/** Those of the forms on the page: the router asks the newest alone, which asks for all. */
const OPEN = new Set<RefObject<Guarded>>();

function unsaved(): Guarded[] {
  return [...OPEN].map((each) => each.current).filter((each) => each.dirty());
}

/** Asks before a page with unsaved changes is left. Signing in again is no leaving: the way leads back here. */
function useLeaving(draft: Guarded) {
  const guarded = useRef(draft);
  guarded.current = draft;
  useEffect(() => {
    OPEN.add(guarded);
    return () => void OPEN.delete(guarded);
  }, []);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (guarded.current.dirty()) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  return useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsaved().length > 0 &&
      currentLocation.pathname !== nextLocation.pathname &&
      !nextLocation.pathname.startsWith("/sign-in"),
  );
}

interface Props {
  draft: Guarded;
  /** Whether something of it is secret, which is never kept. */
  secrets?: boolean;
}

/** Says what was restored, lets one discard it, and asks before what is not saved is left. */
export function DraftGuard({ draft, secrets = false }: Props) {
  const blocker = useLeaving(draft);
  const stay = () => blocker.reset?.();
  const discard = () => {
    for (const each of unsaved()) each.done();
    blocker.proceed?.();
  };
  return (
    <>
      {draft.restored === null ? null : (
        <Notice tone="busy">
          <p className="row">
            <span>
              What you typed on <Instant ticks={ticksOf(new Date(draft.restored))} /> was not saved, and is here again.
              {secrets ? " Secrets have to be typed once more." : null}
            </span>
            <button type="button" className="button" onClick={draft.discard}>
              Discard it
            </button>
          </p>
        </Notice>
      )}
      <Ask title="Leave without saving?" open={blocker.state === "blocked"} onClose={stay}>
        <p>What you typed is not saved. It is kept in this browser for 30 days, and is here when you come back.</p>
        <p className="row">
          <button type="button" className="button" data-kind="primary" onClick={stay}>
            Stay
          </button>
          <button type="button" className="button" onClick={() => blocker.proceed?.()}>
            Leave and keep it
          </button>
          <button type="button" className="button" data-kind="danger" onClick={discard}>
            Leave and discard it
          </button>
        </p>
      </Ask>
    </>
  );
}
