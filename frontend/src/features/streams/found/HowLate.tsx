import { type CSSProperties, useId } from "react";
import { TextField } from "../../../components/Field";
import { Panel } from "../../../components/Panel";
import type { AdapterKind, DelayChoice, StreamProposal } from "../../../model/api";
import { givesAll, keptWords, plannedWords, takenTime } from "../../../model/proposal";
import type { StreamForm } from "../../../model/streamForm";

interface HowLateProps {
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

/** How long late events are waited for: the choices with what each keeps of the sample, or a delay that is typed. */
export function HowLate({ form, change, kind, proposal }: HowLateProps) {
  const group = useId();
  const time = givesAll(kind) ? proposal?.times[0] : takenTime(form, proposal);
  const choices = time?.lateness?.choices ?? [];
  return (
    <Panel
      title="3. How late may it come?"
      note="A longer delay keeps more rows; results wait as much longer. What comes later is seen in quarantine."
    >
      <div className="stack">
        {choices.length === 0 ? null : (
          <fieldset className="group stack">
            <legend>What the sample says</legend>
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
        {form.kept.advance.preset || !form.generate ? null : (
          <TextField
            label="Delay"
            path="definition.advance.generate.delay"
            value={form.delay}
            onChange={(delay) => change({ delay })}
            help="How long late events are waited for, such as 10s, 500ms or 5m."
          />
        )}
        <p className="planned" role="status">
          {plannedWords(form, kind)}
        </p>
      </div>
    </Panel>
  );
}
