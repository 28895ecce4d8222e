import { ErrorNote } from "../notices/Notices";

interface ButtonProps {
  /** The submit button's label, and its label while the request is pending. */
  words: readonly [string, string];
  isPending: boolean;
  onCancel: () => void;
}

/** The submit button and Cancel, for forms that show the server's errors at their fields. */
export function FormButtons({ words, isPending, onCancel }: ButtonProps) {
  return (
    <p className="row">
      <button type="submit" className="button" data-kind="primary" disabled={isPending}>
        {isPending ? words[1] : words[0]}
      </button>
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
    </p>
  );
}

interface EndProps extends Pick<ButtonProps, "words" | "onCancel"> {
  asking: { isPending: boolean; error: Error | null };
}

/** The end of a form: the server's error, the submit button and Cancel. */
export function FormEnd({ words, asking, onCancel }: EndProps) {
  return (
    <>
      <ErrorNote error={asking.error} />
      <FormButtons words={words} isPending={asking.isPending} onCancel={onCancel} />
    </>
  );
}
