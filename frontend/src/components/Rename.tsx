import { type ReactNode, useState } from "react";
import { useDrafted } from "../lib/drafts";
import { withFields } from "../lib/fieldFailure";
import { Ask } from "./Ask";
import { DraftGuard } from "./DraftGuard";
import { EntryForm } from "./EntryForm";
import { ReasonedButton } from "./Reasoned";

interface RenameProps {
  /** What it is, such as "the token", and what it is called now. */
  what: string;
  name: string;
  /** Under which its draft is kept. */
  object: string;
  reason: string | null;
  /** Whether it is one of several on the page, so that its button says which one it renames. */
  listed?: boolean;
  rename: (name: string) => Promise<unknown>;
  /** What stays as it was. */
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

/** Gives something another name; what was typed of it survives. */
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
      <Ask title={`Rename ${props.what} ${props.name}`} open={open} onClose={close}>
        <RenameForm {...props} onDone={close} />
      </Ask>
    </>
  );
}
