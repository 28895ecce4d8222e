import { AdvanceTimeFields, type AdvanceTimeProps } from "../../../components/AdvanceTimeFields";

interface StripProps extends AdvanceTimeProps {
  input: string;
  /** Whether these are tried, and differ from what the query says. */
  tried: boolean;
  readOnly: boolean;
  applying: boolean;
  onApply: () => void;
  /** Applies them and stores the draft; null where there is no stored query. */
  onStore: (() => void) | null;
  onRevert: () => void;
}

function Tried({ applying, readOnly, onApply, onStore, onRevert }: StripProps) {
  return (
    <p className="sim-tried" role="status">
      <strong>Tried, not in the query.</strong>
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
        <span className="small quiet">Apply changes the draft; saving it, all of it, makes a new version.</span>
      ) : null}
    </p>
  );
}

/** How time moves on one input, to be tried at once and applied when it is right. */
export function SettingsStrip(props: StripProps) {
  const { input, others, settings, onChange, tried } = props;
  return (
    <fieldset className="sim-strip" data-tried={tried || undefined} aria-label={`Settings of time of ${input}`}>
      <strong className="sim-strip-name">{input}</strong>
      <AdvanceTimeFields {...{ others, settings, onChange }} />
      {tried ? <Tried {...props} /> : null}
    </fieldset>
  );
}
