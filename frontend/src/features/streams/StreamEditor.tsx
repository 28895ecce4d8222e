import { useState } from "react";
import { ReasonedSubmit } from "../../components/actions/Reasoned";
import { DraftGuard } from "../../components/forms/DraftGuard";
import { FaultyForm } from "../../components/forms/FieldFaults";
import { useReason } from "../../lib/account/session";
import { useDrafted } from "../../lib/drafts/drafts";
import type { AdapterKind, StreamBody, StreamProposal } from "../../model/api";
import { type FormField, type FormValues, formFields, readForm } from "../../model/forms/schemaForm";
import { nameOfFile, withProposal, withTime } from "../../model/stream/proposal";
import {
  formFaults,
  formPaths,
  optionValues,
  type StreamForm,
  streamBody,
  withAdapter,
  withoutSecrets,
} from "../../model/stream/streamForm";
import { freeName } from "../../model/text/freeName";
import { FieldsFields, NameField, ShapeFields } from "./formParts";
import { DelayFields } from "./inference/DelayFields";
import { EventTimeChoice } from "./inference/EventTimeChoice";
import { SourceChoice } from "./inference/SourceChoice";
import { useProposal } from "./inference/useProposal";
import { AdvanceFields } from "./timeParts";

/** The user's input; `upon` is the base revision of the stored stream. */
export interface TypedStream {
  form: StreamForm;
  options: FormValues;
  upon: string;
  /** The content of that revision, as a text. */
  begun: string;
  /** The settings inferred from a sample of the input. */
  proposal?: StreamProposal | null;
}

interface Props {
  kinds: readonly AdapterKind[];
  /** The key of the draft, different for each stream. */
  object: string;
  initial: TypedStream;
  words: readonly [string, string];
  saving: { isPending: boolean; error: Error | null };
  /** The id of the edited stream; null for a new one. */
  stream: string | null;
  /** Names of other streams. */
  taken: readonly string[];
  /** Save the stream; call `done` when it is saved. */
  onSave: (body: StreamBody, typed: TypedStream, done: () => void) => void;
}

function fieldsOf(kinds: readonly AdapterKind[], adapter: string): readonly FormField[] {
  const kind = kinds.find((each) => each.kind === adapter);
  return kind === undefined ? [] : formFields(kind.options_schema);
}

/** Return the options other than those about the format of one file. */
function ofAnyFile({ delimiter: _, dialect: __, format: ___, columns: ____, ...others }: FormValues): FormValues {
  return others;
}

/** The typed and the inferred settings, and the functions that merge them. */
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
    const inOptions = Object.entries(found.wrong).map(([path, message]) => [`adapter.options.${path}`, message]);
    return { options: found.options, wrong: Object.fromEntries(inOptions) as Record<string, string> };
  };
  const look = async (options: FormValues, name: string) => {
    const message = read(options);
    setWrong(message.wrong);
    draft.change({ ...typed, options, proposal: null });
    if (Object.keys(message.wrong).length > 0 || looking.isPending) return;
    const { proposal } = await looking
      .mutateAsync({ kind: typed.form.adapter, options: message.options, stream })
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
      const message = read(typed.options);
      const found = { ...formFaults(typed.form), ...message.wrong };
      setWrong(found);
      return Object.keys(found).length === 0 ? message.options : null;
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
    takeFile: (path: string) => void look({ ...ofAnyFile(typed.options), path }, freeName(nameOfFile(path), taken)),
  };
}

function Folded({ typing, open }: { typing: ReturnType<typeof useTyping>; open: boolean }) {
  const { form } = typing.typed;
  const named = form.fields.filter(({ name }) => name.trim() !== "");
  return (
    <details className="folded" open={open}>
      <summary>
        Fields ({named.length}), shape and time settings
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

/** The form of a new or stored stream: source, event time and delay; inferred settings are folded away. */
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
        <SourceChoice
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
        <EventTimeChoice
          form={form}
          change={typing.change}
          kind={kind}
          proposal={proposal}
          onTime={(time) =>
            proposal === null ? undefined : draft.change({ ...typed, form: withTime(form, proposal, time) })
          }
        />
        <DelayFields form={form} change={typing.change} kind={kind} proposal={proposal} />
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
