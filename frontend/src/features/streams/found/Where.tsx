import { useState } from "react";
import { FaultList } from "../../../components/FaultList";
import { SelectField } from "../../../components/Field";
import { ErrorNote, Waiting } from "../../../components/Notices";
import { Panel } from "../../../components/Panel";
import { SchemaForm } from "../../../components/SchemaForm";
import { useSlug } from "../../../lib/session";
import type { AdapterKind, StreamProposal } from "../../../model/api";
import type { FormField, FormValues } from "../../../model/schemaForm";
import type { StreamForm } from "../../../model/streamForm";
import { BringFile } from "../files/BringFile";
import { useFiles } from "../files/requests";
import { FromBinding } from "./FromBinding";
import type { useProposal } from "./useProposal";

interface WhereProps {
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
      label="Or a file that is here already"
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
        It reads <strong>{path}</strong>
      </span>
      <button type="button" className="button" onClick={onOther}>
        Another file…
      </button>
    </div>
  );
}

function Looking({ looking, proposal, onLook }: Pick<WhereProps, "looking" | "proposal" | "onLook">) {
  const faults = looking.data?.faults ?? [];
  return (
    <>
      {looking.isPending ? <Waiting>Looking at a sample…</Waiting> : null}
      <ErrorNote error={looking.error} onRetry={onLook} />
      <FaultList faults={faults} />
      {proposal === null ? null : (
        <p className="quiet small" role="status">
          Looked at {proposal.read}.
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

/** Where the rows are: a file that is brought, or another adapter with its options. */
export function Where({ kinds, form, fields, options, onKind, onFile, looking, onLook, proposal }: WhereProps) {
  const slug = useSlug();
  const [other, setOther] = useState(false);
  const kind = kinds.find((each) => each.kind === form.adapter);
  const path = typeof options.values.path === "string" ? options.values.path : "";
  const ofFile = form.adapter === "file";
  const choose = (chosen: string) => {
    setOther(false);
    onFile(chosen);
  };
  const all =
    form.adapter === "binding" ? (
      <FromBinding {...options} />
    ) : (
      <div className="schema">
        <SchemaForm fields={fields} path="adapter.options." {...options} />
      </div>
    );
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
            What can be set of {kind?.title ?? "it"}
          </a>
        </p>
        {ofFile && path !== "" && !other ? <ChosenFile path={path} onOther={() => setOther(true)} /> : null}
        {ofFile && (path === "" || other) ? (
          <>
            <BringFile onBrought={(file) => choose(file.path)} />
            <KnownFiles onFile={choose} />
          </>
        ) : null}
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
            Look at a sample
          </button>
          <span className="quiet small">Finds fields, times and lateness; nothing is stored.</span>
        </p>
        <Looking looking={looking} proposal={proposal} onLook={onLook} />
      </div>
    </Panel>
  );
}
