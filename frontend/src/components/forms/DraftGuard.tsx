import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { type UnsavedForm, unsavedForms, useRegisteredForm } from "../../lib/drafts/unsavedForms";
import { ticksOf } from "../../model/time/ticks";
import { ModalDialog } from "../actions/ModalDialog";
import { Notice } from "../notices/Notices";
import { Instant } from "../values/Instant";

/** Ask before the user leaves a page with unsaved changes. The router asks only the newest form, so that one asks for all. Signing in again doesn't count as leaving, because it leads back. */
function useLeaving(form: UnsavedForm) {
  const guarded = useRef(form);
  guarded.current = form;
  useRegisteredForm(guarded);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (guarded.current.dirty()) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  return useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsavedForms().length > 0 &&
      currentLocation.pathname !== nextLocation.pathname &&
      !nextLocation.pathname.startsWith("/sign-in"),
  );
}

interface Props {
  draft: UnsavedForm;
  /** True if the form has secrets, which are never stored. */
  secrets?: boolean;
  /** The name of the edited object, if the page has more than one form. */
  what?: string;
  /** Save before a start that needs the changes; resolves to false if the server refused them. */
  save?: () => Promise<boolean>;
}

/** Report a restored draft, offer to discard it, and ask before unsaved changes are left. */
export function DraftGuard({ draft, secrets = false, what, save }: Props) {
  const blocker = useLeaving({ ...draft, what, save });
  const stay = () => blocker.reset?.();
  const discard = () => {
    for (const each of unsavedForms()) each.done();
    blocker.proceed?.();
  };
  return (
    <>
      {draft.restored === null ? null : (
        <Notice tone="busy">
          <p className="row">
            <span>
              Restored your unsaved changes from <Instant ticks={ticksOf(new Date(draft.restored))} />.
              {secrets ? " Enter secrets again." : null}
            </span>
            <button type="button" className="button" onClick={draft.discard}>
              Discard changes
            </button>
          </p>
        </Notice>
      )}
      <ModalDialog title="Leave without saving?" open={blocker.state === "blocked"} onClose={stay}>
        <p>Your changes are not saved. This browser keeps them for 30 days and restores them when you come back.</p>
        <p className="row">
          <button type="button" className="button" data-kind="primary" onClick={stay}>
            Stay
          </button>
          <button type="button" className="button" onClick={() => blocker.proceed?.()}>
            Leave and keep changes
          </button>
          <button type="button" className="button" data-kind="danger" onClick={discard}>
            Leave and discard changes
          </button>
        </p>
      </ModalDialog>
    </>
  );
}
