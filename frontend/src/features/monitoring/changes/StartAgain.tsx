import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { StartButton } from "../../../components/runControl/StartButton";
import { StartFromButton } from "../../../components/runControl/StartFromButton";
import { useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { RunResponse } from "../../../model/api";

const EVERY_MS = 3_000;

/** Return the active run of a binding; null without one. */
function useOpenRun(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
    refetchInterval: EVERY_MS,
    select: ({ latest_run }) => (latest_run?.ended_at === null ? latest_run : null),
  });
}

/** Start the binding of an ended run again and open the new run; if a run is already active, link to it. */
export function StartAgain({ binding, name }: { binding: string; name: string }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const reason = useReason("operate");
  const latest = useOpenRun(binding);
  const open = (run: RunResponse) => void navigate(`/t/${slug}/runs/${run.id}`);
  if (latest.data) return <Link to={`/t/${slug}/runs/${latest.data.id}`}>Open the active run</Link>;
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
