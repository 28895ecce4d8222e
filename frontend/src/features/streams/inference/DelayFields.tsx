import { type CSSProperties, useId } from "react";
import { CheckField, TextField } from "../../../components/forms/Field";
import { Panel } from "../../../components/page/Panel";
import type { AdapterKind, DelayChoice, StreamProposal } from "../../../model/api";
import { givesAll, keptWords, plannedWords, takenTime } from "../../../model/stream/proposal";
import type { StreamForm } from "../../../model/stream/streamForm";
import { counted } from "../../../model/text/counts";

interface DelayFieldsProps {
  form: StreamForm;
  change: (part: Partial<StreamForm>) => void;
  kind: AdapterKind | undefined;
  proposal: StreamProposal | null;
}

interface ChoiceProps {
  choice: DelayChoice;
  group: string;
  taken: boolean;
  onTake: () => void;
}

function Choice({ choice, group, taken, onTake }: ChoiceProps) {
  return (
    <label className="row choice">
      <input type="radio" name={group} checked={taken} onChange={onTake} />
      <span>
        <strong>{choice.delay === "0s" ? "No delay" : choice.delay}</strong> {keptWords(choice)}{" "}
        <span className="share" style={{ "--kept": choice.kept } as CSSProperties} aria-hidden="true" />
        {choice.proposed ? <span className="quiet small"> proposed</span> : null}
      </span>
    </label>
  );
}

interface OwnClocksProps {
  form: StreamForm;
  change: DelayFieldsProps["change"];
  over: string;
  reason: string;
}

/** Use a clock for each value of a field, if the rows of one value follow those of another. */
function OwnClocks({ form, change, over, reason }: OwnClocksProps) {
  const set = (checked: boolean) => {
    const { over: _, ...others } = form.kept.advance;
    change({ kept: { ...form.kept, advance: checked ? { ...others, over } : others } });
  };
  return (
    <div>
      <CheckField
        label={`Separate clock for each value of ${over}`}
        checked={form.kept.advance.over === over}
        onChange={set}
      />
      <p className="quiet small">{reason}.</p>
    </div>
  );
}

/** The delay for late events: proposals with their effect on the sample, or a typed value. */
export function DelayFields({ form, change, kind, proposal }: DelayFieldsProps) {
  const group = useId();
  const time = givesAll(kind) ? proposal?.times[0] : takenTime(form, proposal);
  const choices = time?.lateness?.choices ?? [];
  return (
    <Panel
      title="3. How late can rows be?"
      note="A longer delay keeps more rows, but results wait longer. Later rows go to quarantine"
    >
      <div className="stack">
        {choices.length === 0 ? null : (
          <fieldset className="group stack">
            <legend>{`Based on a sample of ${counted(time?.lateness?.rows ?? 0, "row")}`}</legend>
            {choices.map((choice) => (
              <Choice
                key={choice.delay}
                choice={choice}
                group={group}
                taken={choice.delay === form.delay}
                onTake={() => change({ delay: choice.delay, generate: true })}
              />
            ))}
          </fieldset>
        )}
        {time?.over == null ? null : (
          <OwnClocks form={form} change={change} over={time.over} reason={time.over_reason ?? ""} />
        )}
        {form.kept.advance.preset || !form.generate ? null : (
          <TextField
            label="Delay"
            path="definition.advance.generate.delay"
            value={form.delay}
            onChange={(delay) => change({ delay })}
            help="How long to wait for late events, for example 10s, 500ms or 5m."
          />
        )}
        <p className="planned" role="status">
          {plannedWords(form, kind)}
        </p>
      </div>
    </Panel>
  );
}
