import { useMutation } from "@tanstack/react-query";
import { ErrorNote } from "../notices/Notices";

interface ActionButtonProps<T> {
  words: readonly [string, string];
  act: () => Promise<T>;
  onDone?: (answer: T) => unknown;
  kind?: "primary" | "danger" | "plain";
  label?: string;
}

/** A button that sends a request, shows its progress and shows the error if it fails. */
export function ActionButton<T>({ words, act, onDone, kind, label }: ActionButtonProps<T>) {
  const acting = useMutation({ mutationFn: act, onSuccess: (answer) => onDone?.(answer) });
  return (
    <>
      <button
        type="button"
        className="button"
        data-kind={kind}
        aria-label={acting.isPending ? undefined : label}
        disabled={acting.isPending}
        onClick={() => acting.mutate()}
      >
        {acting.isPending ? words[1] : words[0]}
      </button>
      <ErrorNote error={acting.error} />
    </>
  );
}
