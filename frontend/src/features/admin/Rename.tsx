import { type ReactNode, useState } from "react";
import { Ask } from "../../components/Ask";
import { DraftGuard } from "../../components/DraftGuard";
import { EntryForm } from "../../components/EntryForm";
import { ReasonedButton } from "../../components/Reasoned";
import { useDrafted } from "../../lib/drafts";
import { withFields } from "../../lib/fieldFailure";

interface RenameProps {
  /** What it is, such as "the token", and what it is called now. */
  what: string;
  name: string;
  /** Under which its draft is kept. */
  object: string;
  reason: string | null;
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

/** Gives something that is listed another name. */
export function Rename(props: RenameProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={props.reason} aria-label={`Rename ${props.name}`} onClick={() => setOpen(true)}>
        Rename…
      </ReasonedButton>
      <Ask title={`Rename ${props.what} ${props.name}`} open={open} onClose={close}>
        <RenameForm {...props} onDone={close} />
      </Ask>
    </>
  );
}
