import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { StartButton } from "../../components/StartButton";
import { StartFromButton } from "../../components/StartFromButton";
import { api, unwrap } from "../../lib/api";
import { useReason, useSlug } from "../../lib/session";
import type { RunShown } from "../../model/api";

const EVERY_MS = 3_000;

/** The run of a binding that has not ended; null where none is open. */
function useOpenRun(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
    refetchInterval: EVERY_MS,
    select: ({ latest_run }) => (latest_run?.ended_at === null ? latest_run : null),
  });
}

/** Starts the binding of a run that has ended, and goes to the new run; to the one that is open where there is one. */
export function StartAgain({ binding, name }: { binding: string; name: string }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const reason = useReason("operate");
  const latest = useOpenRun(binding);
  const open = (run: RunShown) => void navigate(`/t/${slug}/runs/${run.id}`);
  if (latest.data) return <Link to={`/t/${slug}/runs/${latest.data.id}`}>To the run that is open</Link>;
  return (
    <>
      <StartButton
        binding={binding}
        name={name}
        words="Start again"
        label={`Start again: ${name}`}
        reason={reason}
        onStarted={open}
      />
      <StartFromButton binding={binding} name={name} reason={reason} onStarted={open} />
    </>
  );
}
