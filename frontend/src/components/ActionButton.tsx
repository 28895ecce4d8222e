import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Ask } from "./Ask";
import { ErrorNote } from "./Notices";

interface ActionButtonProps<T> {
  words: readonly [string, string];
  act: () => Promise<T>;
  onDone?: (answer: T) => unknown;
  kind?: "primary" | "danger" | "plain";
  label?: string;
}

/** A button that asks the server for something, says so meanwhile, and says what went wrong. */
export function ActionButton<T>({ words, act, onDone, kind, label }: ActionButtonProps<T>) {
  const acting = useMutation({ mutationFn: act, onSuccess: (answer) => onDone?.(answer) });
  return (
    <>
      <button
        type="button"
        className="button"
        data-kind={kind}
        aria-label={label}
        disabled={acting.isPending}
        onClick={() => acting.mutate()}
      >
        {acting.isPending ? words[1] : words[0]}
      </button>
      <ErrorNote error={acting.error} />
    </>
  );
}

interface AskedActionProps {
  /** What opens the dialog, and what it is called for whoever hears it without its row. */
  opener: string;
  label?: string;
  title: string;
  words: readonly [string, string];
  keep: string;
  act: () => Promise<unknown>;
  children: ReactNode;
}

/** An action that cannot be taken back: it says what will happen, and asks. */
export function AskedAction({ opener, label, title, words, keep, act, children }: AskedActionProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="button" aria-label={label} onClick={() => setOpen(true)}>
        {opener}
      </button>
      <Ask title={title} open={open} onClose={close}>
        {children}
        <div className="row">
          <ActionButton words={words} act={act} onDone={close} kind="danger" />
          <button type="button" className="button" onClick={close}>
            {keep}
          </button>
        </div>
      </Ask>
    </>
  );
}
