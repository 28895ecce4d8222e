import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from "react";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Notice } from "../../../components/notices/Notices";
import { useReason } from "../../../lib/account/session";
import { bytesWords } from "../../../messages/organisation/quotas";
import type { FileResponse } from "../../../model/api";
import "./files.css";
import { type UploadingFile, useFileUpload } from "./useFileUpload";

const KINDS = ".csv,.txt,.json,.jsonl,.ndjson,.parquet,.pq,.gz,.zst,.wasm";

function Progress({ file, onStop }: { file: UploadingFile; onStop: () => void }) {
  const label = file.state === "looking" ? `Checking ${file.name}…` : `Uploading ${file.name}`;
  return (
    <div className="stack" role="status">
      <p>
        {label}{" "}
        <span className="quiet num">
          {bytesWords(file.arrived)} of {bytesWords(file.size)}
        </span>
      </p>
      <progress aria-label={label} max={file.size} value={file.arrived} />
      {file.state === "looking" ? null : (
        <p className="row">
          <button type="button" className="button" onClick={onStop}>
            Stop
          </button>
          <span className="quiet small">
            The uploaded part is kept for three days. Choose the same file again to continue.
          </span>
        </p>
      )}
    </div>
  );
}

function Exists({ file, onReplace, onStop }: { file: UploadingFile; onReplace: () => void; onStop: () => void }) {
  return (
    <Notice tone="busy">
      <p>{file.error?.message} Runs that are reading the old file will stop with an error.</p>
      <p className="row">
        <button type="button" className="button" onClick={onReplace}>
          Replace
        </button>
        <button type="button" className="button" onClick={onStop}>
          Keep the old file
        </button>
      </p>
    </Notice>
  );
}

interface PasteProps {
  onText: (text: string) => void;
}

function Paste({ onText }: PasteProps) {
  const id = useId();
  const [text, setText] = useState("");
  return (
    <details className="paste">
      <summary>Or paste rows</summary>
      <div className="field">
        <label htmlFor={id}>CSV with a header line, or JSON Lines</label>
        <textarea id={id} className="mono" rows={6} value={text} onChange={(event) => setText(event.target.value)} />
      </div>
      <p>
        <button type="button" className="button" disabled={text.trim() === ""} onClick={() => onText(text)}>
          Upload these rows
        </button>
      </p>
    </details>
  );
}

/** Return a file name for pasted rows. */
function pastedName(text: string): string {
  return `pasted_${Date.now()}.${text.trimStart().startsWith("{") ? "jsonl" : "csv"}`;
}

interface DropProps {
  /** The reason why uploads aren't allowed; null if they are. */
  reason: string | null;
  onFile: (file: File | undefined) => void;
}

function Drop({ reason, onFile }: DropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer.files[0]);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <section
      className="drop"
      aria-label="Drop a file here"
      data-over={over}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onPaste={(event: ClipboardEvent) => onFile(event.clipboardData.files[0])}
    >
      <p>
        <strong>Drop a file here</strong>, or{" "}
        <ReasonedButton reason={reason} kind="primary" onClick={() => input.current?.click()}>
          Choose a file…
        </ReasonedButton>
      </p>
      <p className="quiet small">CSV, JSON Lines or Parquet, uncompressed or compressed with gzip or Zstandard.</p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to upload"
        accept={KINDS}
        onChange={(event) => {
          onFile(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </section>
  );
}

interface FileUploadProps {
  onBrought: (file: FileResponse) => void;
}

/** Upload a dropped, chosen or pasted file, with its progress. */
export function FileUpload({ onBrought }: FileUploadProps) {
  const reason = useReason("edit");
  const { brought, bring, stop, replace } = useFileUpload(onBrought);
  const busy = brought !== null && brought.state !== "failed";
  const take = (file: File | undefined) => {
    if (file !== undefined && !busy && reason === null) void bring(file);
  };
  const paste = (text: string) => take(new File([text.endsWith("\n") ? text : `${text}\n`], pastedName(text)));
  if (busy) {
    return brought.state === "there" ? (
      <Exists file={brought} onReplace={() => void replace()} onStop={stop} />
    ) : (
      <Progress file={brought} onStop={stop} />
    );
  }
  return (
    <div className="stack">
      <ErrorNote error={brought?.error} />
      <Drop reason={reason} onFile={take} />
      <Paste onText={paste} />
    </div>
  );
}
