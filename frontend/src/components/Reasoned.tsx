import { type ButtonHTMLAttributes, type ReactNode, useId, useState } from "react";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import { Link } from "react-router";

interface ReasonedProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "disabled"> {
  /** Why it cannot be pressed; null if it can. */
  reason: string | null;
  kind?: "primary" | "danger" | "plain" | undefined;
  children: ReactNode;
}

/**
 * A button that, where it cannot be pressed, says why: to the pointer, to a finger and to a screen reader. It stays
 * reachable by keyboard, because a reason that nobody can reach is none. The reason is drawn in the same main part or
 * dialog: what stands beside those is not found by landmarks, and lies hidden behind a dialog.
 */
export function ReasonedButton({ reason, kind, children, onClick, className = "button", ...rest }: ReasonedProps) {
  const id = useId();
  const [told, setTold] = useState(false);
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
      <TooltipTrigger delay={200} closeDelay={0} shouldCloseOnPress={false} isOpen={told} onOpenChange={setTold}>
        <Focusable>
          <button
            ref={(button) => setPart(button?.closest("[role=dialog], main") ?? undefined)}
            type="button"
            className={className}
            data-kind={kind}
            {...rest}
            aria-disabled="true"
            aria-describedby={id}
            onClick={() => setTold(true)}
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

/** A link that looks like a button, or a button that says why the page behind it is of no use. */
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

/** The button that sends a form, or says why it cannot be sent. */
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
