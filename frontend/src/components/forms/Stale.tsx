import { ApiFailure } from "../../lib/api/client";
import { Panel } from "../page/Panel";
import { Difference } from "../values/Difference";

interface Props {
  error: unknown;
  /** The version that the user started from and the version stored now, as texts. */
  begun: string;
  now: string;
  /** True if a part of the object that the form does not show has changed. */
  isOtherChanged?: boolean;
  onReload: () => void;
  /** Save the user's input over the stored version. */
  onOverwrite: () => void;
}

/** Explain a conflict: another person saved first. Shows their changes and the options. */
export function Stale({ error, begun, now, isOtherChanged = false, onReload, onOverwrite }: Props) {
  if (!(error instanceof ApiFailure) || error.status !== 409) return null;
  if (begun === now && !isOtherChanged) return null; // another conflict, for example a name that is taken
  return (
    <Panel title="Changes by others" note="From the version you opened to the one saved now">
      <div className="stack">
        {begun === now ? (
          <p>A part that this form does not show has changed, for example the outputs of a binding.</p>
        ) : (
          <Difference before={begun} after={now} label="Changes by others" />
        )}
        <p className="row">
          <button type="button" className="button" onClick={onReload}>
            Load theirs, discard mine
          </button>
          <button type="button" className="button" data-kind="danger" onClick={onOverwrite}>
            Overwrite with mine
          </button>
        </p>
      </div>
    </Panel>
  );
}
