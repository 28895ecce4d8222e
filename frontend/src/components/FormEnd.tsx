import { ErrorNote } from "./Notices";

interface Props {
  /** What the button says, and what it says while the server is asked. */
  words: readonly [string, string];
  asking: { isPending: boolean; error: Error | null };
  onCancel: () => void;
}

/** How a form ends: why the server refused it, what sends it, and the way back. */
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
