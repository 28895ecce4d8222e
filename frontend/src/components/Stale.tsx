import { ApiFailure } from "../lib/api";
import { Difference } from "./Difference";
import { Panel } from "./Panel";

interface Props {
  error: unknown;
  /** What the page had when the change was begun, and what is stored now, as texts. */
  begun: string;
  now: string;
  onReload: () => void;
  /** Saves what was typed over what is stored now. */
  onOverwrite: () => void;
}

/** Somebody else was faster: what they changed, and what can be done with what was typed. */
export function Stale({ error, begun, now, onReload, onOverwrite }: Props) {
  if (!(error instanceof ApiFailure) || error.status !== 409 || begun === now) return null;
  return (
    <Panel title="What was changed meanwhile" note="From what you opened to what is stored now.">
      <div className="stack">
        <Difference before={begun} after={now} label="What was changed meanwhile" />
        <p className="row">
          <button type="button" className="button" onClick={onReload}>
            Take theirs, discard mine
          </button>
          <button type="button" className="button" data-kind="danger" onClick={onOverwrite}>
            Save mine over it
          </button>
        </p>
      </div>
    </Panel>
  );
}
