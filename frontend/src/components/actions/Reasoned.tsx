import { type ButtonHTMLAttributes, type ReactNode, useId, useState } from "react";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import { Link } from "react-router";

interface ReasonedProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "disabled"> {
  /** The reason why it is disabled; null if it is enabled. */
  reason: string | null;
  kind?: "primary" | "danger" | "plain" | undefined;
  children: ReactNode;
}

/**
 * A button that explains why it is disabled, on hover, on tap and to screen readers. It stays reachable by keyboard, so
 * that everybody can read the reason. The reason is rendered in the same main part or dialog: text outside of those
 * is skipped when navigating by landmarks, and is hidden while a dialog is open.
 */
export function ReasonedButton({ reason, kind, children, onClick, className = "button", ...rest }: ReasonedProps) {
  const id = useId();
  const [isReasonShown, setIsReasonShown] = useState(false);
  const [part, setPart] = useState<Element>();
  if (reason === null) {
    return (
      <button type="button" className={className} data-kind={kind} onClick={onClick} {...rest}>
        {children}
      </button>
    );
  }
  return (
    <>
      <TooltipTrigger
        delay={200}
        closeDelay={0}
        shouldCloseOnPress={false}
        isOpen={isReasonShown}
        onOpenChange={setIsReasonShown}
      >
        <Focusable>
          <button
            ref={(button) => setPart(button?.closest("[role=dialog], main") ?? undefined)}
            type="button"
            className={className}
            data-kind={kind}
            {...rest}
            aria-disabled="true"
            aria-describedby={id}
            onClick={() => setIsReasonShown(true)}
          >
            {children}
          </button>
        </Focusable>
        <Tooltip className="tooltip" offset={6} {...(part === undefined ? {} : { UNSTABLE_portalContainer: part })}>
          {reason}
        </Tooltip>
      </TooltipTrigger>
      <span id={id} hidden>
        {reason}
      </span>
    </>
  );
}

interface ReasonedLinkProps {
  reason: string | null;
  kind?: "primary";
  to: string;
  children: ReactNode;
}

/** A link styled as a button; if its page isn't available, a disabled button that says why. */
export function ReasonedLink({ reason, kind, to, children }: ReasonedLinkProps) {
  if (reason !== null) {
    return (
      <ReasonedButton reason={reason} kind={kind}>
        {children}
      </ReasonedButton>
    );
  }
  return (
    <Link className="button" data-kind={kind} to={to}>
      {children}
    </Link>
  );
}

/** The submit button of a form; disabled with a reason if the form can't be sent. */
export function ReasonedSubmit({ reason, children }: { reason: string | null; children: ReactNode }) {
  if (reason !== null) {
    return (
      <ReasonedButton reason={reason} kind="primary">
        {children}
      </ReasonedButton>
    );
  }
  return (
    <button type="submit" className="button" data-kind="primary">
      {children}
    </button>
  );
}
