import { EntryForm } from "../../components/EntryForm";
import type { Step } from "../../model/signIn";

interface CodeEntryProps {
  recovery: boolean;
  words: readonly [string, string];
  send: (code: string) => Promise<Step>;
  onSent: (step: Step) => unknown;
}

/** One code: of the authenticator app, or of the list of recovery codes. */
export function CodeEntry({ recovery, words, send, onSent }: CodeEntryProps) {
  const entry = recovery
    ? ({
        name: "code",
        label: "Recovery code",
        help: "One of the codes that you kept. Each works once.",
        mono: true,
      } as const)
    : ({
        name: "code",
        label: "Code",
        help: "The six digits that your authenticator app shows now.",
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
