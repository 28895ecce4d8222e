import type { ConfirmationSummary } from "../../model/api";

const STATUSES = {
  pending: ["busy", "waits for a decision"],
  confirmed: ["busy", "confirmed"],
  refused: ["idle", "refused"],
  carried_out: ["good", "carried out"],
  expired: ["idle", "expired"],
} as const;

/** The status of a plan. */
export function StatusMark({ status }: { status: ConfirmationSummary["status"] }) {
  const [tone, words] = STATUSES[status];
  return (
    <span className="mark" data-tone={tone}>
      {words}
    </span>
  );
}
