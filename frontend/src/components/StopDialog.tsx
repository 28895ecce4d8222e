import { useState } from "react";
import { counted } from "../lib/numbers";
import { type StopWay, useNextStart, useStop } from "../lib/runControl";
import { Ask } from "./Ask";
import { CheckField } from "./Field";
import { NextStartWords, OpenNow } from "./NextStartWords";
import { ErrorNote } from "./Notices";
import { ReasonedButton } from "./Reasoned";

interface StopDialogProps {
  binding: string;
  name: string;
  onClose: () => void;
}

const WAYS: readonly { way: StopWay; title: string; sentence: string }[] = [
  {
    way: "keep",
    title: "Keep its state",
    sentence: "What is open stays open, and the next start goes on where this run stopped.",
  },
  {
    way: "flush",
    title: "Flush",
    sentence:
      "The results of open windows are released first, marked as incomplete, for inputs that close everything when they are flushed.",
  },
  {
    way: "discard",
    title: "Discard its state",
    sentence: "What is open is thrown away without a result. The next start cannot go on. Results that are there stay.",
  },
];
const WORDS: Record<StopWay, string> = { keep: "Stop", flush: "Flush and stop", discard: "Discard and stop" };

/** What is lost if the state is thrown away, and the word that it is meant. */
function Lost({ binding, sure, onSure }: { binding: string; sure: boolean; onSure: (sure: boolean) => void }) {
  const { data } = useNextStart(binding, true);
  const rows = data?.open_rows;
  return (
    <div className="stack">
      <p>
        Lost is what is open
        {rows == null || rows === 0 ? null : `, with at most ${counted(rows, "row")} that were read for it`}. No later
        start brings it back, unless it reads those rows again from the beginning, from a time or from positions.
      </p>
      <OpenNow binding={binding} />
      <CheckField label="Throw the state of this run away" checked={sure} onChange={onSure} />
    </div>
  );
}

function FlushWords({ binding }: { binding: string }) {
  return (
    <>
      <p>
        Windows are closed before they are whole: their results are marked as incomplete, and the next start reads again
        what was open, where the inputs still have it.
      </p>
      <OpenNow binding={binding} />
    </>
  );
}

/** Asks how to stop a binding's run, then asks for it. */
export function StopDialog({ binding, name, onClose }: StopDialogProps) {
  const [way, setWay] = useState<StopWay>("keep");
  const [sure, setSure] = useState(false);
  const stopping = useStop();
  return (
    <Ask title={`Stop ${name}?`} open onClose={onClose}>
      <p>The batch under way is finished.</p>
      <fieldset className="group stack">
        <legend>What becomes of its state</legend>
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
      {way === "discard" ? <Lost binding={binding} sure={sure} onSure={setSure} /> : null}
      <ErrorNote error={stopping.error} />
      <p className="row">
        <ReasonedButton
          kind="primary"
          reason={way === "discard" && !sure ? "Say first that its state is to be thrown away." : null}
          aria-disabled={stopping.isPending}
          onClick={() => stopping.mutate({ binding, way }, { onSuccess: onClose })}
        >
          {stopping.isPending ? "Asking…" : WORDS[way]}
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Let it run
        </button>
      </p>
    </Ask>
  );
}
