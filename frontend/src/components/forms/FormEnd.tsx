import { ErrorNote } from "../notices/Notices";

interface Props {
  /** The button's label, and its label while the request is pending. */
  words: readonly [string, string];
  asking: { isPending: boolean; error: Error | null };
  onCancel: () => void;
}

/** The end of a form: the server's error, the submit button and Cancel. */
export function FormEnd({ words, asking, onCancel }: Props) {
  return (
    <>
      <ErrorNote error={asking.error} />
      <p className="row">
        <button type="submit" className="button" data-kind="primary" disabled={asking.isPending}>
          {asking.isPending ? words[1] : words[0]}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </>
  );
}
