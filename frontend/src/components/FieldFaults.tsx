import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { faultsOf, messageOf } from "../lib/api";
import type { Fault } from "../model/api";
import { counted } from "../model/counts";
import { targetsOfAll } from "../model/faults";
import { placedFaults } from "../model/fieldFaults";
import { FaultList } from "./FaultList";
import { MendLinks } from "./MendLinks";
import { Notice } from "./Notices";

const Faults = createContext<Readonly<Record<string, string>>>({});

/** What is wrong with the field of that path; undefined: nothing, as far as is known. */
export function useWrong(path: string | undefined): string | undefined {
  const faults = useContext(Faults);
  return path === undefined ? undefined : faults[path];
}

/** How an input says that it is wrong, and by what it is described. */
export function describedBy(id: string, wrong: string | undefined, help: unknown) {
  const parts = [wrong === undefined ? "" : `${id}-wrong`, help === undefined || help === "" ? "" : `${id}-help`];
  return {
    "aria-invalid": wrong !== undefined,
    "aria-describedby": parts.filter(Boolean).join(" ") || undefined,
  };
}

/** A text in which names stand in backticks. */
export function Named({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other names, and do not move
  return text.split("`").map((part, at) => (at % 2 > 0 ? <code key={at}>{part}</code> : part));
}

/** What stands under an input: what is wrong with it, and what may be written there. */
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

/** A field whose text says nothing that could be sent; why stands beside it. */
function unreadField(form: HTMLFormElement | null): HTMLInputElement | undefined {
  return [...(form?.querySelectorAll("input") ?? [])].find((input) => input.validity.customError);
}

interface Props {
  /** Why the server refused what was sent; its faults stand at the fields that they are about. */
  error: unknown;
  /** What can be said without asking the server, by path. */
  wrong?: Readonly<Record<string, string>>;
  /** The paths of the fields that the form has, as the API names them. */
  paths: readonly string[];
  /** The path of a fault, where it is another than its field. */
  pathOf?: (fault: Fault) => string | null;
  onSubmit: () => void;
  children: ReactNode;
}

/** A form whose faults stand at their fields; the first of them is brought into view, below the header, with the focus. */
export function FaultyForm({ error, wrong, paths, pathOf = ({ field }) => field, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const placed = placedFaults(
    faultsOf(error).map((fault) => ({ ...fault, field: pathOf(fault) })),
    paths,
  );
  const at = { ...placed.at, ...wrong };
  const told = JSON.stringify(at);
  const known = useMemo(() => JSON.parse(told) as Readonly<Record<string, string>>, [told]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new refusal moves the focus, even a like one
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
            <p>
              {count > 0 ? `Nothing is saved yet. ${places} marked above; mend what is said there.` : messageOf(error)}
            </p>
            <MendLinks targets={targetsOfAll(placed.placed)} />
            {placed.rest.length > 0 ? <FaultList faults={placed.rest} /> : null}
          </Notice>
        ) : null}
      </form>
    </Faults>
  );
}
