import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { faultsOf, messageOf } from "../../lib/api/client";
import { targetsOfAll } from "../../messages/definition/faults";
import type { Fault } from "../../model/api";
import { placedFaults } from "../../model/forms/fieldFaults";
import { counted } from "../../model/text/counts";
import { FaultList } from "../notices/FaultList";
import { FixLinks } from "../notices/FixLinks";
import { Notice } from "../notices/Notices";

const Faults = createContext<Readonly<Record<string, string>>>({});

/** Return the error of the field at `path`; undefined if none is known. */
export function useWrong(path: string | undefined): string | undefined {
  const faults = useContext(Faults);
  return path === undefined ? undefined : faults[path];
}

/** Return the ARIA attributes that link an input to its error and help text. */
export function describedBy(id: string, wrong: string | undefined, help: unknown) {
  const parts = [wrong === undefined ? "" : `${id}-wrong`, help === undefined || help === "" ? "" : `${id}-help`];
  return {
    "aria-invalid": wrong !== undefined,
    "aria-describedby": parts.filter(Boolean).join(" ") || undefined,
  };
}

/** A text with names in backticks. */
export function Named({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other keys and never move
  return text.split("`").map((part, at) => (at % 2 > 0 ? <code key={at}>{part}</code> : part));
}

/** The text under an input: its error, and its help. */
export function UnderField({ id, wrong, help }: { id: string; wrong: string | undefined; help?: ReactNode }) {
  return (
    <>
      {wrong === undefined ? null : (
        <span id={`${id}-wrong`} className="wrong">
          {wrong}
        </span>
      )}
      {help === undefined || help === "" ? null : (
        <span id={`${id}-help`} className="help">
          {typeof help === "string" ? <Named text={help} /> : help}
        </span>
      )}
    </>
  );
}

/** Return the first field whose text can't be parsed and so can't be sent. */
function unreadField(form: HTMLFormElement | null): HTMLInputElement | undefined {
  return [...(form?.querySelectorAll("input") ?? [])].find((input) => input.validity.customError);
}

interface Props {
  /** The error of the last request; its field errors appear at their fields. */
  error: unknown;
  /** Client-side errors, by path. */
  wrong?: Readonly<Record<string, string>>;
  /** The paths of the form's fields, as in the API. */
  paths: readonly string[];
  /** Map an error to its path, if that differs from its field. */
  pathOf?: (fault: Fault) => string | null;
  onSubmit: () => void;
  children: ReactNode;
}

/** A form with errors at their fields. The first one scrolls into view below the header and gets the focus. */
export function FaultyForm({ error, wrong, paths, pathOf = ({ field }) => field, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const placed = placedFaults(
    faultsOf(error).map((fault) => ({ ...fault, field: pathOf(fault) })),
    paths,
  );
  const at = { ...placed.at, ...wrong };
  const serialized = JSON.stringify(at);
  const known = useMemo(() => JSON.parse(serialized) as Readonly<Record<string, string>>, [serialized]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new error moves the focus, even an equal one
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.focus({ preventScroll: true });
    first?.scrollIntoView({ block: "center" });
  }, [error, wrong]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const unread = unreadField(form.current);
    if (unread === undefined) onSubmit();
    else unread.focus();
  };
  const count = Object.keys(at).length;
  const places = counted(count, "field is", "fields are");
  return (
    <Faults value={known}>
      <form ref={form} className="stack" noValidate onSubmit={submit}>
        {children}
        {count > 0 || (error !== null && error !== undefined) ? (
          <Notice tone="bad">
            <p>{count > 0 ? `Not saved. ${places} marked above; fix the errors there.` : messageOf(error)}</p>
            <FixLinks targets={targetsOfAll(placed.placed)} />
            {placed.rest.length > 0 ? <FaultList faults={placed.rest} /> : null}
          </Notice>
        ) : null}
      </form>
    </Faults>
  );
}
