import { type ReactNode, useState } from "react";
import { Notice } from "./Notices";

interface OnceShownProps {
  secret: string;
  /** What the button copies: "the token". */
  what: string;
  onDone: () => void;
  children: ReactNode;
}

/** Something that the server tells once: what it is for, the text itself, and a button that copies it. */
export function OnceShown({ secret, what, onDone, children }: OnceShownProps) {
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
