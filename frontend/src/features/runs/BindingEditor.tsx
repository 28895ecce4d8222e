import { useState } from "react";
import { Link } from "react-router";
import { Difference } from "../../components/Difference";
import { DraftGuard } from "../../components/DraftGuard";
import { SelectField, TextField } from "../../components/Field";
import { FaultyForm } from "../../components/FieldFaults";
import { ErrorNote, Waiting } from "../../components/Notices";
import { ReasonedSubmit } from "../../components/Reasoned";
import { useDrafted } from "../../lib/drafts";
import { useReason, useSlug } from "../../lib/session";
import type { BindingChange, BindingShown, Fault, StreamShown, VersionShown } from "../../model/api";
import { type BindingTyped, inputNodes, readBinding, typedBinding } from "../../model/bindingForm";
import { QueryChoice } from "./QueryChoice";
import { useStreamChoices, useVersionsOf } from "./queries";

interface Props {
  binding: BindingShown;
  saving: { isPending: boolean; error: Error | null };
  onSave: (body: BindingChange, typed: BindingTyped, done: () => void) => void;
}

interface InputProps {
  node: string;
  named: string;
  said: { stream: string; advance: string };
  streams: readonly StreamShown[];
  onChange: (said: { stream: string; advance: string }) => void;
}

function InputFields({ node, named, said, streams, onChange }: InputProps) {
  return (
    <fieldset className="group two tight">
      <legend>Input {node}</legend>
      <SelectField
        label="Stream"
        path={`inputs.${node}.stream`}
        value={said.stream}
        onChange={(stream) => onChange({ ...said, stream })}
        options={[["", `as the query names it: ${named}`], ...streams.map((each) => [each.id, each.name] as const)]}
      />
      {said.stream === "" ? null : (
        <TextField
          label="Own time settings (optional)"
          path={`inputs.${node}.advance`}
          value={said.advance}
          mono
          onChange={(advance) => onChange({ ...said, advance })}
          help={'As JSON, such as {"preset": "watermark(5s)"}. Empty: as the query says, else as the stream does.'}
        />
      )}
    </fieldset>
  );
}

function VersionFields({
  binding,
  chosen,
  versions,
  onChoose,
}: {
  binding: BindingShown;
  chosen: string;
  versions: readonly VersionShown[];
  onChoose: (version: string) => void;
}) {
  const slug = useSlug();
  const of = (id: string) => versions.find((each) => each.id === id);
  const [before, after] = [of(binding.query_version), of(chosen)];
  const options = versions.map((each) => {
    const comment = each.comment === "" ? "" : `: ${each.comment}`;
    return [each.id, `version ${each.number}${comment}`] as const;
  });
  if (before === undefined) options.push([binding.query_version, `version ${binding.query_version_number}`]);
  return (
    <>
      <SelectField
        label="Version of the query"
        path="query_version"
        value={chosen}
        onChange={onChoose}
        options={options}
        help={
          <>
            Of <Link to={`/t/${slug}/queries/${binding.query}`}>{binding.query_name}</Link>, the newest first.
          </>
        }
      />
      {chosen === binding.query_version || before === undefined || after === undefined ? null : (
        <div className="stack">
          <p>
            From version {before.number} to version {after.number}:
          </p>
          <Difference before={before.text} after={after.text} label="What changes in the query" />
        </div>
      )}
    </>
  );
}

/** A fault of an input names its node; what is no stream is about its settings. */
function pathOf({ node, field }: Fault): string | null {
  if (node === null) return field;
  return `inputs.${node}.${field === "stream" ? "stream" : "advance"}`;
}

function boundNodes({ inputs }: BindingShown) {
  return inputs.map(({ node, stream_name }) => ({ node, stream: stream_name }));
}

interface OwnProps {
  typed: BindingTyped;
  onChange: (part: Partial<BindingTyped>) => void;
}

function OwnFields({ typed, onChange }: OwnProps) {
  return (
    <div className="two tight">
      <TextField label="Name of the binding" path="name" value={typed.name} onChange={(name) => onChange({ name })} />
      <QueryChoice dedicated={typed.dedicated} onChange={(dedicated) => onChange({ dedicated })} />
      <TextField
        label="How fresh results must be (optional)"
        path="freshness"
        value={typed.freshness}
        onChange={(freshness) => onChange({ freshness })}
        help="At most this long between two batches, such as 200ms; a second if empty. Fresher costs more."
      />
    </div>
  );
}

interface FormProps extends Props {
  versions: readonly VersionShown[];
  streams: readonly StreamShown[];
}

function Form({ binding, saving, onSave, versions, streams }: FormProps) {
  const reason = useReason("edit");
  const [initial] = useState(() => typedBinding(binding));
  const draft = useDrafted<BindingTyped>(`binding ${binding.id}`, initial);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const typed = draft.value;
  const change = (part: Partial<BindingTyped>) => draft.change({ ...typed, ...part });
  const chosen = versions.find((each) => each.id === typed.version);
  const nodes = chosen === undefined ? boundNodes(binding) : inputNodes(chosen);
  const submit = () => {
    if (reason !== null || saving.isPending) return;
    const read = readBinding(
      typed,
      nodes.map(({ node }) => node),
      binding,
    );
    setWrong(read.wrong);
    if (Object.keys(read.wrong).length === 0) onSave(read.body, typed, draft.done);
  };
  const paths = nodes.flatMap(({ node }) => [`inputs.${node}.stream`, `inputs.${node}.advance`]);
  return (
    <>
      <DraftGuard draft={draft} />
      <FaultyForm
        error={saving.error}
        wrong={wrong}
        paths={["name", "freshness", "query_version", ...paths]}
        pathOf={pathOf}
        onSubmit={submit}
      >
        <OwnFields typed={typed} onChange={change} />
        <VersionFields
          binding={binding}
          chosen={typed.version}
          versions={versions}
          onChoose={(version) => change({ version })}
        />
        {nodes.map(({ node, stream }) => (
          <InputFields
            key={node}
            node={node}
            named={stream}
            said={typed.inputs[node] ?? { stream: "", advance: "" }}
            streams={streams}
            onChange={(said) => change({ inputs: { ...typed.inputs, [node]: said } })}
          />
        ))}
        <p className="row">
          <ReasonedSubmit reason={reason}>{saving.isPending ? "Saving…" : "Save the binding"}</ReasonedSubmit>
          <span className="quiet">It holds from the next start.</span>
        </p>
      </FaultyForm>
    </>
  );
}

/** The form in which a binding is renamed, moved to another version, and given other inputs and settings. */
export function BindingEditor(props: Props) {
  const versions = useVersionsOf(props.binding.query);
  const streams = useStreamChoices();
  if (versions.isPending || streams.isPending) return <Waiting>Loading versions and streams…</Waiting>;
  if (versions.isError || streams.isError) return <ErrorNote error={versions.error ?? streams.error} />;
  return <Form {...props} versions={versions.data} streams={streams.data} />;
}
