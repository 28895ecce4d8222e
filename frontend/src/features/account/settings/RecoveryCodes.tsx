import { CopyButton } from "../../../components/actions/CopyButton";
import { Notice } from "../../../components/notices/Notices";

function download(codes: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "punctual-recovery-codes.txt";
  link.click();
  URL.revokeObjectURL(address);
}

interface RecoveryCodesProps {
  codes: readonly string[];
  onKept: () => void;
}

/** The recovery codes, displayed only once. */
export function RecoveryCodes({ codes, onKept }: RecoveryCodesProps) {
  return (
    <div className="stack">
      <Notice tone="unknown">
        <p>
          Store these recovery codes with your passwords. Each signs you in once without your second factor. They are
          shown only once.
        </p>
      </Notice>
      <ul className="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="row">
        <CopyButton text={codes.join("\n")} />
        <button type="button" className="button" onClick={() => download(codes)}>
          Download
        </button>
        <button type="button" className="button" data-kind="primary" onClick={onKept}>
          I have saved them
        </button>
      </p>
    </div>
  );
}
