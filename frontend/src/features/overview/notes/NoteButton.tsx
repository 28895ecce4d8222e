import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { SelectField, TextField } from "../../../components/forms/Field";
import { FaultyForm } from "../../../components/forms/FieldFaults";
import { FormButtons } from "../../../components/forms/FormEnd";
import { useReason } from "../../../lib/account/session";
import { isTyped } from "../../../lib/browser/pageKeys";
import { formatInstant, type Ticks, ticksOf } from "../../../model/time/ticks";
import { useNoteChanges } from "./requests";

interface NoteFormProps {
  /** Null: only notes about all queries. */
  binding: string | null;
  /** The time that the form starts with. */
  at: Ticks;
  onDone: () => void;
}

const SUBJECTS = [
  ["own", "This query"],
  ["all", "All queries, for example a deployment"],
] as const;

/** Return the value of a field for a time, to the second. */
function fieldText(at: Ticks): string {
  return formatInstant(at).slice(0, 19).replace(" ", "T");
}

function fieldTicks(text: string): Ticks | null {
  return text === "" ? null : ticksOf(`${text}Z`);
}

interface TimeFieldProps {
  label: string;
  value: string;
  required?: boolean;
  onChange: (value: string) => void;
}

function TimeField({ label, value, required = false, onChange }: TimeFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        step={1}
        value={value}
        required={required}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function NoteForm({ binding, at, onDone }: NoteFormProps) {
  const [text, setText] = useState("");
  const [begin, setBegin] = useState(fieldText(at));
  const [end, setEnd] = useState("");
  const [subject, setSubject] = useState<(typeof SUBJECTS)[number][0]>("own");
  const { create } = useNoteChanges();
  const creating = useMutation({
    mutationFn: () =>
      create({
        binding: subject === "own" ? binding : null,
        begin: fieldTicks(begin),
        end: fieldTicks(end),
        text: text.trim(),
      }),
    onSuccess: onDone,
  });
  const submit = () => {
    if (!creating.isPending) creating.mutate();
  };
  return (
    <FaultyForm error={creating.error} paths={["text"]} onSubmit={submit}>
      <TextField label="Note" path="text" value={text} onChange={setText} required />
      <TimeField label="Time (UTC)" value={begin} onChange={setBegin} required />
      <TimeField label="End of a range (UTC), optional" value={end} onChange={setEnd} />
      {binding === null ? null : <SelectField label="About" value={subject} options={SUBJECTS} onChange={setSubject} />}
      <FormButtons words={["Save note", "Saving…"]} isPending={creating.isPending} onCancel={onDone} />
    </FaultyForm>
  );
}

interface NoteButtonProps {
  binding: string | null;
  /** The time that a note starts with, when the form opens. */
  at: () => Ticks;
}

/** A button that opens the form for a note; so does the key `n`. */
export function NoteButton({ binding, at }: NoteButtonProps) {
  const [since, setSince] = useState<Ticks | null>(null);
  const reason = useReason("operate");
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "n" || isTyped(event) || reason !== null || since !== null) return;
      event.preventDefault();
      setSince(at());
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
  const close = () => setSince(null);
  return (
    <>
      <ReasonedButton reason={reason} title="Key n" onClick={() => setSince(at())}>
        Note…
      </ReasonedButton>
      <ModalDialog title="New note" open={since !== null} onClose={close}>
        {since === null ? null : <NoteForm binding={binding} at={since} onDone={close} />}
      </ModalDialog>
    </>
  );
}
