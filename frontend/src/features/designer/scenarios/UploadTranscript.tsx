import { useRef, useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote } from "../../../components/notices/Notices";
import type { TranscriptRead } from "../../../model/api";
import { useScenarioActions } from "./requests";

/** Turn a transcript file into a scenario. Unsupported parts are listed before it is stored. */
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
      <ModalDialog title={`Save ${read?.scenario.name ?? ""} as a scenario`} open={read !== null} onClose={close}>
        {read === null ? null : (
          <>
            <p>It runs on this query, with your current streams.</p>
            {read.notes.length === 0 ? null : (
              <ul>
                {read.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
            <div className="row">
              <ActionButton
                words={["Save scenario", "Saving…"]}
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
      </ModalDialog>
    </>
  );
}
