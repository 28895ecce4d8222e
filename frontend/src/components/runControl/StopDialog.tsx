import { useState } from "react";
import { counted } from "../../lib/numbers";
import { type StopWay, useNextStart, useStop } from "../../lib/resources/runControl";
import { ModalDialog } from "../actions/ModalDialog";
import { ReasonedButton } from "../actions/Reasoned";
import { CheckField } from "../forms/Field";
import { ErrorNote } from "../notices/Notices";
import { NextStartWords, OpenNow } from "./NextStartWords";

interface StopDialogProps {
  binding: string;
  name: string;
  onClose: () => void;
}

const WAYS: readonly { way: StopWay; title: string; sentence: string }[] = [
  {
    way: "keep",
    title: "Keep the state",
    sentence: "Open windows are kept, and the next start resumes where this run stopped.",
  },
  {
    way: "flush",
    title: "Flush",
    sentence:
      "Emits the results of open windows first, marked as incomplete, for inputs that close everything on a flush.",
  },
  {
    way: "discard",
    title: "Discard the state",
    sentence: "Open windows are discarded without a result, and the next start can't resume. Existing results stay.",
  },
];
const WORDS: Record<StopWay, string> = { keep: "Stop", flush: "Flush and stop", discard: "Discard and stop" };

/** The loss if the state is discarded, and the checkbox that confirms it. */
function LossWarning({ binding, sure, onSure }: { binding: string; sure: boolean; onSure: (sure: boolean) => void }) {
  const { data } = useNextStart(binding, true);
  const rows = data?.open_rows;
  return (
    <div className="stack">
      <p>
        You will lose the open windows
        {rows == null || rows === 0 ? null : `, with at most ${counted(rows, "row")} read for them`}. No later start
        restores them, unless it reads those rows again from the beginning, from a time or from positions.
      </p>
      <OpenNow binding={binding} />
      <CheckField label="Discard the state of this run" checked={sure} onChange={onSure} />
    </div>
  );
}

function FlushWords({ binding }: { binding: string }) {
  return (
    <>
      <p>
        Windows are closed before they are complete, and their results are marked so. The next start reads the rows of
        open windows again, if the inputs still have them.
      </p>
      <OpenNow binding={binding} />
    </>
  );
}

/** Ask how to stop a binding's run, then request the stop. */
export function StopDialog({ binding, name, onClose }: StopDialogProps) {
  const [way, setWay] = useState<StopWay>("keep");
  const [sure, setSure] = useState(false);
  const stopping = useStop();
  return (
    <ModalDialog title={`Stop ${name}?`} open onClose={onClose}>
      <p>The current batch is finished first.</p>
      <fieldset className="group stack">
        <legend>State</legend>
        {WAYS.map((each) => (
          <div key={each.way}>
            <label className="row choice">
              <input type="radio" name="way" checked={each.way === way} onChange={() => setWay(each.way)} />
              <strong>{each.title}</strong>
            </label>
            <p className="quiet small">{each.sentence}</p>
          </div>
        ))}
      </fieldset>
      {way === "keep" ? <NextStartWords binding={binding} /> : null}
      {way === "flush" ? <FlushWords binding={binding} /> : null}
      {way === "discard" ? <LossWarning binding={binding} sure={sure} onSure={setSure} /> : null}
      <ErrorNote error={stopping.error} />
      <p className="row">
        <ReasonedButton
          kind="primary"
          reason={way === "discard" && !sure ? "Confirm first that its state is to be discarded." : null}
          aria-disabled={stopping.isPending}
          onClick={() => stopping.mutate({ binding, way }, { onSuccess: onClose })}
        >
          {stopping.isPending ? "Stopping…" : WORDS[way]}
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Keep it running
        </button>
      </p>
    </ModalDialog>
  );
}
