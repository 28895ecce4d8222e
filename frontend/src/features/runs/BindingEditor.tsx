import { useState } from "react";
import { Link } from "react-router";
import { Difference } from "../../components/Difference";
import { DraftGuard } from "../../components/DraftGuard";
import { SelectField, TextField } from "../../components/Field";
import { FaultyForm } from "../../components/FieldFaults";
import { NextStartWords } from "../../components/NextStartWords";
import { ErrorNote, Waiting } from "../../components/Notices";
import { ReasonedSubmit } from "../../components/Reasoned";
import { useVersionsOf } from "../../lib/bindings";
import { type Drafted, useDrafted } from "../../lib/drafts";
import { useReason, useSlug } from "../../lib/session";
import type { BindingChange, BindingShown, QueryShown, StreamShown, VersionShown } from "../../model/api";
import {
  type BindingTyped,
  inputNodes,
  inputOf,
  movedTo,
  otherInputs,
  readBinding,
  typedBinding,
} from "../../model/bindingForm";
import { InputFields, inputPathOf, inputPaths } from "./InputFields";
import { FreshnessChoice, QueryChoice } from "./QueryChoice";
import { useQueryChoices, useStreamChoices } from "./requests";

interface Props {
  binding: BindingShown;
  saving: { isPending: boolean; error: Error | null };
  onSave: (body: BindingChange, typed: BindingTyped, done: () => void) => void;
}

interface WhatBecomesProps {
  binding: BindingShown;
  typed: BindingTyped;
  after: VersionShown | undefined;
}

/** What the next start does with what is open, before the change that brings it about is saved. */
function WhatBecomes({ binding, typed, after }: WhatBecomesProps) {
  if (otherInputs(typed, binding))
    return (
      <p>
        Streams or time settings of its inputs are changed too. What is open belongs to those of before: the next start
        says what becomes of it, and asks before anything is left behind.
      </p>
    );
  if (after === undefined || after.id === binding.query_version) return null;
  return <NextStartWords binding={binding.id} version={after} />;
}

interface VersionProps {
  binding: BindingShown;
  typed: BindingTyped;
  /** Those of the chosen query, the newest first. */
  versions: readonly VersionShown[];
  /** The one that the binding runs, where it is known. */
  before: VersionShown | undefined;
  queries: readonly QueryShown[];
  onMove: (query: QueryShown) => void;
  onChoose: (version: string) => void;
}

function WhatChanges({ binding, typed, versions, before, queries }: VersionProps) {
  const after = versions.find((each) => each.id === typed.version);
  if (before === undefined || after === undefined || before.id === after.id) return null;
  const moves = typed.query !== binding.query;
  const name = moves ? `${queries.find((each) => each.id === typed.query)?.name}, ` : "";
  return (
    <div className="stack">
      <p>
        From {moves ? `${binding.query_name}, ` : ""}version {before.number} to {name}version {after.number}:
      </p>
      <Difference before={before.text} after={after.text} label="What changes in the query" />
      {moves ? (
        <p className="quiet">
          Streams and settings of the old query’s inputs are not taken along: choose them below for the new ones.
        </p>
      ) : null}
    </div>
  );
}

function VersionFields(props: VersionProps) {
  const { binding, typed, versions, queries, onMove, onChoose } = props;
  const slug = useSlug();
  const query = queries.find((each) => each.id === typed.query);
  const options = versions.map((each): readonly [string, string] => {
    const comment = each.comment === "" ? "" : `: ${each.comment}`;
    return [each.id, `version ${each.number}${comment}`];
  });
  if (!options.some(([id]) => id === typed.version)) options.push([typed.version, "the version that is stored"]);
  const move = (id: string) => {
    const chosen = queries.find((each) => each.id === id);
    if (chosen !== undefined) onMove(chosen);
  };
  return (
    <>
      <div className="two tight">
        <SelectField
          label="Query"
          value={typed.query}
          onChange={move}
          options={queries.map((each) => [each.id, each.name] as const)}
          help={<Link to={`/t/${slug}/queries/${typed.query}`}>Open {query?.name ?? binding.query_name}</Link>}
        />
        <SelectField
          label="Version of the query"
          path="query_version"
          value={typed.version}
          onChange={onChoose}
          options={options}
          help="The newest first."
        />
      </div>
      <WhatChanges {...props} />
    </>
  );
}

