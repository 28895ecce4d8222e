import { type ReactNode, useState } from "react";
import { ActionButton } from "./ActionButton";
import { ModalDialog } from "./ModalDialog";
import { ReasonedButton } from "./Reasoned";

interface ConfirmedActionProps {
  /** The reason why the action isn't allowed; null if it is. */
  reason?: string | null;
  /** The text of the button that opens the dialog, and its label for screen readers, which lack the row's context. */
  opener: string;
  label?: string;
  kind?: "danger";
  title: string;
  words: readonly [string, string];
  keep: string;
  act: () => Promise<unknown>;
  onDone?: () => unknown;
  children: ReactNode;
}

/** A button for an irreversible action: it explains the effect and asks for confirmation, or says why it isn't allowed. */
export function ConfirmedAction(props: ConfirmedActionProps) {
  const { reason = null, opener, label, kind, title, words, keep, act, onDone, children } = props;
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const done = async () => {
    close();
    await onDone?.();
  };
  return (
    <>
      <ReasonedButton reason={reason} kind={kind} aria-label={label} onClick={() => setOpen(true)}>
        {opener}
      </ReasonedButton>
      <ModalDialog title={title} open={open} onClose={close}>
        {children}
        <div className="row">
          <ActionButton words={words} act={act} onDone={done} kind="danger" />
          <button type="button" className="button" onClick={close}>
            {keep}
          </button>
        </div>
      </ModalDialog>
    </>
  );
}
