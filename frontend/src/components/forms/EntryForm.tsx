import { useMutation } from "@tanstack/react-query";
import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { fieldsOf } from "../../lib/api/fieldFailure";
import { ErrorNote } from "../notices/Notices";

export interface Entry {
  name: string;
  label: string;
  type?: "text" | "email" | "password";
  autoComplete?: string;
  inputMode?: "numeric";
  value?: string;
  /** With `onChange`, the page holds the value; otherwise the input does. */
  onChange?: (value: string) => void;
  help?: ReactNode;
  optional?: boolean;
  readOnly?: boolean;
  mono?: boolean;
}

interface EntryFieldProps {
  entry: Entry;
  wrong: string | undefined;
}

/** Return the props of a controlled or an uncontrolled input. */
function valueProps({ onChange, value = "" }: Entry) {
  if (onChange === undefined) return { defaultValue: value };
  return { value, onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(event.target.value) };
}

function describedBy(id: string, { help }: Entry, wrong: string | undefined): string | undefined {
  const parts = [help === undefined ? "" : `${id}-help`, wrong === undefined ? "" : `${id}-wrong`];
  return parts.filter(Boolean).join(" ") || undefined;
}

function EntryField({ entry, wrong }: EntryFieldProps) {
  const id = useId();
  const { name, label, type = "text", autoComplete = "off", inputMode, optional, readOnly, mono, help } = entry;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        className={mono ? "mono" : undefined}
        autoComplete={autoComplete}
        inputMode={inputMode}
        required={!optional}
        readOnly={readOnly}
        spellCheck={false}
        aria-invalid={wrong !== undefined}
        aria-describedby={describedBy(id, entry, wrong)}
        {...valueProps(entry)}
      />
      {help === undefined ? null : (
        <span id={`${id}-help`} className="help">
          {help}
        </span>
      )}
      {wrong === undefined ? null : (
        <span id={`${id}-wrong`} className="wrong" role="alert">
          {wrong}
        </span>
      )}
    </div>
  );
}

/** Return the errors that need no request. */
function faultsBefore(form: HTMLFormElement, entries: readonly Entry[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name } of entries) {
    const input = form.elements.namedItem(name);
    if (!(input instanceof HTMLInputElement)) continue;
    if (input.validity.valueMissing) found[name] = "This field is required.";
    else if (input.validity.typeMismatch)
      found[name] = "Enter a valid email address, for example name@company.example.";
  }
  return found;
}

function valuesOf(form: HTMLFormElement, entries: readonly Entry[]): Record<string, string> {
  const data = new FormData(form);
  return Object.fromEntries(entries.map(({ name }) => [name, String(data.get(name) ?? "")]));
}

/** Return the part of an error that belongs to no visible field. */
function restOf(error: unknown, entries: readonly Entry[]): unknown {
  const fields = fieldsOf(error);
  const elsewhere = Object.entries(fields).filter(([field]) => !entries.some(({ name }) => name === field));
  if (Object.keys(fields).length === 0) return error;
  return elsewhere.length === 0 ? null : new Error(elsewhere.map(([, sentence]) => sentence).join(" "));
}

interface EntryFormProps<T> {
  entries: readonly Entry[];
  /** The button's label, and its label while the request is pending. */
  words: readonly [string, string];
  send: (values: Record<string, string>) => Promise<T>;
  onSent: (answer: T) => unknown;
  onCancel?: () => void;
  danger?: boolean;
  /** Focus the first field: for a page or dialog that contains only this form. */
  focus?: boolean;
  children?: ReactNode;
}

/** A form with errors next to their fields. Input is kept, and the first field with an error gets the focus. */
export function EntryForm<T>(props: EntryFormProps<T>) {
  const { entries, words, send, onSent, onCancel, focus = false } = props;
  const form = useRef<HTMLFormElement>(null);
  const [before, setBefore] = useState<Record<string, string>>({});
  const sending = useMutation({ mutationFn: send, onSuccess: onSent });
  const wrong: Readonly<Record<string, string>> = { ...fieldsOf(sending.error), ...before };
  useEffect(() => {
    if (focus) form.current?.querySelector<HTMLInputElement>("input:not([readonly])")?.focus();
  }, [focus]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new error moves the focus, even an equal one
  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus();
  }, [before, sending.error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending.isPending) return;
    const faults = faultsBefore(event.currentTarget, entries);
    setBefore(faults);
    sending.reset();
    if (Object.keys(faults).length === 0) sending.mutate(valuesOf(event.currentTarget, entries));
  };
  return (
    <form ref={form} className="stack" noValidate onSubmit={submit}>
      {entries.map((entry) => (
        <EntryField key={entry.name} entry={entry} wrong={wrong[entry.name]} />
      ))}
      {props.children}
      <ErrorNote error={restOf(sending.error, entries)} />
      <p className="row">
        <button
          type="submit"
          className="button"
          data-kind={props.danger ? "danger" : "primary"}
          aria-disabled={sending.isPending}
        >
          {sending.isPending ? words[1] : words[0]}
        </button>
        {onCancel === undefined ? null : (
          <button type="button" className="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </p>
    </form>
  );
}
