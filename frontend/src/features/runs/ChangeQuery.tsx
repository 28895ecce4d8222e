import { type FormEvent, useState } from "react";
import { Ask } from "../../components/Ask";
import { FormEnd } from "../../components/FormEnd";
import { ReasonedButton } from "../../components/Reasoned";
import { Stale } from "../../components/Stale";
import { useReason } from "../../lib/session";
import type { BindingShown } from "../../model/api";
import { bindingText } from "../../model/bindingForm";
import { QueryChoice } from "./QueryChoice";
import { useReplaceBinding } from "./requests";

function ChangeForm({ binding, onDone }: { binding: BindingShown; onDone: () => void }) {
  const replacing = useReplaceBinding();
  const [opened] = useState(binding); // what it says now is looked at again and again
  const [dedicated, setDedicated] = useState(opened.dedicated);
  const save = (over: BindingShown) => replacing.mutate({ binding: over, dedicated }, { onSuccess: onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(opened);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <QueryChoice dedicated={dedicated} onChange={setDedicated} />
      <p className="quiet">
        It holds from the next start. What is open goes along; where its state cannot be divided over the cores, it is
        read again, where the inputs still have it, and the run says so.
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
