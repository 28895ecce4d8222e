import { useState } from "react";

interface CopyButtonProps {
  text: string;
  /** The words of the button until the text is copied. */
  label?: string;
  /** The advice where the browser refuses. */
  byHand?: string;
  kind?: "primary";
}

/** Copies `text`. Where the browser refuses (a page without HTTPS, for example), it says so and what to do. */
export function CopyButton({ text, label = "Copy", byHand = "Select the text and copy it.", kind }: CopyButtonProps) {
  const [copied, setCopied] = useState<string>();
  const [refused, setRefused] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
      setRefused(false);
    } catch {
      setRefused(true);
    }
  };
  return (
    <>
      <button type="button" className="button" data-kind={kind} onClick={() => void copy()}>
        {copied === text ? "Copied" : label}
      </button>
      {refused ? (
        <span role="status" className="small">
          This browser did not allow copying. {byHand}
        </span>
      ) : null}
    </>
  );
}
