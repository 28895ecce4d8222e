import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { TextField } from "../../../components/forms/Field";
import { FaultyForm } from "../../../components/forms/FieldFaults";
import { FormButtons } from "../../../components/forms/FormEnd";
import { useReason } from "../../../lib/account/session";
import type { IncidentResponse } from "../../../model/api";
import { useIncidentChanges } from "./requests";

function ResolveForm({ incident, onDone }: { incident: IncidentResponse; onDone: () => void }) {
  const [resolution, setResolution] = useState("");
  const { resolve } = useIncidentChanges(incident.id);
  const resolving = useMutation({ mutationFn: () => resolve(resolution.trim()), onSuccess: onDone });
  const submit = () => {
    if (!resolving.isPending) resolving.mutate();
  };
  return (
    <FaultyForm error={resolving.error} paths={["resolution"]} onSubmit={submit}>
      <TextField label="Resolution, optional" path="resolution" value={resolution} onChange={setResolution} />
      <FormButtons words={["Resolve incident", "Resolving…"]} isPending={resolving.isPending} onCancel={onDone} />
    </FaultyForm>
  );
}

/** A button that resolves an open incident by hand. */
export function ResolveButton({ incident }: { incident: IncidentResponse }) {
  const [open, setOpen] = useState(false);
  const reason = useReason("operate");
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => setOpen(true)}>
        Resolve…
      </ReasonedButton>
      <ModalDialog title={`Resolve incident #${incident.number}`} open={open} onClose={close}>
        {incident.opened_by === null ? (
          <p>
            It is resolved automatically when the last of its rules resolves. If you resolve it now, a rule that still
            fires opens no new incident until its level rises or it fires again.
          </p>
        ) : (
          <p>A person opened it, so it stays open until a person resolves it.</p>
        )}
        <ResolveForm incident={incident} onDone={close} />
      </ModalDialog>
    </>
  );
}
