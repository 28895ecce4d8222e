import { useNavigate } from "react-router";
import { ErrorNote } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { useStart } from "../../lib/runControl";
import { useReason, useSlug } from "../../lib/session";

/** Starts the binding of a run that has ended, and goes to the new run. */
export function StartAgain({ binding, name }: { binding: string; name: string }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const start = useStart();
  const reason = useReason("operate");
  return (
    <>
      <ErrorNote error={start.error} />
      <ReasonedButton
        reason={reason}
        kind="primary"
        aria-label={`Start ${name} again`}
        aria-disabled={start.isPending}
        onClick={() => {
          if (!start.isPending)
            start.mutate(binding, { onSuccess: (run) => void navigate(`/t/${slug}/runs/${run.id}`) });
        }}
      >
        {start.isPending ? "Starting…" : "Start again"}
      </ReasonedButton>
    </>
  );
}