function boundNodes({ inputs }: BindingShown) {
  return inputs.map(({ node, stream_name }) => ({ node, stream: stream_name }));
}

interface OwnProps {
  typed: BindingTyped;
  onChange: (part: Partial<BindingTyped>) => void;
  batchSeconds: number | null;
}

function OwnFields({ typed, onChange, batchSeconds }: OwnProps) {
  return (
    <div className="two tight">
      <TextField label="Name of the binding" path="name" value={typed.name} onChange={(name) => onChange({ name })} />
      <QueryChoice dedicated={typed.dedicated} onChange={(dedicated) => onChange({ dedicated })} />
      <FreshnessChoice
        value={typed.freshness}
        onChange={(freshness) => onChange({ freshness })}
        batchSeconds={batchSeconds}
      />
    </div>
  );
}

interface FormProps extends Props {
  draft: Drafted<BindingTyped>;
  versions: readonly VersionShown[];
  before: VersionShown | undefined;
  queries: readonly QueryShown[];
  streams: readonly StreamShown[];
}

function Form({ binding, saving, onSave, draft, versions, before, queries, streams }: FormProps) {
  const reason = useReason("edit");
  const typed = draft.value;
  const change = (part: Partial<BindingTyped>) => draft.change({ ...typed, ...part });
  const chosen = versions.find((each) => each.id === typed.version);
  const nodes = chosen === undefined ? boundNodes(binding) : inputNodes(chosen);
  const submit = () => {
    if (reason !== null || saving.isPending) return;
    const read = readBinding(
      typed,
      nodes.map(({ node }) => node),
    );
    onSave(read, typed, draft.done);
  };
  const paths = nodes.flatMap(({ node }) => inputPaths(node, inputOf(typed, node)));
  return (
    <FaultyForm
      error={saving.error}
      paths={["name", "freshness", "query_version", ...paths]}
      pathOf={inputPathOf}
      onSubmit={submit}
    >
      <OwnFields typed={typed} onChange={change} batchSeconds={binding.latest_run?.progress?.batch_s ?? null} />
      <VersionFields
        binding={binding}
        typed={typed}
        versions={versions}
        before={before}
        queries={queries}
        onMove={({ id, current }) => draft.change(movedTo(typed, { id, version: current.id }, binding))}
        onChoose={(version) => change({ version })}
      />
      {nodes.map(({ node, stream }) => (
        <InputFields
          key={node}
          node={node}
          named={stream}
          said={inputOf(typed, node)}
          streams={streams}
          others={nodes.flatMap((each) => (each.node === node ? [] : [each.node]))}
          onChange={(said) => change({ inputs: { ...typed.inputs, [node]: said } })}
        />
      ))}
      <WhatBecomes binding={binding} typed={typed} after={chosen} />
      <p className="row">
        <ReasonedSubmit reason={reason}>{saving.isPending ? "Saving…" : "Save the binding"}</ReasonedSubmit>
        <span className="quiet">Freshness holds at once, all else from the next start.</span>
      </p>
    </FaultyForm>
  );
}

/** The form in which a binding is renamed, moved to another query or version, and given other inputs and settings. */
export function BindingEditor(props: Props) {
  const { binding } = props;
  const [initial] = useState(() => typedBinding(binding));
  const draft = useDrafted<BindingTyped>(`binding ${binding.id}`, initial);
  const now = useVersionsOf(binding.query);
  const versions = useVersionsOf(draft.value.query);
  const [queries, streams] = [useQueryChoices(true), useStreamChoices()];
  const error = [now, versions, queries, streams].find((each) => each.isError)?.error;
  const loaded = versions.data !== undefined && queries.data !== undefined && streams.data !== undefined;
  return (
    <>
      <DraftGuard draft={draft} />
      <ErrorNote error={error} />
      {loaded ? (
        <Form
          {...props}
          draft={draft}
          versions={versions.data}
          before={now.data?.find((each) => each.id === binding.query_version)}
          queries={queries.data}
          streams={streams.data}
        />
      ) : error === undefined ? (
        <Waiting>Loading versions and streams…</Waiting>
      ) : null}
    </>
  );
}
