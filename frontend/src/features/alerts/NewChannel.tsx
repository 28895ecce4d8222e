import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { SelectField, TextField } from "../../components/forms/Field";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { FormButtons } from "../../components/forms/FormEnd";
import { SchemaForm } from "../../components/forms/SchemaForm";
import { useReason } from "../../lib/account/session";
import type { ChannelKindResponse } from "../../model/api";
import { type FormValues, formFields, readForm } from "../../model/forms/schemaForm";
import { useAlertChanges, useChannelKinds, useRefreshAlerts } from "./requests";

const LEVELS = [
  ["warn", "Warnings and pages"],
  ["page", "Pages only"],
] as const;

interface FormProps {
  kinds: readonly ChannelKindResponse[];
  first: ChannelKindResponse;
  onDone: () => void;
}

function ChannelForm({ kinds, first, onDone }: FormProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState(first.kind);
  const [level, setLevel] = useState<(typeof LEVELS)[number][0]>("warn");
  const [values, setValues] = useState<FormValues>({});
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const { createChannel } = useAlertChanges();
  const refresh = useRefreshAlerts();
  const chosen = kinds.find((each) => each.kind === kind) ?? first;
  const fields = formFields(chosen.options);
  const creating = useMutation({
    mutationFn: (options: Record<string, unknown>) =>
      createChannel({ name: name.trim(), kind, level, enabled: true, options }),
    onSuccess: async () => {
      onDone();
      await refresh();
    },
  });
  const submit = () => {
    const read = readForm(fields, values, "options.");
    setWrong(read.wrong);
    if (Object.keys(read.wrong).length === 0 && !creating.isPending) creating.mutate(read.options);
  };
  const paths = ["name", "kind", ...fields.map((each) => `options.${each.name}`)];
  return (
    <FaultyForm error={creating.error} wrong={wrong} paths={paths} onSubmit={submit}>
      <TextField
        label="Name"
        path="name"
        value={name}
        onChange={setName}
        required
        help="For example, tolling on call."
      />
      <SelectField
        label="Kind"
        path="kind"
        value={kind}
        options={kinds.map((each) => [each.kind, each.title] as const)}
        onChange={(next) => {
          setKind(next);
          setValues({});
        }}
      />
      <SelectField label="Receives" value={level} options={LEVELS} onChange={setLevel} />
      <SchemaForm fields={fields} values={values} onChange={setValues} path="options." />
      <FormButtons words={["Create channel", "Creating…"]} isPending={creating.isPending} onCancel={onDone} />
    </FaultyForm>
  );
}

/** A button that opens the form for a channel. */
export function NewChannel() {
  const [open, setOpen] = useState(false);
  const reason = useReason("edit");
  const kinds = useChannelKinds().data ?? [];
  const [first] = kinds;
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setOpen(true)}>
        New channel…
      </ReasonedButton>
      <ModalDialog title="New channel" open={open && first !== undefined} onClose={close}>
        {first === undefined ? null : <ChannelForm kinds={kinds} first={first} onDone={close} />}
      </ModalDialog>
    </>
  );
}
