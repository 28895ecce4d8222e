import { useState } from "react";
import { DraftGuard } from "../../components/DraftGuard";
import { FaultyForm } from "../../components/FieldFaults";
import { ReasonedSubmit } from "../../components/Reasoned";
import { useDrafted } from "../../lib/drafts";
import { useReason } from "../../lib/session";
import type { AdapterKind, StreamBody, StreamProposal } from "../../model/api";
import { freeName } from "../../model/freeName";
import { nameOfFile, withProposal, withTime } from "../../model/proposal";
import { type FormField, type FormValues, formFields, readForm } from "../../model/schemaForm";
import {
  formFaults,
  formPaths,
  optionValues,
  type StreamForm,
  streamBody,
  withAdapter,
  withoutSecrets,
} from "../../model/streamForm";
import { FieldsFields, NameField, ShapeFields } from "./formParts";
import { HowLate } from "./found/HowLate";
import { useProposal } from "./found/useProposal";
import { When } from "./found/When";
import { Where } from "./found/Where";
import { AdvanceFields } from "./timeParts";

/** What is typed; `upon` is the revision of the stored stream on which it was begun. */
export interface TypedStream {
  form: StreamForm;
  options: FormValues;
  upon: string;
  /** What that revision said, as a text. */
  begun: string;
  /** What was found in a sample of the input that is typed. */
  proposal?: StreamProposal | null;
}

interface Props {
  kinds: readonly AdapterKind[];
  /** What the draft is kept under: another for each stream. */
  object: string;
  initial: TypedStream;
  words: readonly [string, string];
  saving: { isPending: boolean; error: Error | null };
  /** The id of the stream that is changed; null for a new one. */
  stream: string | null;
  /** Names that other streams have. */
  taken: readonly string[];
  /** Saves; `done` is to be called when it is saved. */
  onSave: (body: StreamBody, typed: TypedStream, done: () => void) => void;
}

function fieldsOf(kinds: readonly AdapterKind[], adapter: string): readonly FormField[] {
  const kind = kinds.find((each) => each.kind === adapter);
  return kind === undefined ? [] : formFields(kind.options_schema);
}

/** What is typed and what was found, and how each is taken into the other. */
function useTyping({ kinds, object, initial, stream, taken }: Props) {
  const draft = useDrafted<TypedStream>(object, initial, (typed) => ({
    ...typed,
    options: withoutSecrets(fieldsOf(kinds, typed.form.adapter), typed.options, initial.options),
  }));
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const looking = useProposal();
  const typed = draft.value;
  const fields = fieldsOf(kinds, typed.form.adapter);
  const kind = kinds.find((each) => each.kind === typed.form.adapter);
  const read = (options: FormValues) => {
    const found = readForm(fields, options);
    const inOptions = Object.entries(found.wrong).map(([path, said]) => [`adapter.options.${path}`, said]);
    return { options: found.options, wrong: Object.fromEntries(inOptions) as Record<string, string> };
  };
  const look = async (options: FormValues, name: string) => {
    const said = read(options);
    setWrong(said.wrong);
    draft.change({ ...typed, options, proposal: null });
    if (Object.keys(said.wrong).length > 0 || looking.isPending) return;
    const { proposal } = await looking
      .mutateAsync({ kind: typed.form.adapter, options: said.options, stream })
      .catch(() => ({ proposal: null }));
    if (proposal === null) return;
    const better = { ...options, ...optionValues(fields, proposal.options) };
    const form = { ...withProposal(typed.form, proposal, kind), name: typed.form.name || name };
    draft.change({ ...typed, options: better, form, proposal });
  };
  return {
    draft,
    typed,
    fields,
    kind,
    wrong,
    looking,
    check: () => {
      const said = read(typed.options);
      const found = { ...formFaults(typed.form), ...said.wrong };
      setWrong(found);
      return Object.keys(found).length === 0 ? said.options : null;
    },
    change: (part: Partial<StreamForm>) => draft.change({ ...typed, form: { ...typed.form, ...part } }),
    choose: (adapter: string) => {
      const chosen = kinds.find((each) => each.kind === adapter);
      if (chosen === undefined) return;
      looking.reset();
      draft.change({ ...typed, form: withAdapter(typed.form, chosen, kind), options: {}, proposal: null });
    },
    setOptions: (options: FormValues) => draft.change({ ...typed, options }),
    look: () => void look(typed.options, ""),
    takeFile: (path: string) => void look({ ...typed.options, path }, freeName(nameOfFile(path), taken)),
  };
}

function Folded({ typing, open }: { typing: ReturnType<typeof useTyping>; open: boolean }) {
  const { form } = typing.typed;
  const named = form.fields.filter(({ name }) => name.trim() !== "");
  return (
    <details className="folded" open={open}>
      <summary>
        Fields ({named.length}), shape and how time advances
        <span className="quiet small"> {named.map(({ name, type }) => `${name} ${type}`).join(", ")}</span>
      </summary>
      <div className="two">
        <div className="stack start">
          <FieldsFields form={form} change={typing.change} />
        </div>
        <div className="stack start">
          <ShapeFields form={form} change={typing.change} />
          <AdvanceFields form={form} change={typing.change} />
        </div>
      </div>
    </details>
  );
}

/** The form of a stream, new or stored: where, what time, how late; all else is found, and folded away. */
export function StreamEditor(props: Props) {
  const { kinds, words, saving, onSave } = props;
  const reason = useReason("edit");
  const typing = useTyping(props);
  const { draft, typed, fields, kind, wrong } = typing;
  const { form } = typed;
  const proposal = typed.proposal ?? null;
  const submit = () => {
    if (reason !== null || saving.isPending) return;
    const options = typing.check();
    if (options !== null) onSave(streamBody(form, options), typed, draft.done);
  };
  const faulty = saving.error !== null || Object.keys(wrong).length > 0;
  return (
    <>
      <DraftGuard draft={draft} secrets />
      <FaultyForm error={saving.error} wrong={wrong} paths={formPaths(form, fields)} onSubmit={submit}>
        <Where
          kinds={kinds}
          form={form}
          fields={fields}
          options={{ values: typed.options, onChange: typing.setOptions }}
          onKind={typing.choose}
          onFile={typing.takeFile}
          looking={typing.looking}
          onLook={typing.look}
          proposal={proposal}
        />
        <When
          form={form}
          change={typing.change}
          kind={kind}
          proposal={proposal}
          onTime={(time) =>
            proposal === null ? undefined : draft.change({ ...typed, form: withTime(form, proposal, time) })
          }
        />
        <HowLate form={form} change={typing.change} kind={kind} proposal={proposal} />
        <Folded typing={typing} open={faulty || (proposal === null && form.adapter !== "file")} />
        <div className="stack">
          <NameField form={form} change={typing.change} />
          <p className="row">
            <ReasonedSubmit reason={reason}>{saving.isPending ? words[1] : words[0]}</ReasonedSubmit>
          </p>
        </div>
      </FaultyForm>
    </>
  );
}
