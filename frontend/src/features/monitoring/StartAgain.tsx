import { useNavigate } from "react-router";
import { ErrorNote } from "../../components/Notices";
import { useStart } from "../../lib/runControl";
import { useSlug } from "../../lib/session";

/** Starts the binding of a run that has ended, and goes to the new run. */
export function StartAgain({ binding, name }: { binding: string; name: string }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const start = useStart();
  return (
    <>
      <ErrorNote error={start.error} />
      <button
        type="button"
        className="button"
        data-kind="primary"
        aria-label={`Start ${name} again`}
        disabled={start.isPending}
        onClick={() => start.mutate(binding, { onSuccess: (run) => void navigate(`/t/${slug}/runs/${run.id}`) })}
      >
        {start.isPending ? "Starting…" : "Start again"}
      </button>
    </>
  );
}
