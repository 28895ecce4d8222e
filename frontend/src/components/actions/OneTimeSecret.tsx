import { type ReactNode, useState } from "react";
import { Notice } from "../notices/Notices";

interface OneTimeSecretProps {
  secret: string;
  /** The noun in the copy button, for example "the token". */
  what: string;
  onDone: () => void;
  children: ReactNode;
}

/** A secret that the server sends only once: its purpose, its text and a copy button. */
export function OneTimeSecret({ secret, what, onDone, children }: OneTimeSecretProps) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setCopied(true));
  return (
    <div className="stack">
      <Notice tone="good">
        <p>{children}</p>
      </Notice>
      <code className="secret">{secret}</code>
      <p className="row">
        <button type="button" className="button" data-kind="primary" onClick={copy}>
          {copied ? "Copied" : `Copy ${what}`}
        </button>
        <button type="button" className="button" onClick={onDone}>
          Done
        </button>
      </p>
    </div>
  );
}
