import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { SelectField, TextField } from "../../../components/forms/Field";
import { Named } from "../../../components/forms/FieldFaults";
import { ErrorNote } from "../../../components/notices/Notices";
import { Elapsed } from "../../../components/values/Elapsed";
import { useSlug } from "../../../lib/account/session";
import { downloadFile, saveFile } from "../../../lib/api/download";
import {
  downloadedWords,
  FORMATS,
  progressWords,
  REVISIONS,
  REVISIONS_MEAN,
} from "../../../messages/results/resultExport";
import type { RunResponse } from "../../../model/api";
import { type DownloadProgress, type ExportChoice, exportParams, outputsOf } from "../../../model/results/resultExport";
import { useDefinition } from "../requests";
import { type RunScope, ScopeChoice } from "../scope";

const FIRST_CHOICE: ExportChoice = { format: "csv", output: "", from: "", to: "", revisions: "net", runs: "own" };

/** Download results: the choices, the progress, and the outcome of the last download. */
function useResultDownload(run: RunResponse) {
  const slug = useSlug();
  const aborting = useRef<AbortController | null>(null);
  const [progress, setProgress] = useState<DownloadProgress>({ received: 0, total: null });
  useEffect(() => () => aborting.current?.abort(), []);
  const downloading = useMutation({
    mutationFn: async (choice: ExportChoice) => {
      const own = new AbortController();
      aborting.current = own;
      setProgress({ received: 0, total: null });
      const path = `/api/t/${slug}/runs/${run.id}/results/file/?${exportParams(choice)}`;
      const file = await downloadFile(path, own.signal, setProgress).catch((error: unknown) => {
        if (own.signal.aborted) return null;
        throw error;
      });
      if (file === null) return null;
      saveFile(file);
      return { rows: file.rows, bytes: file.content.size };
    },
  });
  return { downloading, progress, cancel: () => aborting.current?.abort() };
}

interface FieldsProps {
  choice: ExportChoice;
  outputs: readonly string[];
  onChange: (choice: ExportChoice) => void;
}

function ChoiceFields({ choice, outputs, onChange }: FieldsProps) {
  const put = (change: Partial<ExportChoice>) => onChange({ ...choice, ...change });
  return (
    <>
      <SelectField label="Format" value={choice.format} options={FORMATS} onChange={(format) => put({ format })} />
      {outputs.length > 1 ? (
        <SelectField
          label="Output"
          value={choice.output}
          options={outputs.map((name) => [name, name])}
          onChange={(output) => put({ output })}
        />
      ) : null}
      <TextField
        label="From (start of the rows)"
        value={choice.from}
        onChange={(from) => put({ from })}
        help="ISO 8601, for example 2026-11-26T10:00Z. Without a zone it is UTC. Empty: from the first row."
      />
      <TextField
        label="To (before this time)"
        value={choice.to}
        onChange={(to) => put({ to })}
        help="Empty: to the last row."
      />
      <div className="stack tight">
        <Choices
          label="Rows"
          options={REVISIONS}
          value={choice.revisions}
          onChange={(revisions) => put({ revisions })}
        />
        <span className="help">
          <Named text={REVISIONS_MEAN[choice.revisions]} />
        </span>
      </div>
      <ScopeChoice value={choice.runs} onChange={(runs) => put({ runs })} />
    </>
  );
}

interface FormProps {
  run: RunResponse;
  choice: ExportChoice;
  onChoice: (choice: ExportChoice) => void;
  download: ReturnType<typeof useResultDownload>;
  onClose: () => void;
}

function ExportForm({ run, choice, onChoice, download, onClose }: FormProps) {
  const outputs = outputsOf(useDefinition(run.id, true).data?.graph);
  const { downloading, progress, cancel } = download;
  const chosen = { ...choice, output: choice.output || (outputs.length > 1 ? (outputs[0] ?? "") : "") };
  const { data, isPending } = downloading;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        downloading.mutate(chosen);
      }}
    >
      <ChoiceFields choice={chosen} outputs={outputs} onChange={onChoice} />
      <p className="quiet small">
        Each row also says whether it is final, how many rows that belonged to it were dropped (empty where that isn't
        known), and whether a repair added it.
      </p>
      <p role="status">
        {isPending ? progressWords(progress) : ""}
        {data ? downloadedWords(data) : ""} {isPending ? <Elapsed /> : null}
      </p>
      {isPending && progress.total ? (
        <progress aria-label="Received" value={progress.received} max={progress.total} />
      ) : null}
      <ErrorNote error={downloading.error} />
      <p className="row">
        <button type="submit" className="button" data-kind="primary" disabled={isPending}>
          {isPending ? "Downloading…" : "Download"}
        </button>
        {isPending ? (
          <button type="button" className="button" onClick={cancel}>
            Cancel the download
          </button>
        ) : null}
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </p>
    </form>
  );
}

/** A button that opens the choices of a file with the results; a download continues while they are closed. */
export function ResultExport({ run, scope }: { run: RunResponse; scope: RunScope }) {
  const [open, setOpen] = useState(false);
  const [choice, setChoice] = useState<ExportChoice>(FIRST_CHOICE);
  const download = useResultDownload(run);
  const show = () => {
    setChoice((before) => ({ ...before, runs: scope }));
    setOpen(true);
  };
  return (
    <>
      <button type="button" className="button" data-key="e" onClick={show}>
        {download.downloading.isPending ? "Downloading…" : "Download…"}
      </button>
      <ModalDialog title="Download results" open={open} onClose={() => setOpen(false)}>
        <ExportForm run={run} choice={choice} onChoice={setChoice} download={download} onClose={() => setOpen(false)} />
      </ModalDialog>
    </>
  );
}
