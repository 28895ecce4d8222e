import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from "react";
import { ErrorNote, Notice } from "../../../components/Notices";
import { ReasonedButton } from "../../../components/Reasoned";
import { useReason } from "../../../lib/session";
import type { FileShown } from "../../../model/api";
import { bytesWords } from "../../../model/quotas";
import "./files.css";
import { type BroughtFile, useBringing } from "./useBringing";

const KINDS = ".csv,.txt,.json,.jsonl,.ndjson,.parquet,.pq,.gz,.zst";

function Progress({ file, onStop }: { file: BroughtFile; onStop: () => void }) {
  const label = file.state === "looking" ? `Looking at ${file.name}…` : `Sending ${file.name}`;
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
          <span className="quiet small">What has arrived is kept for three days: choose the file again to go on.</span>
        </p>
      )}
    </div>
  );
}

function Exists({ file, onReplace, onStop }: { file: BroughtFile; onReplace: () => void; onStop: () => void }) {
  return (
    <Notice tone="busy">
      <p>{file.error?.message} Runs that are reading the old one end with a sentence about it.</p>
      <p className="row">
        <button type="button" className="button" onClick={onReplace}>
          Replace it
        </button>
        <button type="button" className="button" onClick={onStop}>
          Keep the old one
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
        <label htmlFor={id}>CSV with a line of names, or JSON lines</label>
        <textarea id={id} className="mono" rows={6} value={text} onChange={(event) => setText(event.target.value)} />
      </div>
      <p>
        <button type="button" className="button" disabled={text.trim() === ""} onClick={() => onText(text)}>
          Bring these rows
        </button>
      </p>
    </details>
  );
}

/** A name for rows that were pasted. */
function pastedName(text: string): string {
  return `pasted_${Date.now()}.${text.trimStart().startsWith("{") ? "jsonl" : "csv"}`;
}

interface DropProps {
  /** Why nothing can be brought; null if it can. */
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
      <p className="quiet small">CSV, JSON lines or Parquet, plain or packed with gzip or Zstandard.</p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to bring"
        accept={KINDS}
        onChange={(event) => {
          onFile(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </section>
  );
}

interface BringFileProps {
  onBrought: (file: FileShown) => void;
}

/** Where a file is dropped, chosen or pasted, and how far it has come. */
export function BringFile({ onBrought }: BringFileProps) {
  const reason = useReason("edit");
  const { brought, bring, stop, replace } = useBringing(onBrought);
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
