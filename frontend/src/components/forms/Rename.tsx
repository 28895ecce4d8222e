import { type ReactNode, useState } from "react";
import { withFields } from "../../lib/api/fieldFailure";
import { useDrafted } from "../../lib/drafts/drafts";
import { ModalDialog } from "../actions/ModalDialog";
import { ReasonedButton } from "../actions/Reasoned";
import { DraftGuard } from "./DraftGuard";
import { EntryForm } from "./EntryForm";

interface RenameProps {
  /** The kind of object, for example "the token", and its current name. */
  what: string;
  name: string;
  /** The key of its draft. */
  object: string;
  reason: string | null;
  /** True for one of several on the page; its button then names the object. */
  listed?: boolean;
  rename: (name: string) => Promise<unknown>;
  /** An explanation of what renaming does not change. */
  children: ReactNode;
}

function RenameForm({ name: begun, object, rename, children, onDone }: RenameProps & { onDone: () => void }) {
  const draft = useDrafted(object, { name: begun });
  const done = () => {
    draft.done();
    onDone();
  };
  return (
    <EntryForm
      entries={[
        { name: "name", label: "New name", value: draft.value.name, onChange: (name) => draft.change({ name }) },
      ]}
      words={["Rename", "Renaming…"]}
      send={({ name = "" }) => withFields(rename(name.trim()))}
      onSent={done}
      onCancel={done}
      focus
    >
      <DraftGuard draft={draft} />
      <p className="quiet">{children}</p>
    </EntryForm>
  );
}

/** Rename an object; the typed name survives closing the dialog. */
export function Rename({ listed = false, ...props }: RenameProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton
        reason={props.reason}
        aria-label={listed ? `Rename ${props.name}` : undefined}
        onClick={() => setOpen(true)}
      >
        Rename…
      </ReasonedButton>
      <ModalDialog title={`Rename ${props.what} ${props.name}`} open={open} onClose={close}>
        <RenameForm {...props} onDone={close} />
      </ModalDialog>
    </>
  );
}
