import type { ReactNode } from "react";
import { Notice } from "../notices/Notices";
import { CopyButton } from "./CopyButton";

interface OneTimeSecretProps {
  secret: string;
  /** The noun in the copy button, for example "the token". */
  what: string;
  onDone: () => void;
  children: ReactNode;
}

/** A secret that the server sends only once: its purpose, its text and a copy button. */
export function OneTimeSecret({ secret, what, onDone, children }: OneTimeSecretProps) {
  return (
    <div className="stack">
      <Notice tone="good">
        <p>{children}</p>
      </Notice>
      <code className="secret">{secret}</code>
      <p className="row">
        <CopyButton text={secret} label={`Copy ${what}`} kind="primary" />
        <button type="button" className="button" onClick={onDone}>
          Done
        </button>
      </p>
    </div>
  );
}
