import { type ReactNode, useState } from "react";
import { ActionButton } from "./ActionButton";
import { Ask } from "./Ask";
import { ReasonedButton } from "./Reasoned";

interface AskedActionProps {
  /** Why it may not be done; null: it may. */
  reason?: string | null;
  /** What opens the dialog, and what it is called for whoever hears it without its row. */
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

/** An action that cannot be taken back: it says what will happen and asks, or says why it may not be done. */
export function AskedAction(props: AskedActionProps) {
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
      <Ask title={title} open={open} onClose={close}>
        {children}
        <div className="row">
          <ActionButton words={words} act={act} onDone={done} kind="danger" />
          <button type="button" className="button" onClick={close}>
            {keep}
          </button>
        </div>
      </Ask>
    </>
  );
}
