import { ReasonedButton } from "../actions/Reasoned";
import { type Startable, useStarting } from "./useStarting";

interface StartButtonProps extends Startable {
  words: string;
  label: string;
  /** The reason why it can't be started; null if it can. */
  reason: string | null;
}

/** Start a binding. If state would be lost, explain it and ask for a start position first. */
export function StartButton({ words, label, reason, ...startable }: StartButtonProps) {
  const { ask, isBusy, dialogs } = useStarting(startable);
  return (
    <>
      {dialogs}
      <ReasonedButton reason={reason} kind="primary" aria-label={label} aria-disabled={isBusy} onClick={ask}>
        {isBusy ? "Starting…" : words}
      </ReasonedButton>
    </>
  );
}
