import { useRef, useState } from "react";
import { ActionButton } from "../../../components/ActionButton";
import { Ask } from "../../../components/Ask";
import { ErrorNote } from "../../../components/Notices";
import { ReasonedButton } from "../../../components/Reasoned";
import type { TranscriptRead } from "../../../model/api";
import { useScenarioActions } from "./requests";

/** A transcript of a file becomes a scenario; what of it is not taken is said before it is stored. */
export function UploadTranscript({ query, reason }: { query: string; reason: string | null }) {
  const { readTranscript, create } = useScenarioActions(query);
  const [read, setRead] = useState<TranscriptRead | null>(null);
  const [error, setError] = useState<unknown>(null);
  const file = useRef<HTMLInputElement>(null);
  const close = () => setRead(null);
  const take = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    setError(null);
    try {
      setRead(await readTranscript(await chosen.text()));
    } catch (failure) {
      setError(failure);
    }
    if (file.current !== null) file.current.value = "";
  };
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => file.current?.click()}>
        Upload a transcript…
      </ReasonedButton>
      <input
        ref={file}
        type="file"
        hidden
        accept=".yaml,.yml"
        aria-label="Transcript to upload"
        onChange={(event) => void take(event.target.files?.[0])}
      />
      <ErrorNote error={error} />
      <Ask title={`Keep ${read?.scenario.name ?? ""} as a scenario`} open={read !== null} onClose={close}>
        {read === null ? null : (
          <>
            <p>It is run on this query, with your streams as they are.</p>
            {read.notes.length === 0 ? null : (
              <ul>
                {read.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
            <div className="row">
              <ActionButton
                words={["Keep it", "Keeping it…"]}
                act={() => create(read.scenario)}
                onDone={close}
                kind="primary"
              />
              <button type="button" className="button" onClick={close}>
                Cancel
              </button>
            </div>
          </>
        )}
      </Ask>
    </>
  );
}
