import { useState } from "react";
import { Link } from "react-router";
import { ReasonedSubmit } from "../../components/actions/Reasoned";
import { DraftGuard } from "../../components/forms/DraftGuard";
import { SelectField, TextField } from "../../components/forms/Field";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { NextStartWords } from "../../components/runControl/NextStartWords";
import { Difference } from "../../components/values/Difference";
import { useReason, useSlug } from "../../lib/account/session";
import { BINDING_FORMS, bindingDraft, type Drafted, useDrafted } from "../../lib/drafts/drafts";
import { useVersionsOf } from "../../lib/resources/bindings";
import type { BindingChange, BindingResponse, QuerySummary, StreamSummary, VersionResponse } from "../../model/api";
import {
  type BindingTyped,
  inputNodes,
  inputOf,
  movedTo,
  otherInputs,
  readBinding,
  typedBinding,
} from "../../model/binding/bindingForm";
import { FreshnessLevelFields } from "./FreshnessLevelFields";
import { InputFields, inputPathOf, inputPaths } from "./InputFields";
import { CompletenessChoice, FreshnessChoice, QueryChoice } from "./QueryChoice";
import { useQueryChoices, useStreamChoices } from "./requests";

interface Props {
  binding: BindingResponse;
  saving: { isPending: boolean; error: Error | null };
  /** Resolves to false if the server refused. */
  onSave: (body: BindingChange, typed: BindingTyped, done: () => void) => Promise<boolean>;
}

interface StateEffectProps {
  binding: BindingResponse;
  typed: BindingTyped;
  after: VersionResponse | undefined;
}

/** The effect of the next start on the open state, before the change is saved. */
function StateEffect({ binding, typed, after }: StateEffectProps) {
  if (otherInputs(typed, binding))
    return (
      <p>
        Streams or time settings of its inputs also change, and the saved state belongs to the previous ones. The next
        start shows what happens to it, and asks before any state is discarded.
      </p>
    );
  if (after === undefined || after.id === binding.query_version) return null;
  return <NextStartWords binding={binding.id} version={after} />;
}

interface VersionProps {
  binding: BindingResponse;
  typed: BindingTyped;
  /** The versions of the chosen query, newest first. */
  versions: readonly VersionResponse[];
  /** The binding's current version, if known. */
  before: VersionResponse | undefined;
  queries: readonly QuerySummary[];
  onMove: (query: QuerySummary) => void;
  onChoose: (version: string) => void;
}

function QueryDifference({ binding, typed, versions, before, queries }: VersionProps) {
  const after = versions.find((each) => each.id === typed.version);
  if (before === undefined || after === undefined || before.id === after.id) return null;
  const moves = typed.query !== binding.query;
  const name = moves ? `${queries.find((each) => each.id === typed.query)?.name}, ` : "";
  return (
    <div className="stack">
      <p>
        From {moves ? `${binding.query_name}, ` : ""}version {before.number} to {name}version {after.number}:
      </p>
      <Difference before={before.text} after={after.text} label="Changes in the query" />
      {moves ? (
        <p className="quiet">
          Streams and settings of the old query’s inputs are not kept. Choose them below for the new inputs.
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
  if (!options.some(([id]) => id === typed.version)) options.push([typed.version, "the stored version"]);
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
          help="Newest first."
        />
      </div>
      <QueryDifference {...props} />
    </>
  );
}

function boundNodes({ inputs }: BindingResponse) {
  return inputs.map(({ node, stream_name }) => ({ node, stream: stream_name }));
}

const OWN_PATHS = [
  "name",
  "freshness",
  "completeness",
  "freshness_level.within_s",
  "freshness_level.share",
  "query_version",
];

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
      <CompletenessChoice value={typed.completeness} onChange={(completeness) => onChange({ completeness })} />
      <FreshnessLevelFields value={typed.level} onChange={(level) => onChange({ level })} />
    </div>
  );
}

interface FormProps extends Props {
  draft: Drafted<BindingTyped>;
  versions: readonly VersionResponse[];
  before: VersionResponse | undefined;
  queries: readonly QuerySummary[];
  streams: readonly StreamSummary[];
}

function Form({ binding, saving, onSave, draft, versions, before, queries, streams }: FormProps) {
  const reason = useReason("edit");
  const typed = draft.value;
  const change = (part: Partial<BindingTyped>) => draft.change({ ...typed, ...part });
  const chosen = versions.find((each) => each.id === typed.version);
  const nodes = chosen === undefined ? boundNodes(binding) : inputNodes(chosen);
  const save = async () => {
    if (reason !== null || saving.isPending) return false;
    const read = readBinding(
      typed,
      nodes.map(({ node }) => node),
    );
    return onSave(read, typed, draft.done);
  };
  const paths = nodes.flatMap(({ node }) => inputPaths(node, inputOf(typed, node)));
  return (
    <FaultyForm error={saving.error} paths={[...OWN_PATHS, ...paths]} pathOf={inputPathOf} onSubmit={() => void save()}>
      <DraftGuard draft={draft} what={BINDING_FORMS.settings} save={save} />
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
          typedInput={inputOf(typed, node)}
          streams={streams}
          others={nodes.flatMap((each) => (each.node === node ? [] : [each.node]))}
          onChange={(typedInput) => change({ inputs: { ...typed.inputs, [node]: typedInput } })}
        />
      ))}
      <StateEffect binding={binding} typed={typed} after={chosen} />
      <p className="row">
        <ReasonedSubmit reason={reason}>{saving.isPending ? "Saving…" : "Save binding"}</ReasonedSubmit>
        <span className="quiet">
          Freshness and service levels apply at once; all other changes apply from the next start.
        </span>
      </p>
    </FaultyForm>
  );
}

/** The form for a binding: its name, query, version, inputs and settings. */
export function BindingEditor(props: Props) {
  const { binding } = props;
  const [initial] = useState(() => typedBinding(binding));
  const draft = useDrafted<BindingTyped>(bindingDraft(binding.id), initial);
  const now = useVersionsOf(binding.query);
  const versions = useVersionsOf(draft.value.query);
  const [queries, streams] = [useQueryChoices(true), useStreamChoices()];
  const error = [now, versions, queries, streams].find((each) => each.isError)?.error;
  const loaded = versions.data !== undefined && queries.data !== undefined && streams.data !== undefined;
  return (
    <>
      {loaded ? null : <DraftGuard draft={draft} what={BINDING_FORMS.settings} />}
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
