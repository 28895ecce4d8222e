import { AdvanceTimeFields, type AdvanceTimeProps } from "../../../../components/forms/AdvanceTimeFields";

interface StripProps extends AdvanceTimeProps {
  input: string;
  /** True if these settings are on trial and differ from those of the query. */
  tried: boolean;
  readOnly: boolean;
  applying: boolean;
  onApply: () => void;
  /** Apply them and store the draft; null without a stored query. */
  onStore: (() => void) | null;
  onRevert: () => void;
}

function Tried({ applying, readOnly, onApply, onStore, onRevert }: StripProps) {
  return (
    <p className="sim-tried" role="status">
      <strong>On trial, not in the query.</strong>
      {readOnly ? null : (
        <button type="button" className="button" data-kind="primary" disabled={applying} onClick={onApply}>
          {applying ? "Applying…" : "Apply"}
        </button>
      )}
      {readOnly || onStore === null ? null : (
        <button type="button" className="button" disabled={applying} onClick={onStore}>
          Apply and save
        </button>
      )}
      <button type="button" className="button" onClick={onRevert}>
        Revert
      </button>
      {onStore !== null && !readOnly ? (
        <span className="small quiet">Apply changes the draft. Saving stores the whole draft as a new version.</span>
      ) : null}
    </p>
  );
}

/** Time settings of one input, to try at once and apply when they are right. */
export function SettingsStrip(props: StripProps) {
  const { input, others, settings, onChange, tried } = props;
  return (
    <fieldset className="sim-strip" data-tried={tried || undefined} aria-label={`Time settings of ${input}`}>
      <strong className="sim-strip-name">{input}</strong>
      <AdvanceTimeFields {...{ others, settings, onChange }} />
      {tried ? <Tried {...props} /> : null}
    </fieldset>
  );
}
