import { useState } from "react";
import { useNavigate } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { SelectField } from "../../../components/forms/Field";
import { FaultList } from "../../../components/notices/FaultList";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { Scroll } from "../../../components/page/Scroll";
import { useReason, useSlug } from "../../../lib/account/session";
import type {
  ChosenStream,
  OwnQueryPreview,
  TemplateDetailResponse,
  TemplateInput,
  TemplateStream,
} from "../../../model/api";
import { fitting, guessed, type OwnChoice, proposedChoice, unfinished } from "../../../model/stream/ownStreams";
import { useTakeOnStreams, useTemplateInputs, useTemplatePreview } from "./requests";

/** The streams that do not match an input, and why. */
function Unfitting({ streams }: { streams: readonly TemplateStream[] }) {
  return (
    <ul className="small">
      {streams.map(({ id, name, missing }) => (
        <li key={id}>
          <code>{name}</code>: {missing.join(" ")}
        </li>
      ))}
    </ul>
  );
}

function NoneFits({ streams }: { streams: readonly TemplateStream[] }) {
  return (
    <Notice tone="unknown">
      <p>
        {streams.length === 0 ? "You have no streams yet." : "None of your streams matches. Missing for this input:"}
      </p>
      <Unfitting streams={streams} />
    </Notice>
  );
}

interface InputProps {
  input: TemplateInput;
  chosen: ChosenStream | undefined;
  onChoose: (chosen: ChosenStream) => void;
}

function Fields({ stream, chosen, onChoose }: { stream: TemplateStream } & Required<Omit<InputProps, "input">>) {
  return (
    <div className="two tight">
      {stream.fields.map(({ field, type, offered, proposed, reason }) => {
        const value = chosen?.fields[field] ?? proposed;
        return (
          <SelectField
            key={field}
            label={`${field} (${type})`}
            value={value}
            options={offered.map((each) => [each.name, `${each.name}: ${each.type}`] as const)}
            onChange={(own) => onChoose({ stream: stream.id, fields: { ...chosen?.fields, [field]: own } })}
            help={value === proposed ? reason : "Your choice."}
          />
        );
      })}
    </div>
  );
}

/** Select the stream of an input, and the fields that replace those of the template. */
function InputChoice({ input, chosen, onChoose }: InputProps) {
  const streams = fitting(input);
  const others = input.streams.filter(({ missing }) => missing.length > 0);
  const stream = streams.find(({ id }) => id === chosen?.stream);
  return (
    <fieldset className="group stack">
      <legend>{input.input}</legend>
      <p className="quiet small">Requires {input.needs}.</p>
      {stream === undefined ? (
        <NoneFits streams={others} />
      ) : (
        <>
          <SelectField
            label={`Your stream for ${input.input}`}
            value={stream.id}
            options={streams.map(({ id, name }) => [id, name] as const)}
            onChange={(id) => onChoose(guessed(streams.find((each) => each.id === id) ?? stream))}
            help={stream.note}
          />
          <Fields stream={stream} chosen={chosen} onChoose={onChoose} />
          {others.length === 0 ? null : (
            <details>
              <summary>Why other streams are not listed</summary>
              <Unfitting streams={others} />
            </details>
          )}
        </>
      )}
    </fieldset>
  );
}

/** The resulting query, its errors, and whether the template's scenario is included. */
function Preview({ preview }: { preview: OwnQueryPreview }) {
  return (
    <div className="stack" aria-live="polite">
      <h3>Your query</h3>
      <Scroll label="Your query as SQL" tall panel>
        <pre className="own-query">{preview.text}</pre>
      </Scroll>
      {preview.faults.length > 0 ? <FaultList faults={preview.faults} /> : <p>Checked: no problems.</p>}
      <p className="quiet small">{preview.scenario_words}</p>
    </div>
  );
}

interface ChoosingProps {
  template: TemplateDetailResponse;
  inputs: readonly TemplateInput[];
  onTake: () => void;
  onClose: () => void;
}

function faultReason(preview: OwnQueryPreview | undefined, asking: boolean): string | null {
  if (preview === undefined || asking) return "The query is being checked.";
  const wrong = preview.faults.some(({ severity }) => severity === "error");
  return wrong ? "The query has errors. Choose other streams or fields." : null;
}

function Choosing({ template, inputs, onTake, onClose }: ChoosingProps) {
  const slug = useSlug();
  const navigate = useNavigate();
  const edit = useReason("edit");
  const [choice, choose] = useState<OwnChoice>(() => proposedChoice(inputs));
  const open = unfinished(inputs, choice);
  const preview = useTemplatePreview(template.name, open === null ? choice : null);
  const taking = useTakeOnStreams(template.name);
  const make = () =>
    taking.mutate(choice, {
      onSuccess: ({ query }) => {
        const samples = query.streams.map(({ name }) => `sample=${encodeURIComponent(name)}`).join("&");
        void navigate(`/t/${slug}/queries/${query.id}?${samples}`);
      },
    });
  const reason = edit ?? open ?? faultReason(preview.data, preview.isFetching);
  return (
    <>
      {inputs.map((input) => (
        <InputChoice
          key={input.input}
          input={input}
          chosen={choice[input.input]}
          onChoose={(chosen) => choose({ ...choice, [input.input]: chosen })}
        />
      ))}
      {open === null ? null : <p>{open} The template includes its own streams with sample rows.</p>}
      {open === null && preview.data !== undefined ? <Preview preview={preview.data} /> : null}
      <ErrorNote error={open === null ? preview.error : null} onRetry={() => void preview.refetch()} />
      <ErrorNote error={taking.error} />
      <p className="row">
        <ReasonedButton reason={reason} kind="primary" onClick={make}>
          {taking.isPending ? "Creating…" : "Create query"}
        </ReasonedButton>
        <ReasonedButton reason={edit} onClick={onTake}>
          Use the template's own streams
        </ReasonedButton>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </>
  );
}

interface OwnStreamsProps {
  template: TemplateDetailResponse;
  onTake: () => void;
  onClose: () => void;
}

/** A dialog that connects a template to the organisation's streams. */
export function OwnStreams({ template, onTake, onClose }: OwnStreamsProps) {
  const inputs = useTemplateInputs(template.name);
  return (
    <ModalDialog title={`${template.title} with your streams`} open wide onClose={onClose}>
      <p>
        Choose the streams for the template. The query then uses your names and opens in the simulator with the first
        rows of these streams.
      </p>
      <ErrorNote error={inputs.error} onRetry={() => void inputs.refetch()} />
      {inputs.isPending ? <Waiting>Finding matching streams…</Waiting> : null}
      {inputs.data === undefined ? null : (
        <Choosing template={template} inputs={inputs.data} onTake={onTake} onClose={onClose} />
      )}
    </ModalDialog>
  );
}
