import { EntryForm } from "../../components/forms/EntryForm";
import type { Step } from "../../model/account/signIn";

interface CodeEntryProps {
  recovery: boolean;
  words: readonly [string, string];
  send: (code: string) => Promise<Step>;
  onSent: (step: Step) => unknown;
}

/** A form for one code: from the authenticator app, or a recovery code. */
export function CodeEntry({ recovery, words, send, onSent }: CodeEntryProps) {
  const entry = recovery
    ? ({
        name: "code",
        label: "Recovery code",
        help: "One of your saved codes. Each works once.",
        mono: true,
      } as const)
    : ({
        name: "code",
        label: "Code",
        help: "The six digits in your authenticator app.",
        autoComplete: "one-time-code",
        inputMode: "numeric",
        mono: true,
      } as const);
  return (
    <EntryForm
      entries={[entry]}
      words={words}
      send={({ code = "" }) => send(code.replaceAll(/\s/g, ""))}
      onSent={onSent}
      focus
    />
  );
}
