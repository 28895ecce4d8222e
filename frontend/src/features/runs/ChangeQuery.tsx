import { type FormEvent, useState } from "react";
import { Ask } from "../../components/Ask";
import { FormEnd } from "../../components/FormEnd";
import { ReasonedButton } from "../../components/Reasoned";
import { useReason } from "../../lib/session";
import type { BindingShown } from "../../model/api";
import { QueryChoice } from "./QueryChoice";
import { useReplaceBinding } from "./queries";

function ChangeForm({ binding, onDone }: { binding: BindingShown; onDone: () => void }) {
  const replacing = useReplaceBinding();
  const [dedicated, setDedicated] = useState(binding.dedicated);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replacing.mutate({ binding, dedicated }, { onSuccess: onDone });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <QueryChoice dedicated={dedicated} onChange={setDedicated} />
      <p className="quiet">
        It holds from the next start. What is open goes along; where its state cannot be divided over the cores, it is
        read again, where the inputs still have it, and the run says so.
      </p>
      <FormEnd words={["Save", "Saving…"]} asking={replacing} onCancel={onDone} />
    </form>
  );
}

/** Lets a binding share its carrier or have one of its own, from its next start on. */
export function ChangeQuery({ binding }: { binding: BindingShown }) {
  const reason = useReason("edit");
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const now = binding.dedicated ? "own carrier…" : "shared carrier…";
  return (
    <>
      <ReasonedButton
        reason={reason}
        aria-label={`${now} Change how ${binding.name} runs`}
        onClick={() => setOpen(true)}
      >
        {now}
      </ReasonedButton>
      <Ask title={`How ${binding.name} runs`} open={open} onClose={close}>
        <ChangeForm binding={binding} onDone={close} />
      </Ask>
    </>
  );
}
