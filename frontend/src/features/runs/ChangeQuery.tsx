import { type FormEvent, useState } from "react";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { FormEnd } from "../../components/forms/FormEnd";
import { Stale } from "../../components/forms/Stale";
import { useReason } from "../../lib/account/session";
import { useReplaceBinding } from "../../lib/resources/bindings";
import type { BindingResponse } from "../../model/api";
import { bindingText, settingsOf } from "../../model/binding/bindingForm";
import { QueryChoice } from "./QueryChoice";

function ChangeForm({ binding, onDone }: { binding: BindingResponse; onDone: () => void }) {
  const replacing = useReplaceBinding();
  const [opened] = useState(binding); // `binding` is polled and may change
  const [dedicated, setDedicated] = useState(opened.dedicated);
  const save = (over: BindingResponse) =>
    replacing.mutate({ binding: over.id, body: { ...settingsOf(over), dedicated } }, { onSuccess: onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(opened);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <QueryChoice dedicated={dedicated} onChange={setDedicated} />
      <p className="quiet">
        Applies from the next start. Open windows move along. If their state can't be split over the cores, their rows
        are read again if the inputs still have them; the run then reports it.
      </p>
      <FormEnd words={["Save", "Saving…"]} asking={replacing} onCancel={onDone} />
      <Stale
        error={replacing.error}
        begun={bindingText(opened)}
        now={bindingText(binding)}
        onReload={onDone}
        onOverwrite={() => save(binding)}
      />
    </form>
  );
}

/** Move a binding to the shared carrier or to its own, from its next start. */
export function ChangeQuery({ binding }: { binding: BindingResponse }) {
  const reason = useReason("edit");
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const now = binding.dedicated ? "own carrier…" : "shared carrier…";
  return (
    <>
      <ReasonedButton
        reason={reason}
        aria-label={`${now} Change the carrier of ${binding.name}`}
        onClick={() => setOpen(true)}
      >
        {now}
      </ReasonedButton>
      <ModalDialog title={`Carrier of ${binding.name}`} open={open} onClose={close}>
        <ChangeForm binding={binding} onDone={close} />
      </ModalDialog>
    </>
  );
}
