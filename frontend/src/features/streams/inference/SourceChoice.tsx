import { useState } from "react";
import { SelectField } from "../../../components/forms/Field";
import { SchemaForm } from "../../../components/forms/SchemaForm";
import { FaultList } from "../../../components/notices/FaultList";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { useSlug } from "../../../lib/account/session";
import type { AdapterKind, StreamProposal } from "../../../model/api";
import type { FormField, FormValues } from "../../../model/forms/schemaForm";
import type { StreamForm } from "../../../model/stream/streamForm";
import { counted } from "../../../model/text/counts";
import { FileUpload } from "../files/FileUpload";
import { useFiles } from "../files/requests";
import { BindingSource } from "./BindingSource";
import type { useProposal } from "./useProposal";

interface SourceChoiceProps {
  kinds: readonly AdapterKind[];
  form: StreamForm;
  fields: readonly FormField[];
  options: { values: FormValues; onChange: (values: FormValues) => void };
  onKind: (kind: string) => void;
  onFile: (path: string) => void;
  looking: ReturnType<typeof useProposal>;
  onLook: () => void;
  proposal: StreamProposal | null;
}

function KnownFiles({ onFile }: { onFile: (path: string) => void }) {
  const files = useFiles();
  const known = files.data?.files ?? [];
  if (known.length === 0) return null;
  return (
    <SelectField
      label="Or an existing file"
      value=""
      onChange={(path) => (path === "" ? undefined : onFile(path))}
      options={[["", "Choose one…"], ...known.map(({ path }) => [path, path] as const)]}
    />
  );
}

function ChosenFile({ path, onOther }: { path: string; onOther: () => void }) {
  return (
    <div className="found-file">
      <span>
        Reads <strong>{path}</strong>
      </span>
      <button type="button" className="button" onClick={onOther}>
        Another file…
      </button>
    </div>
  );
}

/** Return how many of the first rows a run would accept with the proposed settings. */
function checkedWords({ checked = 0, malformed = 0 }: StreamProposal): string {
  if (checked === 0) return "";
  const rows = `the first ${counted(checked, "row")}`;
  return malformed === 0
    ? ` A run can read all of ${rows}.`
    : ` Of ${rows}, ${counted(malformed, "is", "are")} malformed.`;
}

function Looking({ looking, proposal, onLook }: Pick<SourceChoiceProps, "looking" | "proposal" | "onLook">) {
  const faults = looking.data?.faults ?? [];
  return (
    <>
      {looking.isPending ? <Waiting>Reading a sample…</Waiting> : null}
      <ErrorNote error={looking.error} onRetry={onLook} />
      <FaultList faults={faults} />
      {proposal === null ? null : (
        <p className="quiet small" role="status">
          Based on {proposal.read}.{checkedWords(proposal)}
        </p>
      )}
      {proposal?.notes.map((note) => (
        <p key={note} className="small">
          {note}
        </p>
      ))}
    </>
  );
}

type AllOptionsProps = Pick<SourceChoiceProps, "fields" | "options"> & { adapter: string };

function AllOptions({ adapter, fields, options }: AllOptionsProps) {
  if (adapter === "binding") return <BindingSource {...options} />;
  return (
    <div className="schema">
      <SchemaForm fields={fields} path="adapter.options." {...options} />
    </div>
  );
}

function FileChoice({ path, onFile }: { path: string; onFile: (path: string) => void }) {
  const [other, setOther] = useState(false);
  const choose = (chosen: string) => {
    setOther(false);
    onFile(chosen);
  };
  if (path !== "" && !other) return <ChosenFile path={path} onOther={() => setOther(true)} />;
  return (
    <>
      <FileUpload onBrought={(file) => choose(file.path)} />
      <KnownFiles onFile={choose} />
    </>
  );
}

/** The source of the rows: an uploaded file, or another adapter with its options. */
export function SourceChoice({
  kinds,
  form,
  fields,
  options,
  onKind,
  onFile,
  looking,
  onLook,
  proposal,
}: SourceChoiceProps) {
  const slug = useSlug();
  const kind = kinds.find((each) => each.kind === form.adapter);
  const path = typeof options.values.path === "string" ? options.values.path : "";
  const ofFile = form.adapter === "file";
  const all = <AllOptions adapter={form.adapter} fields={fields} options={options} />;
  return (
    <Panel title="1. Where are the rows?" note={ofFile ? undefined : kind?.help}>
      <div className="stack">
        <SelectField
          label="Kind"
          path="adapter"
          value={form.adapter}
          onChange={onKind}
          options={kinds.map((each) => [each.kind, each.title] as const)}
        />
        <p className="small">
          <a href={`/t/${slug}/adapters/in/${form.adapter}`} target="_blank" rel="noopener">
            Options of {kind?.title ?? "the adapter"}
          </a>
        </p>
        {ofFile ? <FileChoice path={path} onFile={onFile} /> : null}
        {ofFile ? (
          <details className="folded">
            <summary>Folder, format and other options</summary>
            {all}
          </details>
        ) : (
          all
        )}
        <p className="row">
          <button type="button" className="button" onClick={onLook} aria-disabled={looking.isPending}>
            Read a sample
          </button>
          <span className="quiet small">Detects fields, times and lateness; nothing is stored.</span>
        </p>
        <Looking looking={looking} proposal={proposal} onLook={onLook} />
      </div>
    </Panel>
  );
}
